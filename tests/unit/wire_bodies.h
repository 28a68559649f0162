// Good bodies of all kinds of requests, and ways to spoil one field of them.
#pragma once

#include "core/input_proof.h"
#include "wire/decrypt_requests.h"
#include "wire/input_proof_request.h"

#include <array>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace relayer::wire
{
inline constexpr std::uint64_t kTestNow = 1700001000;

enum class Route : std::uint8_t
{
    InputProof,
    PublicDecrypt,
    UserDecrypt,
    Delegated,
    Unified,
};

inline constexpr std::array kAllRoutes = {Route::InputProof, Route::PublicDecrypt,
                                          Route::UserDecrypt, Route::Delegated, Route::Unified};

inline std::string hexOf(char digit, std::size_t count)
{
    return std::string(count, digit);
}

inline std::string quotedJson(const std::string &text)
{
    return "\"" + text + "\"";
}

inline std::string repeated(const std::string &octet, int count)
{
    std::string text;
    for (int i = 0; i < count; ++i)
    {
        text += octet;
    }
    return text;
}

// On chain 11155111; all other bytes are alike.
inline std::string handleText(const std::string &octet)
{
    return "0x" + repeated(octet, 22) + "0000000000aa36a7" + repeated(octet, 2);
}

inline std::string addressText(const std::string &octet)
{
    return "0x" + repeated(octet, 20);
}

inline const std::string &goodBody(Route route)
{
    static const std::string pairs = R"("handleContractPairs":[{"handle":")" + handleText("11") +
                                     R"(","contractAddress":")" + addressText("ab") +
                                     R"("},{"handle":")" + handleText("22") +
                                     R"(","contractAddress":")" + addressText("ac") + R"("}])";
    static const std::string chainAndContracts =
        R"("contractsChainId":"11155111","contractAddresses":[")" + addressText("ab") + R"(",")" +
        addressText("ac") + R"("])";
    static const std::string end =
        R"("signature":")" + hexOf('5', 130) + R"(","publicKey":"20cafe","extraData":"0x00"})";
    static const std::array<std::string, 5> bodies = {
        R"({"contractChainId":"11155111","contractAddress":")" + addressText("ab") +
            R"(","userAddress":")" + addressText("cd") +
            R"(","ciphertextWithInputVerification":"aabbccdd","extraData":"0x00"})",
        R"({"ciphertextHandles":[")" + handleText("11") + R"(",")" + handleText("22") +
            R"("],"extraData":"0x00"})",
        "{" + pairs + R"(,"requestValidity":{"startTimestamp":"1700000000","durationDays":"10"},)" +
            chainAndContracts + R"(,"userAddress":")" + addressText("cd") + R"(",)" + end,
        "{" + pairs + "," + chainAndContracts + R"(,"delegatorAddress":")" + addressText("de") +
            R"(","delegateAddress":")" + addressText("cd") +
            R"(","startTimestamp":"1700000000","durationDays":"10",)" + end,
        R"({"attestationType":"eip712-unified-user-decrypt-v1","attestedPayload":{"version":"2.0",)"
        R"("type":"user_decryption","handles":[{"ctHandle":")" +
            handleText("11") + R"(","contractAddress":")" + addressText("ab") +
            R"(","ownerAddress":")" + addressText("cd") + R"("},{"ctHandle":")" + handleText("22") +
            R"(","contractAddress":")" + addressText("ac") + R"(","ownerAddress":")" +
            addressText("de") + R"("}],"userAddress":")" + addressText("cd") +
            R"(","allowedContracts":[")" + addressText("ab") +
            R"("],"requestValidity":{"startTimestamp":"1700000000","durationSeconds":"604800"},)"
            R"("publicKey":"0x20cafe","extraData":"0x00"},"signature":"0x)" +
            hexOf('5', 130) + R"("})"};
    return bodies.at(static_cast<std::size_t>(route));
}

// Where the value that begins at `from` ends.
inline std::size_t endOfJsonValue(const std::string &body, std::size_t from)
{
    int depth = 0;
    bool quoted = false;
    for (std::size_t at = from; at < body.size(); ++at)
    {
        const char c = body[at];
        if (c == '"')
        {
            quoted = !quoted;
        }
        else if (!quoted && (c == '{' || c == '['))
        {
            ++depth;
        }
        else if (!quoted && (c == '}' || c == ']' || c == ','))
        {
            if (depth == 0)
            {
                return at;
            }
            depth -= c == ',' ? 0 : 1;
        }
    }
    return body.size();
}

// The value of the first member with this name, wherever it is nested, becomes another: JSON.
inline std::string with(const std::string &body, const std::string &name, const std::string &value)
{
    const std::string key = "\"" + name + "\":";
    const std::size_t at = body.find(key);
    if (at == std::string::npos)
    {
        throw std::logic_error("no member " + name);
    }
    const std::size_t from = at + key.size();
    return body.substr(0, from) + value + body.substr(endOfJsonValue(body, from));
}

inline std::string without(const std::string &body, const std::string &name)
{
    const std::size_t at = body.find("\"" + name + "\":");
    if (at == std::string::npos)
    {
        throw std::logic_error("no member " + name);
    }
    const std::size_t end = endOfJsonValue(body, at);
    return body[end] == ',' ? body.substr(0, at) + body.substr(end + 1)
                            : body.substr(0, at - (body[at - 1] == ',' ? 1 : 0)) + body.substr(end);
}

// A member more, behind the first that has this name.
inline std::string withAlso(const std::string &body, const std::string &behind,
                            const std::string &member)
{
    const std::size_t end = endOfJsonValue(body, body.find("\"" + behind + "\":"));
    return body.substr(0, end) + "," + member + body.substr(end);
}

using AnyRequest = std::variant<core::InputProof, core::PublicDecrypt, core::DirectUserDecrypt,
                                core::DelegatedUserDecrypt, core::UnifiedUserDecrypt, Problem>;

inline AnyRequest readAt(Route route, std::string_view body, const RequestLimits &limits = {})
{
    const auto flattened = [](auto read) -> AnyRequest {
        if (auto *problem = std::get_if<Problem>(&read))
        {
            return std::move(*problem);
        }
        return std::get<0>(std::move(read));
    };
    const auto ofUser = [](UserDecryptRead read) -> AnyRequest {
        if (auto *problem = std::get_if<Problem>(&read))
        {
            return std::move(*problem);
        }
        return std::visit([](const auto &request) -> AnyRequest { return request; },
                          std::get<core::UserDecrypt>(std::move(read)));
    };
    switch (route)
    {
        case Route::InputProof: return flattened(readInputProof(body, limits));
        case Route::PublicDecrypt: return flattened(readPublicDecrypt(body, limits));
        case Route::UserDecrypt: return ofUser(readUserDecrypt(body, kTestNow, limits));
        case Route::Delegated: return ofUser(readDelegatedUserDecrypt(body, kTestNow, limits));
        case Route::Unified: break;
    }
    return ofUser(readUnifiedUserDecrypt(body, kTestNow, limits));
}
}  // namespace relayer::wire
