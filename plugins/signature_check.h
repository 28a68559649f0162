// Whether a user decryption was asked for by the one it names: asked before its row is written, so
// that nobody can occupy the place of somebody else's request.
//
//     { "name": "relayer::plugins::SignatureCheck",
//       "dependencies": ["relayer::plugins::Settings"] }
//
// Callable from any thread, between initAndStart and shutdown.
#pragma once

#include "core/address.h"
#include "core/decrypt.h"

#include <drogon/plugins/Plugin.h>

#include <cstdint>

namespace relayer::plugins
{
// Of the older sorts, direct and delegated, whose signature nobody but the contract judges: one
// that it would not take as it stands, or whose time is over, proves nothing. With the signature of
// an old request of theirs one could else occupy the place of somebody's new one. `now` is in
// seconds since 1970.
[[nodiscard]] core::Signer signerOf(const core::UserDecrypt &request,
                                    const core::Address &decryption, std::uint64_t now);

class SignatureCheck : public drogon::Plugin<SignatureCheck>
{
  public:
    void initAndStart(const Json::Value &config) override;
    void shutdown() override {}

    [[nodiscard]] core::Signer signerOf(const core::UserDecrypt &request, std::uint64_t now) const
    {
        return plugins::signerOf(request, decryption_, now);
    }

  private:
    core::Address decryption_{};  // constant after initAndStart
};
}  // namespace relayer::plugins
