// What is asked of a node and what it answers, beside logs and receipts.
#pragma once

#include "chain/log.h"
#include "chain/uint256.h"
#include "core/address.h"
#include "core/bytes.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace relayer::chain::rpc
{
struct Call
{
    core::Address from{};  // zero: not said
    core::Address to{};
    core::Bytes input;
    std::optional<std::uint64_t> gas;
    // Goes along as an HTTP header when one request is the cause of this call; empty: none is.
    std::string traceparent = {};  // NOLINT(readability-redundant-member-init): GCC asks for it
};

struct FeeHistory
{
    std::vector<Uint256> baseFees;  // one more than blocks: the last is the next block's
    std::vector<std::vector<Uint256>> rewards;  // per block, per percentile
};

struct BlockHeader
{
    std::uint64_t number = 0;
    core::Hash32 hash{};
    std::optional<Uint256> baseFee;
};

struct LogFilter
{
    std::uint64_t fromBlock = 0;
    std::uint64_t toBlock = 0;
    std::vector<core::Address> addresses;
    std::vector<core::Hash32> anyTopic0;
};

struct Logs
{
    std::vector<Log> logs;
    std::size_t skipped = 0;  // that were no logs, or had no transaction hash
};
}  // namespace relayer::chain::rpc
