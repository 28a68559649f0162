#include "controllers/host_chains.h"

#include "core/host_chain.h"

namespace relayer::controllers
{
namespace
{
// Nothing: no chain is configured, and none is refused.
std::optional<core::ChainIds> supportedChains()
{
    return std::nullopt;
}

template <typename Request>
std::optional<wire::Problem> problemOf(const Request &decrypt)
{
    const auto supported = supportedChains();
    const auto chain = supported ? core::firstUnsupportedChain(decrypt, *supported) : std::nullopt;
    return chain ? std::optional(wire::unsupportedHostChain(*chain)) : std::nullopt;
}
}  // namespace

std::optional<wire::Problem> chainProblem(const core::PublicDecrypt &decrypt)
{
    return problemOf(decrypt);
}

std::optional<wire::Problem> chainProblem(const core::UserDecrypt &decrypt)
{
    return problemOf(decrypt);
}
}  // namespace relayer::controllers
