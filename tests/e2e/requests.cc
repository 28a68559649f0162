#include "e2e/requests.h"

#include <cstdio>

namespace relayer::test
{
namespace
{
std::string ciphertextOf(std::uint64_t number)
{
    core::Bytes bytes(200, 0xC7);
    for (unsigned i = 0; i < 8; ++i)
    {
        bytes[i] = static_cast<std::uint8_t>(number >> (8 * i));
    }
    return core::toHex(bytes);
}
}  // namespace

std::string ProofBody::text() const
{
    return R"({"contractChainId":)" + chainId + R"(,"contractAddress":")" + contract +
           R"(","userAddress":")" + user + R"(","ciphertextWithInputVerification":")" + ciphertext +
           R"(","extraData":")" + extraData + R"("})";
}

ProofBody proofBody(std::uint64_t number)
{
    ProofBody body;
    body.ciphertext = ciphertextOf(number);
    return body;
}

core::InputProof proofOf(std::uint64_t number)
{
    core::InputProof proof;
    proof.contractChainId = 654321;
    proof.contractAddress.fill(0x11);
    proof.userAddress.fill(0x22);
    proof.ciphertextWithProof = core::fromHex(ciphertextOf(number)).value();
    proof.extraData = {0x00};
    return proof;
}

namespace
{
constexpr const char *kLeast = "RELAYER_HTTP__RETRY_AFTER__MIN_SECONDS";
constexpr const char *kMost = "RELAYER_HTTP__RETRY_AFTER__MAX_SECONDS";
}  // namespace

ServerOptions onDatabase(const std::string &url, const std::string &instance,
                         const std::string &logLevel)
{
    ServerOptions options;
    options.environment = {{"RELAYER_DATABASE__URL", url},
                           {"RELAYER_INSTANCE__NAME", instance},
                           {"RELAYER_LOG__LEVEL", logLevel},
                           {kLeast, "7"},
                           {kMost, "7"}};
    return options;
}

ServerOptions withEstimates(ServerOptions options)
{
    options.environment.erase(kLeast);
    options.environment.erase(kMost);
    return options;
}

std::string labelOf(const HttpReply &reply)
{
    const Json::Value body = reply.json();
    return body.isObject() ? body["error"]["label"].asString() : "";
}
}  // namespace relayer::test
