// The gateway contracts as far as a chain in memory needs them: which request a transaction makes,
// what is logged for it, and for its answers. Topics and selectors are written out here once more,
// so that a mistake in chain/ does not hide itself.
#pragma once

#include "chain/gateway.h"
#include "chain/log.h"
#include "core/lifecycle.h"

#include <json/value.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace relayer::test
{
// The next id of each counter. User decryptions of all variants share one.
struct GatewayCounters
{
    std::uint64_t proofs = 1;
    std::uint64_t publicDecrypts = 1;
    std::uint64_t userDecrypts = 1;
};

// Nothing: it is no request to one of these contracts.
[[nodiscard]] std::optional<core::Kind> requestKind(core::ByteView calldata,
                                                    const core::Address &to,
                                                    const chain::GatewayContracts &contracts);
// Takes an id from its counter: plain for proofs, with 1 or 2 in the top byte for decryptions.
[[nodiscard]] core::Hash32 takeGatewayId(core::Kind kind, GatewayCounters &counters);

// Address, topics and data; the place on the chain is the caller's to fill in. A fee transfer comes
// first, and a decryption is said twice: with and without its material.
[[nodiscard]] std::vector<chain::Log> requestLogs(core::Kind kind, core::ByteView calldata,
                                                  const core::Hash32 &gatewayId,
                                                  const chain::GatewayContracts &contracts);

[[nodiscard]] chain::Log proofAcceptedLog(const core::Hash32 &gatewayId,
                                          const chain::GatewayContracts &contracts);
[[nodiscard]] chain::Log proofRejectedLog(const core::Hash32 &gatewayId,
                                          const chain::GatewayContracts &contracts);
[[nodiscard]] chain::Log publicDecryptedLog(const core::Hash32 &gatewayId,
                                            const chain::GatewayContracts &contracts);
[[nodiscard]] chain::Log shareLog(const core::Hash32 &gatewayId, std::uint64_t index,
                                  const chain::GatewayContracts &contracts);
[[nodiscard]] chain::Log thresholdReachedLog(const core::Hash32 &gatewayId,
                                             const chain::GatewayContracts &contracts);

[[nodiscard]] Json::Value logJson(const chain::Log &log);
[[nodiscard]] std::string hexData(core::ByteView bytes);
[[nodiscard]] std::string hexQuantity(std::uint64_t number);
// Quoted, as a JSON text.
[[nodiscard]] std::string quoted(const std::string &text);
}  // namespace relayer::test
