// The queues before the chain, one for each kind of request: how many may wait, who is how far in
// front, and how many go in a second.
//
//     { "name": "relayer::plugins::TxThrottler", "dependencies": ["relayer::plugins::Settings"] }
//
// Who takes a request in reserves a place first, writes the row, and accepts it; so a request that
// was promised an answer never fails for lack of room. The rows wait in the database, and TxEngine
// pulls them from there, in the order of their tickets, when it is told to and as many as there are
// tokens for. Nothing here is lost with the process: `level` brings it back from the database.
//
// Callable from any thread, between initAndStart and shutdown.
#pragma once

#include "config/settings.h"
#include "core/lifecycle.h"
#include "core/tx_queue.h"
#include "models/request_types.h"
#include "plugins/tx_queues.h"

#include <drogon/plugins/Plugin.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>

namespace relayer::plugins
{
struct RequestRef
{
    models::RequestId id = 0;
    core::Kind kind = core::Kind::InputProof;
    std::int64_t ticket = 0;
};

class TxThrottler : public drogon::Plugin<TxThrottler>
{
  public:
    using Slot = TxQueues::Slot;
    using Place = core::TxQueue::Place;
    using Snapshot = core::TxQueue::Snapshot;

    void initAndStart(const Json::Value &config) override;
    void shutdown() override;

    // Nothing: the queue is full. A new request is turned away earlier than one that has been in
    // the house already.
    [[nodiscard]] std::optional<Slot> reserve(core::Kind kind, Place place = Place::New);
    // The row is committed in `processing`: it waits now.
    void accept(Slot slot, const RequestRef &request);

    // 0 is the next. Nothing: not known here; it went, or another instance took it in.
    [[nodiscard]] std::optional<std::uint64_t> position(core::Kind kind, std::int64_t ticket) const;
    // The same for any request that waits, wherever it came in, and how fast the queue drains.
    using Outlook = TxQueues::Outlook;
    [[nodiscard]] Outlook outlook(core::Kind kind, std::int64_t ticket) const;
    [[nodiscard]] Snapshot snapshot(core::Kind kind) const;
    // 1 to 1000; false otherwise. No fresh burst comes with it.
    bool setRate(core::Kind kind, std::uint64_t perSecond);
    // How many lanes send from these queues, here and elsewhere: each gets its part of the rate.
    void setSharers(std::uint64_t sharers) { queues_->setSharers(sharers); }

    // For who sends. `wake` is called on Drogon's main loop, when something waits and a token is
    // there: at once for a new request, and for those that wait, when the next token is due. It is
    // not repeated before tokens were taken, something new came, or `level` found something.
    void onWork(TxQueues::Wake wake);
    // How many rows may be pulled now; those that were not there after all are given back.
    std::size_t takeTokens(core::Kind kind, std::size_t atMost);
    void returnTokens(core::Kind kind, std::size_t tokens);
    // These were claimed: the others move up.
    void pulled(core::Kind kind, std::span<const std::int64_t> tickets);
    // What the database says of rows that nobody has claimed: the smallest ticket, and how many
    // there are, counted up to the capacity. To be asked once a second, one question at a time.
    void level(core::Kind kind, std::optional<std::int64_t> head, std::size_t waiting);

    // For the plugins that bring requests here without knowing of plugins.
    [[nodiscard]] std::shared_ptr<TxQueues> queues() const { return queues_; }

    // Nothing goes any more. Nothing to wait for: what waits, waits in the database.
    void drain();

  private:
    std::shared_ptr<TxQueues> queues_;
};
}  // namespace relayer::plugins
