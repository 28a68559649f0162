// One key and its nonces: holds the lane, signs what is ready, and commits nonce, bytes and status
// of a whole batch before any of it is sent.
//
// A nonce is taken by the commit and by nothing else. When it is not known whether a commit
// happened, the lane is read again before the next nonce is used. Lives on the engine's loop.
#pragma once

#include "core/lane_lease.h"
#include "plugins/tx_attempts.h"
#include "plugins/tx_context.h"
#include "plugins/tx_fees.h"

#include <deque>
#include <functional>
#include <memory>
#include <vector>

namespace relayer::plugins
{
class TxLane
{
  public:
    struct Events
    {
        // Signed and committed: to be sent.
        std::function<void(AttemptPtr)> committed;
        // Found in the database at the start, or after a commit in doubt.
        std::function<void(const models::StoredAttempt &)> stored;
        // Not ours to send (any more): its place is free.
        std::function<void(const Outgoing &)> lost;
        // Its commit was in doubt, and had happened: one of those found in the database.
        std::function<void(const Outgoing &)> foundCommitted;
        std::function<void()> held;
        std::function<void()> released;
    };

    TxLane(std::shared_ptr<TxContext> context, std::shared_ptr<TxFees> fees, Events events);

    void add(Outgoing outgoing);
    void tick(TimePoint now);
    void lose();
    // Its nonces are not what we thought.
    void readAgain();
    void pause(bool paused);
    // Signs nothing more and takes no lane; what is ready is given back.
    void drain();

    // Something of it is with the database, or has to be found out there.
    [[nodiscard]] bool busy() const
    {
        return reading_ || renewing_ || signing_ || lease_.inDoubt();
    }
    [[nodiscard]] bool held() const { return lease_.held(); }
    [[nodiscard]] bool paused() const { return paused_; }
    [[nodiscard]] std::size_t waiting() const { return ready_.size() + underWay_; }
    [[nodiscard]] std::int64_t nextNonce() const { return nextNonce_; }

  private:
    drogon::AsyncTask acquire();
    drogon::AsyncTask renew();
    drogon::AsyncTask signAndCommit();
    drogon::Task<bool> readLane(std::int64_t chainNonce);
    drogon::Task<bool> isOfAnotherChain(models::LaneHold hold);
    drogon::Task<> commit(std::vector<Outgoing> batch);
    void settle(models::AttemptsCommitted outcome, std::vector<Outgoing> batch,
                std::vector<models::TxVersion> versions);
    std::vector<Outgoing> nextBatch();
    void putBack(std::vector<Outgoing> batch);
    void giveBackWhatIsReady();

    const std::shared_ptr<TxContext> context_;
    const std::shared_ptr<TxFees> fees_;
    const Events events_;

    core::LaneLease lease_;
    bool paused_ = false;
    bool draining_ = false;
    bool acquiring_ = false;
    bool reading_ = false;  // of that, the part with the database
    bool renewing_ = false;
    bool signing_ = false;
    std::int64_t nextNonce_ = 0;
    TimePoint signAt_;
    std::deque<Outgoing> ready_;
    std::size_t underWay_ = 0;
};
}  // namespace relayer::plugins
