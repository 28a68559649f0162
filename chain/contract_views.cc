#include "chain/contract_views.h"

#include "chain/abi.h"

#include <algorithm>
#include <limits>

namespace relayer::chain
{
namespace
{
enum Selector : std::uint32_t
{
    IsPublicDecryptionReady = 0x4014c4cd,
    IsUserDecryptionReady = 0xe22d1b26,
    GetUserDecryptionThresholdForContext = 0x281e8bfe,
};
}  // namespace

core::Bytes isPublicDecryptionReady(const std::vector<core::Hash32> &handles,
                                    core::ByteView extraData)
{
    abi::TupleWriter words;
    for (const core::Hash32 &handle : handles)
    {
        words.word(handle);
    }
    return abi::TupleWriter()
        .array(handles.size(), words)
        .bytes(extraData)
        .call(IsPublicDecryptionReady);
}

core::Bytes isUserDecryptionReady(const std::vector<core::HandleOfContract> &handles,
                                  core::ByteView extraData)
{
    abi::TupleWriter pairs;
    for (const core::HandleOfContract &pair : handles)
    {
        pairs.word(pair.handle).address(pair.contract);
    }
    return abi::TupleWriter()
        .array(handles.size(), pairs)
        .bytes(extraData)
        .call(IsUserDecryptionReady);
}

core::Bytes userDecryptionThresholdFor(const core::Hash32 &contextId)
{
    return abi::TupleWriter().word(contextId).call(GetUserDecryptionThresholdForContext);
}

std::optional<bool> boolAnswer(core::ByteView answer)
{
    abi::Input input(answer);
    const bool said = input.tuple().boolean();
    return input.good() ? std::optional(said) : std::nullopt;
}

std::optional<std::uint32_t> uint32Answer(core::ByteView answer)
{
    abi::Input input(answer);
    const std::uint64_t number =
        input.tuple().numberUpTo(std::numeric_limits<std::uint32_t>::max());
    return input.good() ? std::optional(static_cast<std::uint32_t>(number)) : std::nullopt;
}

std::optional<core::Hash32> contextIn(core::ByteView extraData)
{
    constexpr std::size_t kContext = 1 + 32;
    constexpr std::size_t kContextAndEpoch = 1 + 32 + 32;
    core::Hash32 context{};
    if (extraData.empty() || extraData.front() == 0)
    {
        return context;
    }
    const bool known = (extraData.front() == 1 && extraData.size() >= kContext) ||
                       (extraData.front() == 2 && extraData.size() >= kContextAndEpoch);
    if (!known)
    {
        return std::nullopt;
    }
    const core::ByteView id = extraData.subspan(1, context.size());
    std::copy(id.begin(), id.end(), context.begin());
    return context;
}
}  // namespace relayer::chain
