// What the gateway's contracts say in their logs.
#include "chain/abi.h"
#include "chain/gateway.h"

#include <algorithm>
#include <array>
#include <limits>

namespace relayer::chain
{
namespace
{
using core::Kind;

enum class Event : std::uint8_t
{
    Request,
    ProofAccepted,
    ProofRejected,
    PublicDecrypted,
    ShareArrived,
    ThresholdReached,
};

constexpr core::Hash32 hash(std::string_view digits)
{
    const auto value = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
    core::Hash32 out{};
    for (std::size_t i = 0; i < out.size(); ++i)
    {
        out[i] = static_cast<std::uint8_t>(value(digits[2 * i]) * 16 + value(digits[2 * i + 1]));
    }
    return out;
}

struct Known
{
    core::Hash32 topic;
    Event event;
    Kind kind;
};

// A decryption request is said twice, with and without the ciphertexts' material; a contract to
// come drops the first. The id is the same, and either will do.
constexpr std::array<Known, 12> kKnown = {{
    {hash("4ae54f6a6e900d806ffa5bb46ed91459523d2f6ac9b5d62404feab887686d005"), Event::Request,
     Kind::InputProof},
    {hash("22db480a39bd72556438aadb4a32a3d2a6638b87c03bbec5fef6997e109587ff"), Event::Request,
     Kind::PublicDecrypt},
    {hash("9bb088a53f1fe13ec84fa0a1d7b578b589e193268baaccc5e23f7ab785aa3dae"), Event::Request,
     Kind::PublicDecrypt},
    {hash("f9011bd6ba0da6049c520d70fe5971f17ed7ab795486052544b51019896c596b"), Event::Request,
     Kind::UserDecrypt},
    {hash("c71e32c80f3109c673a9adfcded0b3b2093212ab284084a0e03a281dee2bdd5f"), Event::Request,
     Kind::UserDecrypt},
    {hash("1f80a47b51979837976f999a7735fdccbbe570e0d40081644ec88f8ed76c9612"), Event::Request,
     Kind::UserDecrypt},
    {hash("8ed4fab8b1d050676cd7d7d9fa448d5d22113375fab8ad4dc690e54593c527bf"), Event::Request,
     Kind::UserDecrypt},
    {hash("fe2c43585786a5a658d2ec5df5dea3fb3385b77c94f60f724ff810896f419835"), Event::ProofAccepted,
     Kind::InputProof},
    {hash("e465e141fa8abd95ab7e0855543307f8506ab0170ef664420fb71ab7de0183de"), Event::ProofRejected,
     Kind::InputProof},
    {hash("d7e58a367a0a6c298e76ad5d240004e327aa1423cbe4bd7ff85d4c715ef8d15f"),
     Event::PublicDecrypted, Kind::PublicDecrypt},
    {hash("7fcdfb5381917f554a717d0a5470a33f5a49ba6445f05ec43c74c0bc2cc608b2"), Event::ShareArrived,
     Kind::UserDecrypt},
    {hash("e89752be0ecdb68b2a6eb5ef1a891039e0e92ae3c8a62274c5881e48eea1ed25"),
     Event::ThresholdReached, Kind::UserDecrypt},
}};

const core::Address &contractOf(Kind kind, const GatewayContracts &contracts)
{
    return kind == Kind::InputProof ? contracts.inputVerification : contracts.decryption;
}

// Nothing when it is not ours.
const Known *knownEvent(const Log &log, const GatewayContracts &contracts)
{
    if (log.topics.empty())
    {
        return nullptr;
    }
    const auto *const found =
        std::find_if(kKnown.begin(), kKnown.end(),
                     [&log](const Known &known) { return known.topic == log.topics.front(); });
    if (found == kKnown.end() || log.address != contractOf(found->kind, contracts))
    {
        return nullptr;
    }
    return found;
}

GatewayEvent decodeProofAccepted(const core::Hash32 &id, abi::Input input)
{
    abi::TupleReader reader = input.tuple();
    ProofAccepted event;
    event.gatewayId = id;
    event.handles = abi::wordArray(reader);
    event.signatures = abi::bytesArray(reader);
    return input.good()
               ? GatewayEvent(std::move(event))
               : MalformedEvent{"VerifyProofResponse: its data is not (bytes32[],bytes[])"};
}

GatewayEvent decodePublicDecrypted(const core::Hash32 &id, abi::Input input)
{
    abi::TupleReader reader = input.tuple();
    PublicDecrypted event;
    event.gatewayId = id;
    event.result = reader.bytes();
    event.signatures = abi::bytesArray(reader);
    event.extraData = reader.bytes();
    return input.good()
               ? GatewayEvent(std::move(event))
               : MalformedEvent{"PublicDecryptionResponse: its data is not (bytes,bytes[],bytes)"};
}

GatewayEvent decodeShare(const core::Hash32 &id, abi::Input input)
{
    abi::TupleReader reader = input.tuple();
    ShareArrived event;
    event.gatewayId = id;
    // The index is stored as a signed number of 32 bits.
    event.index =
        static_cast<std::uint32_t>(reader.numberUpTo(std::numeric_limits<std::int32_t>::max()));
    event.share = reader.bytes();
    event.signature = reader.bytes();
    event.extraData = reader.bytes();
    return input.good() ? GatewayEvent(std::move(event))
                        : MalformedEvent{
                              "UserDecryptionResponse: its data is not "
                              "(uint256,bytes,bytes,bytes), or the index is too large"};
}
}  // namespace

std::optional<GatewayEvent> decodeEvent(const Log &log, const GatewayContracts &contracts)
{
    const Known *const known = knownEvent(log, contracts);
    if (known == nullptr)
    {
        return std::nullopt;
    }
    if (log.topics.size() < 2)
    {
        return MalformedEvent{"the id is missing"};
    }
    const core::Hash32 &id = log.topics[1];
    switch (known->event)
    {
        case Event::Request: return RequestAccepted{known->kind, id};
        case Event::ProofAccepted: return decodeProofAccepted(id, abi::Input(log.data));
        case Event::ProofRejected: return ProofRejected{id};
        case Event::PublicDecrypted: return decodePublicDecrypted(id, abi::Input(log.data));
        case Event::ShareArrived: return decodeShare(id, abi::Input(log.data));
        case Event::ThresholdReached: return ThresholdReached{id};
    }
    return std::nullopt;
}

std::optional<EventIdentity> identify(const Log &log, const GatewayContracts &contracts)
{
    const Known *const known = knownEvent(log, contracts);
    if (known == nullptr || log.topics.size() < 2)
    {
        return std::nullopt;
    }
    return EventIdentity{known->kind, log.topics[1], known->event == Event::Request};
}

std::optional<core::Hash32> requestIdIn(const std::vector<Log> &logs, core::Kind kind,
                                        const GatewayContracts &contracts)
{
    for (const Log &log : logs)
    {
        const auto identity = identify(log, contracts);
        if (identity && identity->request && identity->kind == kind)
        {
            return identity->gatewayId;
        }
    }
    return std::nullopt;
}

const std::vector<core::Hash32> &gatewayTopics()
{
    static const std::vector<core::Hash32> topics = [] {
        std::vector<core::Hash32> all;
        all.reserve(kKnown.size());
        for (const Known &known : kKnown)
        {
            all.push_back(known.topic);
        }
        return all;
    }();
    return topics;
}
}  // namespace relayer::chain
