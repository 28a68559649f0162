// What goes wrong in a simulated world, and how often it and every edge of the lifecycle happened.
#pragma once

#include "core/lifecycle.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace relayer::sim
{
enum class Fault : std::uint8_t
{
    Crash,                // kill -9 between any two steps; a new start follows
    Drain,                // an instance is asked to end, and does; a new start follows
    Stall,                // an instance stands still, and its clock has jumped when it goes on
    StatementLost,        // never executed, in doubt for who sent it
    StatementAnswerLost,  // executed, in doubt
    StatementLate,        // executed after who sent it has given up, or has died
    DatabaseAway,         // no statement arrives for a while
    DatabaseClockAhead,   // its clock jumps
    DatabaseClockBack,
    CallLost,        // a node never hears of it
    CallAnswerLost,  // it does, and nobody hears of the answer
    CallLate,        // it does, after the caller has given up, or has died
    NodeAway,
    NodeAwayForLong,  // for longer than the deadlines of what waits for it
    NodeLags,         // answers from an older block
    PushLost,
    PushDoubled,
    PushReordered,
    Reorg,
    TransactionDropped,  // out of every pool
    ForeignTransaction,  // the key is used elsewhere
    NoFunds,
    FeesRise,
    GapsRefused,  // a node does not keep transactions behind a gap
    EstimateReverts,
    NodeRefuses,  // it takes no such transaction
    RevertsOnChain,
    MinedWithoutEvent,
    NeverAnswered,
    AclRefuses,
    AclFails,
    CiphertextNeverThere,
    CiphertextFails,
    PayloadBroken,
    PostedAgain,       // the same content, by a client that saw no answer or does not care
    Replaced,          // another process has enrolled under the name of one that works
    FailedByOperator,  // somebody ends a request that lives
    DispatchedAgain,   // somebody sets a request back that has no transaction under way
};
inline constexpr std::size_t kFaults = 38;
[[nodiscard]] std::string_view name(Fault fault);

// Bugs planted by hand, to see that they are found.
enum class Mutation : std::uint8_t
{
    None,
    SkipGuard,             // a transaction fails its request whatever status that has
    ForgetReset,           // a start leaves in flight what was
    SendBeforeCommit,      // bytes go to a node before they are on disk
    CommitWithoutLane,     // nonces are written by who does not hold the lane any more
    NonceLeftOpen,         // a request is given up without a no-op at its nonce
    CursorBeforeInbox,     // the cursor moves before the events are stored
    AnswerDroppedIfEarly,  // an answer that comes before its receipt is thrown away
    NewNonceInDoubt,       // a send without an answer is taken for lost, and sent anew
    RevertedSentAnew,      // a transaction that reverted is tried once more
    DeadlineIsBlind,       // it ends what has a transaction on its way
    FreedOnItsWay,         // who takes over frees what was set back with its transaction on its way
};
inline constexpr std::size_t kMutations = 12;
[[nodiscard]] std::string_view name(Mutation mutation);

struct Coverage
{
    using ByStatus = std::array<std::uint64_t, core::kStatuses>;
    using ByTransition = std::array<ByStatus, core::kTransitions>;

    std::array<ByTransition, core::kKinds> edges{};
    std::array<std::uint64_t, kFaults> faults{};
    std::uint64_t runs = 0;
    std::uint64_t steps = 0;
    std::uint64_t requests = 0;
    std::uint64_t instances = 0;
    std::uint64_t leastSteps = UINT64_MAX;
    std::uint64_t leastRequests = UINT64_MAX;
    std::uint64_t leastFaults = UINT64_MAX;
    // Ended by an answer that was meant for another: after a reorg the chain gave an id twice.
    std::uint64_t crossed = 0;
    // Timed out, although answered, after a reorg.
    std::uint64_t unheard = 0;

    void took(core::Kind kind, core::Transition transition, core::Status from)
    {
        ++edges.at(static_cast<std::size_t>(kind))
              .at(static_cast<std::size_t>(transition))
              .at(static_cast<std::size_t>(from));
    }
    void had(Fault fault) { ++faults.at(static_cast<std::size_t>(fault)); }
    [[nodiscard]] std::uint64_t allFaults() const;
    void add(const Coverage &other);
};
}  // namespace relayer::sim
