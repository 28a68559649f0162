#include "core/host_chain.h"

#include "core/handle.h"

#include <variant>
#include <vector>

namespace relayer::core
{
namespace
{
std::uint64_t chainOf(const Hash32 &handle)
{
    return hostChainOf(handle);
}

std::uint64_t chainOf(const HandleOfContract &pair)
{
    return hostChainOf(pair.handle);
}

std::uint64_t chainOf(const HandleOfOwner &entry)
{
    return hostChainOf(entry.handle);
}

template <typename Entry>
std::optional<std::uint64_t> firstUnsupported(const std::vector<Entry> &entries,
                                              const ChainIds &supported)
{
    for (const Entry &entry : entries)
    {
        const std::uint64_t chain = chainOf(entry);
        if (!supported.contains(chain))
        {
            return chain;
        }
    }
    return std::nullopt;
}
}  // namespace

std::optional<std::uint64_t> firstUnsupportedChain(const PublicDecrypt &request,
                                                   const ChainIds &supported)
{
    return firstUnsupported(request.handles, supported);
}

std::optional<std::uint64_t> firstUnsupportedChain(const UserDecrypt &request,
                                                   const ChainIds &supported)
{
    return std::visit(
        [&supported](const auto &sort) { return firstUnsupported(sort.handles, supported); },
        request);
}
}  // namespace relayer::core
