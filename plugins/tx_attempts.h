// Carries signed transactions to their end: sends them, looks for their receipts, sends them again,
// outbids them, and closes their nonces when their requests are given up.
//
// The one question is always "is it mined?", asked for every version that was ever signed at this
// nonce. No answer of a node makes a new nonce; only a proof that this one is gone does. Lives on
// the engine's loop.
#pragma once

#include "chain/send_answer.h"
#include "core/attempt_steps.h"
#include "models/group_commit.h"
#include "plugins/tx_context.h"
#include "plugins/tx_fees.h"

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <vector>

// Writing it twice changes nothing, and two of one attempt do not fit into one statement.
template <>
struct relayer::models::GroupItem<relayer::models::Mined>
{
    static std::size_t bytes(const Mined &) { return sizeof(Mined); }
    static std::optional<std::uint64_t> alone(const Mined &mined)
    {
        return static_cast<std::uint64_t>(mined.attempt);
    }
    static constexpr bool kRepeatable = true;
};

namespace relayer::plugins
{
struct Attempt
{
    models::AttemptId id = 0;
    std::int64_t nonce = 0;
    std::optional<Outgoing> outgoing;  // nothing: a no-op of its own
    std::vector<models::TxVersion> versions;
    std::optional<core::Failure> closing;  // the newest version is a no-op
    bool requestEnded = false;             // only the nonce is left to close

    int sends = 0;
    int sendsBeforeClosing = 0;
    bool waiting = false;  // committed, for a place in the air
    bool sending = false;
    bool mayBeInPool = false;
    bool suspect = false;  // somebody else may have taken the nonce
    core::NonceSightings sightings;
    // How it ended; what follows from it is not written yet.
    std::optional<chain::Receipt> receipt;
    bool consumed = false;
    bool ending = false;  // being written
    int replays = 0;      // of a revert, to learn why

    [[nodiscard]] bool over() const { return receipt.has_value() || consumed; }

    TimePoint overAt;  // when its receipt was found
    TimePoint signedAt;
    TimePoint lastSend;
    TimePoint lookAt;
    TimePoint sendAt;
    TimePoint bumpAt;
    TimePoint sightingAt;
};
using AttemptPtr = std::shared_ptr<Attempt>;

// Attempts that end at the same time share a commit.
using MinedQueue = models::GroupCommit<models::Mined, bool>;
[[nodiscard]] std::shared_ptr<MinedQueue> minedQueue(const std::shared_ptr<TxContext> &context);

class TxAttempts
{
  public:
    struct Events
    {
        // Mined, or consumed: its place in the air is free. What follows from it is written next.
        std::function<void()> landed;
        // It is written: its request has ended or went on.
        std::function<void(const Attempt &)> closed;
        // The request needs another transaction: this one's nonce went to somebody else, or (after
        // `wait`) it was mined without the request event.
        std::function<void(Outgoing, std::chrono::milliseconds wait)> again;
        std::function<void(core::Kind, const models::GatewayId &)> receiptStored;
        std::function<void()> laneLost;
        // Another lane took the request with an attempt of its own, and may have none any more: who
        // reads this lane again takes it back.
        std::function<void()> requestElsewhere;
        std::function<void(bool paused)> funds;
    };

    TxAttempts(std::shared_ptr<TxContext> context, std::shared_ptr<TxFees> fees, Events events);

    // Signed and committed a moment ago: sent as soon as there is a place in the air.
    void launch(AttemptPtr attempt);
    // As a start finds it: its receipt is looked for before anything is sent.
    void resume(const models::StoredAttempt &stored);
    // What the database has of one that is carried: while the lane was in doubt somebody else may
    // have held it, outbid ours, or begun to close it.
    void catchUp(const models::StoredAttempt &stored);
    [[nodiscard]] bool carries(std::int64_t nonce) const { return open_.contains(nonce); }
    [[nodiscard]] bool carriesRequest(models::RequestId request) const;
    [[nodiscard]] std::size_t size() const { return open_.size(); }
    [[nodiscard]] std::size_t inAir() const { return inAir_; }
    // In the air, or waiting for it.
    [[nodiscard]] std::size_t notLanded() const { return inAir_ + waiting_.size(); }

    void tick(TimePoint now);
    // Somebody has seen this transaction mined.
    void lookFor(const models::TxHash &hash);
    // The lane is not ours any more: whoever holds it carries them.
    void drop();

  private:
    void depart(AttemptPtr attempt);
    void departNext();
    void land(const AttemptPtr &attempt);
    drogon::AsyncTask send(AttemptPtr attempt);
    drogon::AsyncTask look(std::vector<AttemptPtr> attempts);
    drogon::AsyncTask end(AttemptPtr attempt);
    drogon::AsyncTask bump(AttemptPtr attempt);
    drogon::AsyncTask checkNonce(AttemptPtr attempt);
    drogon::AsyncTask refuse(AttemptPtr attempt, core::Failure failure);
    drogon::AsyncTask giveUp(AttemptPtr attempt, core::Failure failure);
    drogon::AsyncTask failRequest(AttemptPtr attempt);
    drogon::Task<models::TxVersion> noOpFor(AttemptPtr attempt);

    struct Answered
    {
        chain::SendAnswer answer = chain::SendAnswer::InDoubt;
        std::optional<chain::Receipt> receipt;
        core::Failure failure;
    };
    drogon::Task<Answered> ask(core::Bytes raw, std::string traceparent);
    void tellSent(const Attempt &attempt, const Answered &answered) const;
    void react(const AttemptPtr &attempt, Answered answered);
    // `looked`: just now, and there was no receipt. Else it is not known whether there is one.
    void act(const AttemptPtr &attempt, TimePoint now, bool looked);
    void found(const AttemptPtr &attempt, chain::Receipt receipt);
    void close(const AttemptPtr &attempt);
    [[nodiscard]] bool isOpen(const AttemptPtr &attempt) const;
    // The database would not let us change the attempt.
    void notOurs(const AttemptPtr &attempt);
    [[nodiscard]] bool isAtTheFront(const Attempt &attempt) const;
    [[nodiscard]] bool outOfSends(const Attempt &attempt) const;

    drogon::Task<> writeConsumed(AttemptPtr attempt);
    drogon::Task<> writeMined(AttemptPtr attempt);
    // How long the request waits for another transaction; nothing: it needs none.
    using Again = std::optional<std::chrono::milliseconds>;
    drogon::Task<Again> writeRequestOutcome(AttemptPtr attempt);
    drogon::Task<> storeReceipt(AttemptPtr attempt, models::GatewayId gatewayId);
    drogon::Task<> storeReceiptAfterAll(AttemptPtr attempt, models::GatewayId gatewayId);
    drogon::Task<core::Failure> revertOf(AttemptPtr attempt);
    drogon::Task<models::StepOutcome> failTransaction(AttemptPtr attempt, core::Failure failure);

    const std::shared_ptr<TxContext> context_;
    const std::shared_ptr<TxFees> fees_;
    const Events events_;
    const std::shared_ptr<MinedQueue> mined_;
    std::map<std::int64_t, AttemptPtr> open_;  // by nonce: the lowest goes first
    std::deque<AttemptPtr> waiting_;           // of these, in the order of their nonces
    std::size_t inAir_ = 0;                    // sent, or found by a start, and not over
    bool looking_ = false;
    bool syncSend_ = true;
};
}  // namespace relayer::plugins
