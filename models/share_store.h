// Shares that wait for their second, in the database. What is returned has been committed; moves
// are guarded, and false means that the share is not the claimer's any more.
//
// Callable from any thread as a coroutine; throws StoreError.
#pragma once

#include "core/sealed_witness.h"
#include "core/share_lifecycle.h"
#include "core/vote_share.h"
#include "models/connections.h"
#include "models/group_commit.h"
#include "models/request_types.h"

#include <drogon/utils/coroutine.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace relayer::models
{
using ShareId = std::int64_t;

struct NewVoteShare
{
    core::ShareKey key;
    core::Hash32 digest{};
    core::SealedWitness sealed;
    std::int64_t submitAt = 0;     // 0: at once
    std::int64_t voteEndTime = 0;  // of its round
};

enum class Enqueued
{
    Queued,
    Duplicate,  // the same is there, whatever became of it
    Conflict,   // another one is there
};

template <>
struct GroupItem<NewVoteShare>
{
    static std::size_t bytes(const NewVoteShare &share)
    {
        return 128 + share.sealed.witness.size() + share.sealed.key.size();
    }
    // Equal keys share a batch; the statement takes the first.
    static std::optional<std::uint64_t> alone(const NewVoteShare &) { return std::nullopt; }
    // The second time it may be told a duplicate of itself, which is true.
    static constexpr bool kRepeatable = true;
};

struct TakenShare
{
    ShareId id = 0;
    core::ShareKey key;
    core::SealedWitness sealed;
    std::size_t attempts = 0;  // that failed
    std::int64_t submitAt = 0;
    std::int64_t voteEndTime = 0;
    // Since when it could have been taken, in microseconds since 1970.
    std::int64_t dueMicros = 0;
    // Of what was sent for it before.
    std::optional<core::Hash32> nullifier;
    std::optional<core::Hash32> txHash;
};

struct RoundShares
{
    core::Hash32 round{};
    std::array<std::int64_t, core::kShareStates> in{};

    [[nodiscard]] std::int64_t of(core::ShareState state) const
    {
        return in.at(static_cast<std::size_t>(state));
    }
};

class ShareStore
{
  public:
    // Microseconds since 1970. Without one, time is the database's, so that all instances agree.
    using Clock = std::function<std::int64_t()>;

    explicit ShareStore(ConnectionsPtr writer, Clock clock = {}, GroupLimits limits = {});

    drogon::Task<Enqueued> enqueue(NewVoteShare share);
    // Of a share that is here. Nothing: it is not.
    drogon::Task<std::optional<Enqueued>> known(core::ShareKey key, core::Hash32 digest);

    // What is due, in order. If nothing is, but something will be within `ahead`, the database
    // waits for that second and takes it then: so that what leads there is behind us when it comes.
    drogon::Task<std::vector<TakenShare>> take(Claimer claimer, std::size_t limit,
                                               std::chrono::milliseconds ahead = {});
    struct Until
    {
        std::optional<std::chrono::microseconds> share;  // the earliest is due; 0: it is
        // The first round is over; 0: it is, and is not purged yet.
        std::optional<std::chrono::microseconds> roundOver;
    };
    drogon::Task<Until> untilNext();

    // Before it is sent, and with the hash once the chain has told it.
    drogon::Task<bool> noteSent(ShareId id, Claimer claimer, core::Hash32 nullifier,
                                std::optional<core::Hash32> txHash);
    drogon::Task<bool> submit(ShareId id, Claimer claimer);
    drogon::Task<bool> retry(ShareId id, Claimer claimer, std::chrono::milliseconds wait,
                             std::string error);
    drogon::Task<bool> fail(ShareId id, Claimer claimer, std::string error);
    // Without a wait it keeps its place.
    drogon::Task<bool> giveBack(ShareId id, Claimer claimer,
                                std::chrono::milliseconds wait = std::chrono::milliseconds(0));
    // Of starts that were replaced, and of instances that have been silent for longer than this.
    drogon::Task<std::size_t> freeAbandoned(std::chrono::milliseconds lease, std::size_t limit);

    drogon::Task<std::optional<std::int64_t>> endOfRound(core::Hash32 round);
    drogon::Task<> rememberRound(core::Hash32 round, std::int64_t end);
    struct Over
    {
        std::int64_t asOf = 0;  // the second for purge()
        bool any = false;       // there is something to purge
        // Those that nobody has been told of yet. This caller is, and nobody after it.
        std::vector<RoundShares> rounds;
    };
    drogon::Task<Over> closeRounds();
    // How many shares are gone; below the limit there are no more.
    drogon::Task<std::size_t> purge(std::int64_t asOf, std::size_t limit);
    drogon::Task<std::vector<RoundShares>> counts();

    // Refuses who waits, and who comes.
    void close() { enqueues_->close(); }

  private:
    using Enqueues = GroupCommit<NewVoteShare, Enqueued>;

    drogon::Task<bool> move(core::ShareTransition transition, ShareId id, Claimer claimer,
                            std::chrono::milliseconds wait, std::optional<std::string> error);

    const ConnectionsPtr writer_;
    const Clock clock_;
    const std::shared_ptr<Enqueues> enqueues_;
};
}  // namespace relayer::models
