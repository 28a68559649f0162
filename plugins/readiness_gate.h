// Between a decryption that was taken in and the queue before the chain. Everything passes: neither
// the host's permission nor the ciphertext is looked at.
//
//     { "name": "relayer::plugins::ReadinessGate",
//       "dependencies": ["relayer::plugins::Store", "relayer::plugins::TxThrottler"] }
//
// Works in the order of tickets, woken by what is accepted, and once a second for what other
// instances took in. Holds nothing: rows wait in the database in `queued`.
#pragma once

#include "plugins/readiness_pass.h"
#include "plugins/tx_throttler.h"

#include <drogon/plugins/Plugin.h>
#include <trantor/net/EventLoop.h>

#include <chrono>
#include <memory>

namespace relayer::plugins
{
class ReadinessGate : public drogon::Plugin<ReadinessGate>
{
  public:
    void initAndStart(const Json::Value &config) override;
    void shutdown() override;

    // The row is committed in `queued`. Any thread.
    void accept(const RequestRef &request);
    // Begins nothing new.
    void drain(std::chrono::steady_clock::time_point deadline);

  private:
    std::shared_ptr<ReadinessPass> pass_;
    trantor::TimerId timer_{0};
};
}  // namespace relayer::plugins
