// What a node says of a block's logs and of a transaction's receipt, decoded.
#pragma once

#include "core/address.h"
#include "core/bytes.h"
#include "core/content_hash.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace relayer::chain
{
struct Log
{
    core::Address address{};
    std::vector<core::Hash32> topics;  // up to four
    core::Bytes data;
    std::uint64_t blockNumber = 0;
    core::Hash32 blockHash{};
    std::uint32_t logIndex = 0;
    std::optional<core::Hash32> txHash;  // some nodes leave it out
    bool removed = false;

    bool operator==(const Log &) const = default;
};

struct Receipt
{
    bool succeeded = true;  // status; a node that leaves it out means yes
    core::Hash32 txHash{};
    std::uint64_t blockNumber = 0;
    core::Hash32 blockHash{};
    std::vector<Log> logs;

    bool operator==(const Receipt &) const = default;
};
}  // namespace relayer::chain
