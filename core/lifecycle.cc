#include "core/lifecycle.h"

#include "core/names.h"

namespace relayer::core
{
namespace
{
constexpr std::array<std::string_view, kKinds> kKindNames = {"input_proof", "public_decrypt",
                                                             "user_decrypt"};
constexpr std::array<std::string_view, kStatuses> kStatusNames = {
    "queued",    "processing", "tx_in_flight", "receipt_received",
    "completed", "timed_out",  "failure"};
constexpr std::array<std::string_view, kTransitions> kTransitionNames = {
    "pass_readiness", "fail_readiness", "mark_tx_in_flight", "mark_receipt_received", "complete",
    "reject",         "time_out",       "fail_transaction",  "fail_internally",       "recover"};

constexpr bool noEdgeLeavesATerminalStatus()
{
    for (const Edge &edge : kEdges)
    {
        for (const Status status : kAllStatuses)
        {
            if (isTerminal(status) && edge.from.contains(status))
            {
                return false;
            }
        }
    }
    return true;
}

constexpr bool everyEdgeIsReachable()
{
    for (const Edge &edge : kEdges)
    {
        for (const Status status : kAllStatuses)
        {
            if (edge.from.contains(status) && !canBeIn(edge.kind, status))
            {
                return false;
            }
        }
    }
    return true;
}

constexpr bool noTwoRowsForOneTransition()
{
    for (std::size_t i = 0; i < kEdges.size(); ++i)
    {
        for (std::size_t j = i + 1; j < kEdges.size(); ++j)
        {
            if (kEdges[i].kind == kEdges[j].kind && kEdges[i].transition == kEdges[j].transition)
            {
                return false;
            }
        }
    }
    return true;
}

constexpr std::size_t auditedMethods()
{
    std::size_t count = 0;
    for (const Edge &edge : kEdges)
    {
        count += edge.auditMethod.empty() ? 0 : 1;
    }
    return count;
}

// An internal fault can strike anywhere, so every status that is not an end has that way out: no
// status without a deadline, no row that can be stuck for ever.
constexpr bool everyLiveStatusCanFailInternally()
{
    for (const Kind kind : kAllKinds)
    {
        for (const Status status : kAllStatuses)
        {
            const bool live = canBeIn(kind, status) && !isTerminal(status);
            if (live != next(kind, status, Transition::FailInternally).has_value())
            {
                return false;
            }
        }
    }
    return true;
}

constexpr bool aTransitionLeadsToOneStatus()
{
    for (const Edge &edge : kEdges)
    {
        if (edge.to != targetOf(edge.transition))
        {
            return false;
        }
    }
    return true;
}

static_assert(noEdgeLeavesATerminalStatus());
static_assert(aTransitionLeadsToOneStatus());
static_assert(everyEdgeIsReachable());
static_assert(noTwoRowsForOneTransition());
static_assert(everyLiveStatusCanFailInternally());
static_assert(auditedMethods() == 17, "one row for each method of the idempotency audit");
}  // namespace

std::string_view name(Kind kind)
{
    return kKindNames.at(static_cast<std::size_t>(kind));
}

std::string_view name(Status status)
{
    return kStatusNames.at(static_cast<std::size_t>(status));
}

std::string_view name(Transition transition)
{
    return kTransitionNames.at(static_cast<std::size_t>(transition));
}

std::optional<Kind> parseKind(std::string_view text)
{
    return valueNamed<Kind>(kKindNames, text);
}

std::optional<Status> parseStatus(std::string_view text)
{
    return valueNamed<Status>(kStatusNames, text);
}
}  // namespace relayer::core
