// Between a decryption that was taken in and the queue before the chain: it goes on when the host
// chains allow it and the gateway has its ciphertexts.
//
//     { "name": "relayer::plugins::ReadinessGate",
//       "dependencies": ["relayer::plugins::Store", "relayer::plugins::TxThrottler",
//                        "relayer::plugins::HostChains"] }
//
// Who takes a request in reserves a place first, writes the row, and accepts it. The rows wait in
// the database in `queued`; what is done with them is on a loop of the gate's own
// (readiness_run.h). Without nodes of the gateway (gateway.rpc.read) they wait.
//
// When the process dies, the next start under its name gives back what was claimed and asks anew,
// from the first try.
#pragma once

#include "models/request_types.h"
#include "plugins/own_loop.h"
#include "plugins/readiness_lines.h"
#include "plugins/readiness_run.h"
#include "plugins/tx_throttler.h"

#include <drogon/plugins/Plugin.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>

namespace relayer::plugins
{
class ReadinessGate : public drogon::Plugin<ReadinessGate>
{
  public:
    using Slot = ReadinessLines::Slot;
    using Place = ReadinessLines::Place;

    ~ReadinessGate() override;
    void initAndStart(const Json::Value &config) override;
    void shutdown() override;

    // Any thread, between initAndStart and shutdown.

    // For public and user decryptions. Nothing: the line is full.
    [[nodiscard]] std::optional<Slot> reserve(core::Kind kind, Place place = Place::New);
    // The row is committed in `queued`: it waits now.
    void accept(Slot slot, const RequestRef &request);
    // 0 is the next. Nothing: not known here; it is being checked, or another instance took it in.
    [[nodiscard]] std::optional<std::uint64_t> position(core::Kind kind, std::int64_t ticket) const;

    // Of any request that waits, wherever it came in.
    using Spot = ReadinessLines::Spot;
    [[nodiscard]] Spot spot(core::Kind kind, std::int64_t ticket) const;
    [[nodiscard]] std::uint64_t maxConcurrency(core::Kind kind) const;

    struct Snapshot
    {
        ReadinessLines::Snapshot line;
        ReadinessChecks::Snapshot checks;  // as of the last second
    };
    [[nodiscard]] Snapshot snapshot(core::Kind kind) const;
    // 1 to 10,000; false otherwise.
    bool setMaxConcurrency(core::Kind kind, std::uint64_t most);
    // For who tells it what the database says while there is no chain.
    [[nodiscard]] std::shared_ptr<ReadinessLines> lines() const { return lines_; }
    // Begins nothing new, and gives back what was claimed (plugins/drain.h).
    void drain();
    // What that still waits for.
    [[nodiscard]] std::size_t left() const;

  private:
    std::shared_ptr<ReadinessLines> lines_;
    std::array<std::atomic<std::uint64_t>, core::kKinds> concurrency_{};
    mutable std::mutex door_;            // around run_, while others may call in
    std::shared_ptr<ReadinessRun> run_;  // none: the chain is off
    std::unique_ptr<OwnLoop> loop_;
};
}  // namespace relayer::plugins
