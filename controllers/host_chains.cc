#include "controllers/host_chains.h"

#include "controllers/plugin_for.h"
#include "core/host_chain.h"
#include "plugins/host_chains.h"

namespace relayer::controllers
{
namespace
{
template <typename Request>
std::optional<wire::Problem> problemOf(const Request &decrypt)
{
    const auto chain = core::firstUnsupportedChain(decrypt, pluginFor<plugins::HostChains>().ids());
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
