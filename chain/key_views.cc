#include "chain/key_views.h"

#include "chain/abi.h"
#include "chain/keccak.h"

#include <cstddef>
#include <limits>
#include <string_view>

namespace relayer::chain
{
namespace
{
enum Selector : std::uint32_t
{
    GetActiveKeyId = 0xd52f10eb,
    GetActiveCrsId = 0xbaff211e,
    GetKeyMaterials = 0x936608ae,
    GetCrsMaterials = 0xc55b8724,
    GetCurrentKmsContextAndEpoch = 0x65b394af,
    GetKmsContextAnchor = 0xc999a8b4,
};

std::string textOf(const core::Bytes &bytes)
{
    return {bytes.begin(), bytes.end()};
}
}  // namespace

core::Bytes activeKeyId()
{
    return abi::TupleWriter().call(GetActiveKeyId);
}

core::Bytes activeCrsId()
{
    return abi::TupleWriter().call(GetActiveCrsId);
}

core::Bytes keyMaterials(const core::Hash32 &keyId)
{
    return abi::TupleWriter().word(keyId).call(GetKeyMaterials);
}

core::Bytes crsMaterials(const core::Hash32 &crsId)
{
    return abi::TupleWriter().word(crsId).call(GetCrsMaterials);
}

core::Bytes currentKmsContextAndEpoch()
{
    return abi::TupleWriter().call(GetCurrentKmsContextAndEpoch);
}

core::Bytes kmsContextAnchor(const core::Hash32 &contextId)
{
    return abi::TupleWriter().word(contextId).call(GetKmsContextAnchor);
}

std::optional<core::Hash32> wordAnswer(core::ByteView answer)
{
    abi::Input input(answer);
    const core::Hash32 word = input.tuple().word();
    return input.good() ? std::optional(word) : std::nullopt;
}

std::optional<ContextAndEpoch> contextAndEpochAnswer(core::ByteView answer)
{
    abi::Input input(answer);
    abi::TupleReader words = input.tuple();
    ContextAndEpoch both;
    both.context = words.word();
    both.epoch = words.word();
    return input.good() ? std::optional(both) : std::nullopt;
}

std::optional<std::uint64_t> anchorBlockAnswer(core::ByteView answer)
{
    abi::Input input(answer);
    abi::TupleReader words = input.tuple();
    const std::uint64_t block = words.numberUpTo(std::numeric_limits<std::uint64_t>::max());
    const core::Hash32 infoHash = words.word();
    static_cast<void>(infoHash);
    return input.good() && block != 0 ? std::optional(block) : std::nullopt;
}

const core::Hash32 &newKmsContextTopic()
{
    static constexpr std::string_view kEvent =
        "NewKmsContext(uint256,uint256,"
        "(address,address,string,string,int32,string,bytes,string)[],"
        "(uint256,uint256,uint256,uint256),string,(bytes,bytes,bytes)[])";
    static const core::Hash32 topic = keccak256(core::Bytes(kEvent.begin(), kEvent.end()));
    return topic;
}

std::optional<NodeStorage> storageOfFirstNode(const Log &newKmsContext)
{
    abi::Input input(newKmsContext.data);
    abi::TupleReader event = input.tuple();
    std::size_t count = 0;
    abi::TupleReader nodes = event.array(1, count);
    if (count == 0)
    {
        return std::nullopt;
    }
    abi::TupleReader node = nodes.tuple();
    static_cast<void>(node.address());
    static_cast<void>(node.address());
    static_cast<void>(node.bytes());  // ip address
    NodeStorage storage;
    storage.url = textOf(node.bytes());
    static_cast<void>(node.word());   // party
    static_cast<void>(node.bytes());  // mpc identity
    static_cast<void>(node.bytes());  // certificate
    storage.prefix = textOf(node.bytes());
    return input.good() ? std::optional(std::move(storage)) : std::nullopt;
}
}  // namespace relayer::chain
