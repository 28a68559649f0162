// The request table behind guarded updates: the only way in which a request comes to be, changes
// its status, or is found.
//
//     const Admission mine = co_await store.admit(std::move(request));
//     if (co_await store.apply({.transition = Transition::MarkTxInFlight, .id = mine.id}) ==
//         StepOutcome::Lost)
//         co_return;                                     // not mine any more
//
// Callable from any thread as a coroutine. A caller that runs on an event loop is resumed on it.
// What is returned has been committed; StoreError means that nothing is known of it (see
// store_error.h). Holds no state but callers that wait: it can be dropped at any instruction, and
// the database is the truth.
#pragma once

#include "core/decrypt_shares.h"
#include "models/connections.h"
#include "models/gate.h"
#include "models/request_polls.h"
#include "models/request_types.h"
#include "models/status_news.h"

#include <array>
#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace relayer::models
{
struct RequestStoreOptions
{
    GroupLimits admissions;
    GroupLimits transitions;
    GroupLimits polls;
    StatusNewsPtr news = nullptr;  // nothing: nobody is told
};

class RequestStore
{
  public:
    // The clients are shared with their owner, who must not drop the last reference on their own
    // loop.
    RequestStore(ConnectionsPtr writer, ConnectionsPtr reader, RequestStoreOptions options);

    // A new row, or the one that already stands for this content: live, completed, or a proof that
    // was rejected. A content whose request timed out or failed otherwise is free again.
    drogon::Task<Admission> admit(NewRequest request);
    // The row that admit would join, for whoever has no room for another. Nothing: there is none.
    drogon::Task<std::optional<Admission>> findStanding(core::Kind kind,
                                                        core::ContentHash contentHash);

    // One guarded update. Complete and Reject are not for callers: they follow from what arrives.
    drogon::Task<StepOutcome> apply(Step step);
    // For a queue that must know the place: PassReadiness gives the row a new one.
    drogon::Task<StepResult> applyWithTicket(Step step);

    // Stores the receipt; when the answer was here before it, the request ends with this call. What
    // replaceReceipt says of an id that another request has is true here, too.
    drogon::Task<ReceiptOutcome> markReceiptReceived(RequestId id, std::optional<Claimer> claimer,
                                                     TxHash txHash, GatewayId gatewayId,
                                                     core::Kind kind);

    // A reorg gave the request another gateway id, or its transaction another hash, while it waits
    // for its answer (receipt_received). `oldHash`: only if it still has this one. An id that
    // another waiting request has goes to this one, and that one has none until it is told its new
    // one; an id of a request that has ended is not given away: then this is Lost.
    drogon::Task<ReceiptOutcome> replaceReceipt(RequestId id, std::optional<TxHash> oldHash,
                                                TxHash txHash, GatewayId gatewayId);

    // Keeps the answer or share, whether or not its request is ready for it, then ends the request
    // if it can end. In whatever order and however often things arrive, a request ends once.
    drogon::Task<Arrival> keepAnswer(Answer answer);
    drogon::Task<Arrival> keepShare(Share share);

    // The level-triggered pass: looks at live requests that have their receipt, and ends those
    // whose answer is here after all (its bringer died between keeping it and ending the request).
    // Up to `limit` per call, the oldest first. Returns how many it ended.
    drogon::Task<std::size_t> settleWaiting(core::Kind kind, std::size_t limit);

    // Sets the number of shares a live user decryption needs, once.
    drogon::Task<bool> resolveThreshold(RequestId id, std::int32_t threshold);

    // Takes up to `limit` unclaimed rows in ticket order; rows that others are just taking are
    // passed over. `afterTicket` lets a caller that knows the head of its queue skip what is behind
    // it.
    drogon::Task<std::vector<RequestRow>> claim(core::Kind kind, core::Status status,
                                                Claimer claimer, std::size_t limit,
                                                std::int64_t afterTicket = 0);
    drogon::Task<std::size_t> release(std::vector<RequestId> ids, Claimer claimer);
    // What the claimer holds in this status, in no order.
    drogon::Task<std::vector<RequestId>> heldIds(core::Status status, Claimer claimer);
    // Where the next claim would begin, and how many wait there, counted up to `countUpTo`.
    drogon::Task<QueueHead> queueHead(core::Kind kind, core::Status status,
                                      std::size_t countUpTo = 10000);
    // Which ones wait there, in order, the first `limit`.
    drogon::Task<std::vector<std::int64_t>> queueTickets(core::Kind kind, core::Status status,
                                                         std::size_t limit);

    // What a poller needs, in one read by key for all who ask meanwhile: nothing of the payload,
    // and of the answer only when the request has ended. Nothing when there is no such job.
    drogon::Task<std::optional<Poll>> poll(core::JobId jobId);
    // The shares that came first, at most so many: for a poll of a request that is completed.
    drogon::Task<std::vector<core::DecryptShare>> firstShares(GatewayId gatewayId,
                                                              std::size_t count);

    // The same for many, for who waits on behalf of others. Those that are not there are left out.
    drogon::Task<std::vector<Poll>> pollAll(std::vector<RequestId> ids);
    using Statuses = std::vector<std::pair<RequestId, core::Status>>;
    drogon::Task<Statuses> statusesOf(std::vector<RequestId> ids);

    drogon::Task<std::optional<RequestRow>> findByJobId(core::JobId jobId);
    drogon::Task<std::optional<RequestRow>> findByGatewayId(core::Kind kind, GatewayId gatewayId);
    // By any version of any of its transactions.
    drogon::Task<std::optional<RequestRow>> findByTxHash(TxHash txHash);
    // Newest first, ids below `beforeId`.
    drogon::Task<std::vector<RequestRow>> findByStatus(core::Kind kind, core::Status status,
                                                       std::int64_t beforeId, std::size_t limit);
    // `live` counts walk the live requests only; the others read the whole table.
    using Counts = std::map<std::pair<core::Kind, core::Status>, std::int64_t>;
    drogon::Task<Counts> countByStatus(bool liveOnly);

    // For metrics and for benchmarks.
    struct Stats
    {
        GroupCommitStats::Snapshot admissions;
        GroupCommitStats::Snapshot transitions;  // all of them together
        GroupCommitStats::Snapshot polls;
    };
    [[nodiscard]] Stats stats() const;

    // Refuses callers from now on and those that wait for a batch. False when some were still on
    // their way at the deadline: then this object must be kept.
    [[nodiscard]] bool close(std::chrono::milliseconds atMost);

  private:
    Gate gate_;

    using Admissions = GroupCommit<NewRequest, Admission>;
    using Steps = GroupCommit<Step, StepResult>;
    using Answers = GroupCommit<Answer, bool>;
    using Shares = GroupCommit<Share, bool>;
    using Settlements = GroupCommit<Settlement, std::optional<core::Status>>;
    using Polls = GroupCommit<core::JobId, std::optional<Poll>>;

    const ConnectionsPtr writer_;
    const ConnectionsPtr reader_;
    const StatusNewsPtr news_;
    const std::shared_ptr<Admissions> admissions_;
    const std::array<std::shared_ptr<Steps>, core::kTransitions> steps_;
    const std::shared_ptr<Answers> answers_;
    const std::shared_ptr<Shares> shares_;
    const std::shared_ptr<Settlements> settlements_;
    const std::shared_ptr<Polls> polls_;
};
}  // namespace relayer::models
