// The check of signatures as a plugin: with the contract and the host chains of the configuration
// (`user_decrypt_signature_check`).
//
//     { "name": "relayer::plugins::SignatureCheck",
//       "dependencies": ["relayer::plugins::Settings", "relayer::plugins::HostChains"] }
//
// Callable from any thread, from initAndStart on; after shutdown no chain is asked any more.
#pragma once

#include "plugins/signature_checker.h"

#include <drogon/plugins/Plugin.h>

#include <memory>

namespace relayer::plugins
{
class SignatureCheck : public drogon::Plugin<SignatureCheck>
{
  public:
    void initAndStart(const Json::Value &config) override;
    void shutdown() override;

    [[nodiscard]] SignatureChecker &checker() { return *checker_; }
    [[nodiscard]] const SignatureChecker &checker() const { return *checker_; }

  private:
    std::shared_ptr<SignatureChecker> checker_;  // constant after initAndStart
};
}  // namespace relayer::plugins
