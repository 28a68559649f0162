#include "e2e/example_requests.h"

#include "core/bytes.h"
#include "e2e/requests.h"
#include "support/json_text.h"
#include "support/wallet.h"
#include "wire/decrypt_requests.h"

#include <chrono>

namespace relayer::test
{
namespace
{
constexpr const char *kDecryption = "0xdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdc";

std::uint64_t nowSeconds()
{
    return static_cast<std::uint64_t>(
        std::chrono::system_clock::to_time_t(std::chrono::system_clock::now()));
}

// The user of the examples is the second account of every development chain; its key is public.
const Wallet &userOfTheExamples()
{
    static const Wallet wallet([] {
        const auto bytes =
            core::fromHex("59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d")
                .value();
        core::Hash32 key{};
        std::copy(bytes.begin(), bytes.end(), key.begin());
        return key;
    }());
    return wallet;
}
}  // namespace

ServerOptions likeInTheExamples(const std::string &database)
{
    ServerOptions options = onDatabase(database);
    options.environment["RELAYER_GATEWAY__CONTRACTS__DECRYPTION"] = kDecryption;
    // Nobody answers there: nothing in these tests asks a host chain.
    options.environment["RELAYER_HOST_CHAINS__0__CHAIN_ID"] = "11155111";
    options.environment["RELAYER_HOST_CHAINS__0__URL"] = "http://127.0.0.1:9";
    options.environment["RELAYER_HOST_CHAINS__0__ACL_ADDRESS"] = kDecryption;
    return options;
}

Json::Value signedByItsUser(Json::Value example)
{
    if (example.isMember("attestedPayload"))
    {
        const auto read = wire::readUnifiedUserDecrypt(jsonText(example), nowSeconds());
        core::Address contract{};
        contract.fill(0xDC);
        const auto request =
            userOfTheExamples().signedFor(std::get<core::UserDecrypt>(read), contract);
        example["signature"] =
            "0x" + core::toHex(std::get<core::UnifiedUserDecrypt>(request).signature);
    }
    return example;
}

Json::Value variantOf(Json::Value body, unsigned number)
{
    const std::string digits = core::toHex(
        core::Bytes{static_cast<std::uint8_t>(number >> 8U), static_cast<std::uint8_t>(number)});
    const auto vary = [&digits](Json::Value &text) {
        text = text.asString().substr(0, 2) + digits + text.asString().substr(6);
    };
    if (body.isMember("ciphertextWithInputVerification"))
    {
        body["ciphertextWithInputVerification"] = "aa" + digits;
    }
    else if (body.isMember("ciphertextHandles"))
    {
        vary(body["ciphertextHandles"][0]);
    }
    else if (body.isMember("handleContractPairs"))
    {
        vary(body["handleContractPairs"][0]["handle"]);
    }
    else
    {
        vary(body["attestedPayload"]["handles"][0]["ctHandle"]);
    }
    return body;
}

std::vector<std::string> examplesOf(const ApiDocument &document)
{
    std::vector<std::string> examples;
    for (const Operation &each : document.operations())
    {
        const Json::Value &answers = (*each.about)["responses"];
        for (const std::string &status : answers.getMemberNames())
        {
            for (const Json::Value &content : answers[status]["content"])
            {
                for (const std::string &name : content["examples"].getMemberNames())
                {
                    if ((*each.about)["tags"][0] != "Service")
                    {
                        examples.push_back(each.id() + " " + status + " " + name);
                    }
                }
            }
        }
    }
    return examples;
}
}  // namespace relayer::test
