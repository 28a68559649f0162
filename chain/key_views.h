// Where the keys of the day are: questions to KMSGeneration and ProtocolConfig on the host chain,
// and the event that names the storage of the KMS nodes. All decoding is total: bytes that are not
// what the ABI says are nothing.
#pragma once

#include "chain/log.h"
#include "core/bytes.h"
#include "core/content_hash.h"

#include <cstdint>
#include <optional>
#include <string>

namespace relayer::chain
{
// KMSGeneration. The first two are answered by one word.
[[nodiscard]] core::Bytes activeKeyId();
[[nodiscard]] core::Bytes activeCrsId();
// What is there of a key or CRS. Reverts when it is not there, which is all that is asked.
[[nodiscard]] core::Bytes keyMaterials(const core::Hash32 &keyId);
[[nodiscard]] core::Bytes crsMaterials(const core::Hash32 &crsId);

// ProtocolConfig.
[[nodiscard]] core::Bytes currentKmsContextAndEpoch();
[[nodiscard]] core::Bytes kmsContextAnchor(const core::Hash32 &contextId);

[[nodiscard]] std::optional<core::Hash32> wordAnswer(core::ByteView answer);

struct ContextAndEpoch
{
    core::Hash32 context{};
    core::Hash32 epoch{};
};
[[nodiscard]] std::optional<ContextAndEpoch> contextAndEpochAnswer(core::ByteView answer);

// The block in which the context was announced. Zero, which no context has, is nothing.
[[nodiscard]] std::optional<std::uint64_t> anchorBlockAnswer(core::ByteView answer);

// NewKmsContext; the context is its first indexed argument.
[[nodiscard]] const core::Hash32 &newKmsContextTopic();

struct NodeStorage
{
    std::string url;
    std::string prefix;
};
// Of the first node that the event names. Nothing when it names none.
[[nodiscard]] std::optional<NodeStorage> storageOfFirstNode(const Log &newKmsContext);
}  // namespace relayer::chain
