#include "sim/faults.h"

#include <algorithm>
#include <numeric>

namespace relayer::sim
{
namespace
{
constexpr std::array<std::string_view, kFaults> kFaultNames = {"crash",
                                                               "drain",
                                                               "stall",
                                                               "statement lost",
                                                               "statement's answer lost",
                                                               "statement late",
                                                               "database away",
                                                               "database's clock ahead",
                                                               "database's clock back",
                                                               "call lost",
                                                               "call's answer lost",
                                                               "call late",
                                                               "node away",
                                                               "node away for long",
                                                               "node lags",
                                                               "push lost",
                                                               "push doubled",
                                                               "push reordered",
                                                               "reorg",
                                                               "transaction dropped",
                                                               "foreign transaction",
                                                               "no funds",
                                                               "fees rise",
                                                               "gaps refused",
                                                               "estimate reverts",
                                                               "node refuses",
                                                               "reverts on chain",
                                                               "mined without event",
                                                               "never answered",
                                                               "acl refuses",
                                                               "acl fails",
                                                               "ciphertext never there",
                                                               "ciphertext check fails",
                                                               "payload broken",
                                                               "posted again",
                                                               "replaced under its name",
                                                               "failed by an operator",
                                                               "dispatched again by an operator"};
constexpr std::array<std::string_view, kMutations> kMutationNames = {"none",
                                                                     "skip a guard",
                                                                     "forget the reset",
                                                                     "send before commit",
                                                                     "commit without the lane",
                                                                     "nonce left open",
                                                                     "cursor before inbox",
                                                                     "early answer dropped",
                                                                     "new nonce in doubt",
                                                                     "reverted sent anew",
                                                                     "deadline is blind",
                                                                     "freed on its way"};
}  // namespace

std::string_view name(Fault fault)
{
    return kFaultNames.at(static_cast<std::size_t>(fault));
}

std::string_view name(Mutation mutation)
{
    return kMutationNames.at(static_cast<std::size_t>(mutation));
}

std::uint64_t Coverage::allFaults() const
{
    return std::accumulate(faults.begin(), faults.end(), std::uint64_t{0});
}

void Coverage::add(const Coverage &other)
{
    for (std::size_t kind = 0; kind < edges.size(); ++kind)
    {
        for (std::size_t transition = 0; transition < edges[kind].size(); ++transition)
        {
            ByStatus &sums = edges[kind][transition];
            const ByStatus &more = other.edges[kind][transition];
            std::ranges::transform(sums, more, sums.begin(), std::plus());
        }
    }
    std::ranges::transform(faults, other.faults, faults.begin(), std::plus());
    runs += other.runs;
    steps += other.steps;
    requests += other.requests;
    instances += other.instances;
    crossed += other.crossed;
    unheard += other.unheard;
    leastSteps = std::min(leastSteps, other.leastSteps);
    leastRequests = std::min(leastRequests, other.leastRequests);
    leastFaults = std::min(leastFaults, other.leastFaults);
}
}  // namespace relayer::sim
