// What was signed, under which nonce, and what became of it. A lane is one key and its nonces, held
// by one instance at a time; every write checks that the lane is still the caller's.
//
// The one rule that this store is for: nonce, signed bytes, hash and the request's change to
// tx_in_flight are on disk, in one commit, before a byte of it goes to a node.
//
// Callable from any thread as a coroutine; throws StoreError, after which nothing is known of the
// write: read the lane again.
#pragma once

#include "core/address.h"
#include "core/failure.h"
#include "core/lifecycle.h"
#include "models/connections.h"
#include "models/request_types.h"
#include "models/status_news.h"

#include <drogon/utils/coroutine.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace relayer::models
{
using AttemptId = std::int64_t;

// Who holds which lane: in every guard.
struct LaneHold
{
    std::string lane;
    Claimer claimer = 0;
};

struct LaneState
{
    bool held = false;  // by the caller, from now until its lease ends
    std::int64_t nextNonce = 0;
    // The name has another key, or the key another name: it will never be held like this.
    bool otherKey = false;
};

// Signed bytes that may be on their way.
struct TxVersion
{
    TxHash hash{};
    core::Bytes raw;
    std::string maxFeePerGas;          // decimal, up to 78 digits
    std::string maxPriorityFeePerGas;  // the same; of a legacy transaction: its gas price
    std::uint64_t gasLimit = 0;
    bool noOp = false;  // closes the nonce instead of carrying the request
};

struct NewAttempt
{
    RequestId request = 0;
    TxVersion version;
};

struct AttemptsCommitted
{
    enum class Outcome : std::uint8_t
    {
        Committed,
        LaneLost,    // not held by this claimer any more
        NonceMoved,  // the lane's next nonce is another one than the caller thought
        RowsLost,    // some requests are not the caller's to send: nothing was written
    };
    Outcome outcome = Outcome::LaneLost;
    std::vector<AttemptId> attempts;  // Committed: in the order given
    std::vector<RequestId> lost;      // RowsLost: which
};

enum class AttemptState : std::uint8_t
{
    Signed,    // its nonce is open, as far as we know
    Mined,     // one of its versions was mined
    Dropped,   // kept for the record; not used yet
    Consumed,  // a transaction that is not ours took the nonce
};

// An attempt as a start finds it.
struct StoredAttempt
{
    AttemptId id = 0;
    std::int64_t nonce = 0;
    std::int32_t sends = 0;
    AttemptState state = AttemptState::Signed;
    // Set when the request is given up: with what it ends once the nonce is closed.
    std::optional<core::Failure> closingWith;
    std::vector<TxVersion> versions;  // oldest first
    std::optional<RequestId> request;
    core::Kind kind = core::Kind::InputProof;        // of the request
    core::Status status = core::Status::TxInFlight;  // of the request
    std::optional<Claimer> owner;                    // of the request
    std::int64_t secondsOld = 0;                     // since it was signed, database's clock
};

struct Mined
{
    AttemptId attempt = 0;
    TxHash hash{};
    std::int64_t block = 0;
};

class LaneStore
{
  public:
    explicit LaneStore(ConnectionsPtr writer, StatusNewsPtr news = nullptr);

    // Makes the lane if it is new; takes it when it is free, its lease has run out, or it is the
    // caller's already (which renews it). The next nonce never goes below `chainNonce`.
    drogon::Task<LaneState> hold(LaneHold lane, core::Address address,
                                 std::chrono::milliseconds lease, std::int64_t chainNonce);
    // Only renews, and tells the lane's next nonce; nothing when it is not the caller's any more.
    // (Let go by InstanceRegistry::leave.)
    drogon::Task<std::optional<std::int64_t>> renew(LaneHold lane, std::chrono::milliseconds lease);
    struct Lane
    {
        std::string name;
        core::Address address{};
        std::int64_t nextNonce = 0;
        std::int64_t openTransactions = 0;
        std::string holder;  // the instance; empty: nobody holds it
    };
    // All that there have ever been on this database.
    drogon::Task<std::vector<Lane>> all();
    // How many lanes somebody holds.
    drogon::Task<std::size_t> heldLanes();

    // Consecutive nonces from `firstNonce` for all of them, with their requests to tx_in_flight
    // (core::Transition::MarkTxInFlight, guarded as everywhere, with the request's owner being the
    // claimer), or nothing at all. A request that still has an open attempt is not the caller's to
    // send. The first version counts as sent once.
    drogon::Task<AttemptsCommitted> commit(LaneHold lane, std::int64_t firstNonce,
                                           std::vector<NewAttempt> attempts);

    // Another version at the nonce of an open attempt: a fee bump, or with `closingWith` a no-op
    // that ends it (the request itself fails later, once the nonce is closed). False: the lane or
    // the attempt is not the caller's to change any more.
    drogon::Task<bool> addVersion(LaneHold lane, AttemptId attempt, TxVersion version,
                                  std::optional<core::Failure> closingWith);
    // To be called before bytes are sent again. Those that are still open and ours.
    drogon::Task<std::vector<AttemptId>> countSends(LaneHold lane, std::vector<AttemptId> attempts);

    // Ends open attempts: a version of it was mined.
    drogon::Task<> markMined(LaneHold lane, std::vector<Mined> mined);
    // Its nonce went to a transaction that is not ours.
    drogon::Task<> markConsumed(LaneHold lane, AttemptId attempt);
    // The chain took a mined one back: it is open again. False when it was not mined.
    drogon::Task<bool> reopen(LaneHold lane, AttemptId attempt);

    // Open attempts in the order of their nonces, from `fromNonce`, with their versions.
    drogon::Task<std::vector<StoredAttempt>> openAttempts(std::string lane, std::int64_t fromNonce,
                                                          std::size_t limit);
    // Mined at this block or later, or under this nonce or a later one, which the chain has not
    // taken: what a reorg may have taken back. So many of each at the most.
    drogon::Task<std::vector<StoredAttempt>> minedSince(std::string lane, std::int64_t block,
                                                        std::int64_t nonce, std::size_t limit);

    // Requests in tx_in_flight that the claimer holds and that have no open attempt: their
    // transaction was mined without the request event, or its nonce was consumed. The first of
    // those behind `after`, in the order of their ids.
    drogon::Task<std::vector<RequestId>> stranded(Claimer claimer, std::size_t limit,
                                                  RequestId after = 0);

    // The first block of the chain that the lane's nonces are of: the one given, when the lane has
    // none yet. Nothing: the lane is not held.
    drogon::Task<std::optional<core::Hash32>> genesis(LaneHold lane, core::Hash32 now);

    // The chain is another one than before (its genesis changed): all attempts of the lane are
    // forgotten, and nonces start at `nonce` again. Requests are not touched.
    drogon::Task<bool> startOver(LaneHold lane, std::int64_t nonce);

  private:
    const ConnectionsPtr writer_;
    const StatusNewsPtr news_;
};
}  // namespace relayer::models
