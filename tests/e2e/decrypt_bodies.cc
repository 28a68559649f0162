#include "e2e/decrypt_bodies.h"

#include <json/writer.h>

#include <array>
#include <variant>

namespace relayer::test
{
namespace
{
std::string prefixed(core::ByteView bytes)
{
    return "0x" + core::toHex(bytes);
}

Json::Value listOf(const std::vector<core::Address> &addresses)
{
    Json::Value list(Json::arrayValue);
    for (const core::Address &address : addresses)
    {
        list.append(prefixed(address));
    }
    return list;
}

Json::Value pairsOf(const std::vector<core::HandleOfContract> &handles)
{
    Json::Value list(Json::arrayValue);
    for (const core::HandleOfContract &pair : handles)
    {
        Json::Value entry;
        entry["handle"] = prefixed(pair.handle);
        entry["contractAddress"] = prefixed(pair.contract);
        list.append(entry);
    }
    return list;
}

Json::Value jsonOf(const core::DirectUserDecrypt &request)
{
    Json::Value body;
    body["handleContractPairs"] = pairsOf(request.handles);
    body["requestValidity"]["startTimestamp"] = std::to_string(request.startTimestamp);
    body["requestValidity"]["durationDays"] = std::to_string(request.durationDays);
    body["contractsChainId"] = std::to_string(request.contractsChainId);
    body["contractAddresses"] = listOf(request.contracts);
    body["userAddress"] = prefixed(request.user);
    body["signature"] = core::toHex(request.signature);
    body["publicKey"] = core::toHex(request.publicKey);
    body["extraData"] = prefixed(request.extraData);
    return body;
}

Json::Value jsonOf(const core::DelegatedUserDecrypt &request)
{
    Json::Value body;
    body["handleContractPairs"] = pairsOf(request.handles);
    body["contractsChainId"] = std::to_string(request.contractsChainId);
    body["contractAddresses"] = listOf(request.contracts);
    body["delegatorAddress"] = prefixed(request.delegator);
    body["delegateAddress"] = prefixed(request.delegate);
    body["startTimestamp"] = std::to_string(request.startTimestamp);
    body["durationDays"] = std::to_string(request.durationDays);
    body["signature"] = core::toHex(request.signature);
    body["publicKey"] = core::toHex(request.publicKey);
    body["extraData"] = prefixed(request.extraData);
    return body;
}

Json::Value jsonOf(const core::UnifiedUserDecrypt &request)
{
    Json::Value payload;
    payload["version"] = "2.0";
    payload["type"] = "user_decryption";
    for (const core::HandleOfOwner &handle : request.handles)
    {
        Json::Value entry;
        entry["ctHandle"] = prefixed(handle.handle);
        entry["contractAddress"] = prefixed(handle.contract);
        entry["ownerAddress"] = prefixed(handle.owner);
        payload["handles"].append(entry);
    }
    payload["userAddress"] = prefixed(request.user);
    payload["allowedContracts"] = listOf(request.allowedContracts);
    payload["requestValidity"]["startTimestamp"] = std::to_string(request.startTimestamp);
    payload["requestValidity"]["durationSeconds"] = std::to_string(request.durationSeconds);
    payload["publicKey"] = prefixed(request.publicKey);
    payload["extraData"] = prefixed(request.extraData);
    Json::Value body;
    body["attestationType"] = "eip712-unified-user-decrypt-v1";
    body["attestedPayload"] = payload;
    body["signature"] = prefixed(request.signature);
    return body;
}

std::string textOf(const Json::Value &body)
{
    Json::StreamWriterBuilder builder;
    builder["indentation"] = "";
    return Json::writeString(builder, body);
}
}  // namespace

std::string bodyOf(const core::PublicDecrypt &request)
{
    Json::Value body;
    for (const core::Hash32 &handle : request.handles)
    {
        body["ciphertextHandles"].append(prefixed(handle));
    }
    body["extraData"] = prefixed(request.extraData);
    return textOf(body);
}

std::string bodyOf(const core::UserDecrypt &request)
{
    return textOf(std::visit([](const auto &sort) { return jsonOf(sort); }, request));
}

std::string_view pathOf(const core::UserDecrypt &request)
{
    static constexpr std::array kPaths = {kUserDecrypt, kDelegated, kUnified};
    return kPaths.at(request.index());
}
}  // namespace relayer::test
