// The gateway contracts in the language of the house: what we ask them, and what they say.
#pragma once

#include "chain/log.h"
#include "core/bytes.h"
#include "core/decrypt.h"
#include "core/failure.h"
#include "core/input_proof.h"
#include "core/lifecycle.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace relayer::chain
{
// Selector and arguments of the transaction that a request becomes.
[[nodiscard]] core::Bytes calldata(const core::InputProof &proof);
[[nodiscard]] core::Bytes calldata(const core::PublicDecrypt &request);
[[nodiscard]] core::Bytes calldata(const core::UserDecrypt &request);

struct GatewayContracts
{
    core::Address decryption{};
    core::Address inputVerification{};
};

// The events that we care for. All ids are the first indexed argument.
struct RequestAccepted  // VerifyProofRequest, PublicDecryptionRequest, UserDecryptionRequest
{
    core::Kind kind;
    core::Hash32 gatewayId{};
};
struct ProofAccepted
{
    core::Hash32 gatewayId{};
    std::vector<core::Hash32> handles;
    std::vector<core::Bytes> signatures;
};
struct ProofRejected
{
    core::Hash32 gatewayId{};
};
struct PublicDecrypted
{
    core::Hash32 gatewayId{};
    core::Bytes result;
    std::vector<core::Bytes> signatures;
    core::Bytes extraData;
};
struct ShareArrived
{
    core::Hash32 gatewayId{};
    std::uint32_t index = 0;
    core::Bytes share;
    core::Bytes signature;
    core::Bytes extraData;
};
struct ThresholdReached
{
    core::Hash32 gatewayId{};
};
// Ours by address and topic, but its bytes are not what the ABI says.
struct MalformedEvent
{
    const char *why = "";
};
using GatewayEvent = std::variant<RequestAccepted, ProofAccepted, ProofRejected, PublicDecrypted,
                                  ShareArrived, ThresholdReached, MalformedEvent>;

// Nothing for logs of other contracts and for events that we do not care for.
[[nodiscard]] std::optional<GatewayEvent> decodeEvent(const Log &log,
                                                      const GatewayContracts &contracts);

// The kind and gateway id without decoding the data: enough for the inbox.
struct EventIdentity
{
    core::Kind kind;
    core::Hash32 gatewayId{};
    bool request = false;  // a request event, not an answer
};
[[nodiscard]] std::optional<EventIdentity> identify(const Log &log,
                                                    const GatewayContracts &contracts);

// The id of the request that this transaction made; the first event of the kind by one of our
// contracts counts, whichever of its two topics it has.
[[nodiscard]] std::optional<core::Hash32> requestIdIn(const std::vector<Log> &logs, core::Kind kind,
                                                      const GatewayContracts &contracts);

// The topics that a subscription or eth_getLogs asks for: answers and request events.
[[nodiscard]] const std::vector<core::Hash32> &gatewayTopics();

// What a revert means. Looks into the data first; where the node gave none, for a selector in its
// message. No selector: no revert that we know, the caller chooses. A number in a message that does
// not speak of a revert counts only when we know it: it may be an address or an amount.
struct Revert
{
    std::optional<std::uint32_t> selector;  // 0x0666cbdf: the ciphertext is not there yet
    core::FailureCode code = core::FailureCode::TransactionFailed;
    // Of Error(string) its text, printable and cut short; of Panic its number. For the log.
    std::string reason;
};
inline constexpr std::uint32_t kCiphertextMaterialNotFound = 0x0666cbdf;
[[nodiscard]] Revert decodeRevert(core::ByteView data, std::string_view message);
}  // namespace relayer::chain
