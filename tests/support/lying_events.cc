#include "support/lying_events.h"

#include "chain/abi.h"
#include "core/bytes.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <stdexcept>

namespace relayer::test
{
namespace
{
using chain::abi::TupleWriter;
using core::Kind;

core::Hash32 topic(const char *digits)
{
    const auto bytes = core::fromHex(digits);
    core::Hash32 hash{};
    std::ranges::copy(*bytes, hash.begin());
    return hash;
}

chain::Log logOf(const core::Address &address, const char *event, const core::Hash32 &id,
                 core::Bytes data)
{
    chain::Log log;
    log.address = address;
    log.topics = {topic(event), id};
    log.data = std::move(data);
    return log;
}

TupleWriter bytesFields(std::size_t count, std::uint8_t filler)
{
    TupleWriter fields;
    for (std::size_t i = 0; i < count; ++i)
    {
        fields.bytes(core::Bytes(65, static_cast<std::uint8_t>(filler + i)));
    }
    return fields;
}

chain::Log feeTransfer()
{
    chain::Log log;
    log.address.fill(0xfe);
    log.topics = {topic("ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef")};
    log.data = core::Bytes(32, 0);
    return log;
}

constexpr const char *kProofRequest =
    "4ae54f6a6e900d806ffa5bb46ed91459523d2f6ac9b5d62404feab887686d005";
constexpr const char *kPublicWithMaterial =
    "22db480a39bd72556438aadb4a32a3d2a6638b87c03bbec5fef6997e109587ff";
constexpr const char *kPublicShort =
    "9bb088a53f1fe13ec84fa0a1d7b578b589e193268baaccc5e23f7ab785aa3dae";
constexpr const char *kUserWithMaterial =
    "f9011bd6ba0da6049c520d70fe5971f17ed7ab795486052544b51019896c596b";
constexpr const char *kUserShort =
    "c71e32c80f3109c673a9adfcded0b3b2093212ab284084a0e03a281dee2bdd5f";
constexpr const char *kUnifiedWithMaterial =
    "1f80a47b51979837976f999a7735fdccbbe570e0d40081644ec88f8ed76c9612";
constexpr const char *kUnifiedShort =
    "8ed4fab8b1d050676cd7d7d9fa448d5d22113375fab8ad4dc690e54593c527bf";

constexpr std::uint32_t kVerifyProof = 0xa7004996;
constexpr std::uint32_t kPublicDecrypt = 0xd8998f45;
constexpr std::uint32_t kUserDirect = 0xf1b57adb;
constexpr std::uint32_t kUserDelegated = 0x9fad5a2f;
constexpr std::uint32_t kUserUnified = 0xb4de2c37;

std::uint32_t selectorOf(core::ByteView calldata)
{
    std::uint32_t selector = 0;
    for (std::size_t i = 0; i < 4 && calldata.size() >= 4; ++i)
    {
        selector = (selector << 8U) | calldata[i];
    }
    return selector;
}
}  // namespace

std::optional<core::Kind> requestKind(core::ByteView calldata, const core::Address &to,
                                      const chain::GatewayContracts &contracts)
{
    const std::uint32_t selector = selectorOf(calldata);
    if (to == contracts.inputVerification && selector == kVerifyProof)
    {
        return Kind::InputProof;
    }
    if (to == contracts.decryption && selector == kPublicDecrypt)
    {
        return Kind::PublicDecrypt;
    }
    const bool user =
        selector == kUserDirect || selector == kUserDelegated || selector == kUserUnified;
    return to == contracts.decryption && user ? std::optional(Kind::UserDecrypt) : std::nullopt;
}

core::Hash32 takeGatewayId(core::Kind kind, GatewayCounters &counters)
{
    std::uint64_t &counter = kind == Kind::InputProof      ? counters.proofs
                             : kind == Kind::PublicDecrypt ? counters.publicDecrypts
                                                           : counters.userDecrypts;
    core::Hash32 id = chain::bigEndian(chain::Uint256(counter++));
    id[0] = kind == Kind::InputProof ? 0 : kind == Kind::PublicDecrypt ? 1 : 2;
    return id;
}

std::vector<chain::Log> requestLogs(core::Kind kind, core::ByteView calldata,
                                    const core::Hash32 &gatewayId,
                                    const chain::GatewayContracts &contracts)
{
    const core::Bytes data = TupleWriter().array(0, {}).bytes({}).finish();
    if (kind == Kind::InputProof)
    {
        chain::Log request = logOf(contracts.inputVerification, kProofRequest, gatewayId, data);
        request.topics.emplace_back();
        return {feeTransfer(), std::move(request)};
    }
    const bool unified = selectorOf(calldata) == kUserUnified;
    const char *material = kind == Kind::PublicDecrypt ? kPublicWithMaterial
                           : unified                   ? kUnifiedWithMaterial
                                                       : kUserWithMaterial;
    const char *brief = kind == Kind::PublicDecrypt ? kPublicShort
                        : unified                   ? kUnifiedShort
                                                    : kUserShort;
    return {feeTransfer(), logOf(contracts.decryption, material, gatewayId, data),
            logOf(contracts.decryption, brief, gatewayId, data)};
}

chain::Log proofAcceptedLog(const core::Hash32 &gatewayId, const chain::GatewayContracts &contracts)
{
    core::Hash32 handle{};
    handle.fill(0x4a);
    return logOf(
        contracts.inputVerification,
        "fe2c43585786a5a658d2ec5df5dea3fb3385b77c94f60f724ff810896f419835", gatewayId,
        TupleWriter().array(1, TupleWriter().word(handle)).array(2, bytesFields(2, 0x51)).finish());
}

chain::Log proofRejectedLog(const core::Hash32 &gatewayId, const chain::GatewayContracts &contracts)
{
    return logOf(contracts.inputVerification,
                 "e465e141fa8abd95ab7e0855543307f8506ab0170ef664420fb71ab7de0183de", gatewayId, {});
}

chain::Log publicDecryptedLog(const core::Hash32 &gatewayId,
                              const chain::GatewayContracts &contracts)
{
    return logOf(contracts.decryption,
                 "d7e58a367a0a6c298e76ad5d240004e327aa1423cbe4bd7ff85d4c715ef8d15f", gatewayId,
                 TupleWriter()
                     .bytes(core::Bytes(32, 0x2a))
                     .array(2, bytesFields(2, 0x61))
                     .bytes(core::Bytes{0})
                     .finish());
}

chain::Log shareLog(const core::Hash32 &gatewayId, std::uint64_t index,
                    const chain::GatewayContracts &contracts)
{
    return logOf(contracts.decryption,
                 "7fcdfb5381917f554a717d0a5470a33f5a49ba6445f05ec43c74c0bc2cc608b2", gatewayId,
                 TupleWriter()
                     .number(index)
                     .bytes(core::Bytes(48, static_cast<std::uint8_t>(index)))
                     .bytes(core::Bytes(65, 0x71))
                     .bytes(core::Bytes{0})
                     .finish());
}

chain::Log thresholdReachedLog(const core::Hash32 &gatewayId,
                               const chain::GatewayContracts &contracts)
{
    return logOf(contracts.decryption,
                 "e89752be0ecdb68b2a6eb5ef1a891039e0e92ae3c8a62274c5881e48eea1ed25", gatewayId, {});
}

std::string hexData(core::ByteView bytes)
{
    return "0x" + core::toHex(bytes);
}

std::string hexQuantity(std::uint64_t number)
{
    std::array<char, 24> text{};
    std::snprintf(text.data(), text.size(), "0x%llx", static_cast<unsigned long long>(number));
    return text.data();
}

std::string quoted(const std::string &text)
{
    return "\"" + text + "\"";
}

Json::Value logJson(const chain::Log &log)
{
    Json::Value json;
    json["address"] = hexData(log.address);
    json["topics"] = Json::Value(Json::arrayValue);
    for (const core::Hash32 &one : log.topics)
    {
        json["topics"].append(hexData(one));
    }
    json["data"] = hexData(log.data);
    json["blockNumber"] = hexQuantity(log.blockNumber);
    json["blockHash"] = hexData(log.blockHash);
    json["logIndex"] = hexQuantity(log.logIndex);
    json["transactionIndex"] = "0x0";
    json["removed"] = log.removed;
    if (log.txHash)
    {
        json["transactionHash"] = hexData(*log.txHash);
    }
    return json;
}
}  // namespace relayer::test
