// What goes to a node, as text. Written by hand: calldata has up to megabytes, and a JSON document
// of it would be made only to be written out again.
#pragma once

#include "chain/rpc/types.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace relayer::chain::rpc
{
// `params` is a JSON array. The id is what the answer has to carry.
[[nodiscard]] std::string requestBody(std::uint64_t id, std::string_view method,
                                      std::string_view params);
// The ids count from 0, in the order of the parameters.
[[nodiscard]] std::string batchBody(std::string_view method,
                                    const std::vector<std::string> &params);

// JSON strings, quoted. The names of blocks come from our own code and are not escaped.
[[nodiscard]] std::string jsonData(core::ByteView bytes);
[[nodiscard]] std::string jsonQuantity(std::uint64_t number);

[[nodiscard]] std::string dataParam(core::ByteView bytes);  // ["0x..."]
[[nodiscard]] std::string dataAndBlockParams(core::ByteView bytes, std::string_view block);
// Both `input` and `data` carry the calldata: nodes differ in which of them they know.
[[nodiscard]] std::string callParams(const Call &call, std::string_view block);
[[nodiscard]] std::string blockParams(std::string_view block);
[[nodiscard]] std::string blockParams(std::uint64_t number);
[[nodiscard]] std::string feeHistoryParams(std::uint64_t blocks, double percentile);
[[nodiscard]] std::string logFilterParams(const LogFilter &filter);
[[nodiscard]] std::string subscribeParams(std::span<const core::Address> addresses,
                                          std::span<const core::Hash32> anyTopic0);
}  // namespace relayer::chain::rpc
