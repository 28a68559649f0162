// Validators who want to join (helper-admin-ui.md §3): what they sign, and who they are.
#include "chain/cosmos_key.h"
#include "core/base64.h"
#include "core/bech32.h"
#include "core/content_hash.h"
#include "plugins/validator_joins.h"
#include "support/joining_validator.h"

#include <gtest/gtest.h>

namespace relayer::test
{
namespace
{
using plugins::joinProblem;

constexpr std::int64_t kNow = 1'800'000'000;

wire::JoinRequest read(const std::string &body)
{
    return std::get<wire::JoinRequest>(wire::readJoinRequest(body));
}

std::string problemOf(const std::string &body)
{
    const auto result = wire::readJoinRequest(body);
    const auto *problem = std::get_if<wire::JoinProblem>(&result);
    return problem != nullptr ? std::to_string(problem->status) + " " + problem->text : "none";
}

TEST(Bech32, WritesWhatBip173Does)
{
    // The witness program of the standard's first example, without its version.
    EXPECT_EQ(core::toBech32("a", {}), "a12uel5l");
    const auto hash = core::fromHex("751e76e8199196d454941c45d1b3a323f1433bd6").value();
    EXPECT_EQ(core::toBech32("cosmos", hash), "cosmos1w508d6qejxtdg4y5r3zarvary0c5xw7k6ah60c");
}

TEST(ValidatorJoin, Row_3_2_TheKeysAccountIsTheHashOfAHash)
{
    // The generator's compressed point.
    const auto key =
        core::fromHex("0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798").value();
    EXPECT_EQ(core::toHex(chain::cosmosAccount(key)), "751e76e8199196d454941c45d1b3a323f1433bd6");
}

TEST(ValidatorJoin, Row_3_2_TheDocumentIsRebuiltToTheByte)
{
    wire::JoinRequest request;
    request.operatorAddress = "sv1abc";
    request.url = "https://v.example/<&>";
    request.moniker = "a \"b\"";
    request.timestamp = 17;
    const std::string payload = R"({"operator_address":"sv1abc","url":"https://v.example/<&>",)"
                                R"("moniker":"a \"b\"","timestamp":17})";
    EXPECT_EQ(wire::signedDocument(request),
              R"({"account_number":"0","chain_id":"","fee":{"amount":[],"gas":"0"},"memo":"",)"
              R"("msgs":[{"type":"sign/MsgSignData","value":{"data":")" +
                  core::toBase64(core::Bytes(payload.begin(), payload.end())) +
                  R"(","signer":"sv1abc"}}],"sequence":"0"})");
}

TEST(ValidatorJoin, Rows_3_1_2_And_3_TheBody)
{
    for (const char *body : {"", "[]", "{", R"({"operator_address":1})", R"({"timestamp":"1"})"})
    {
        EXPECT_EQ(problemOf(body), "400 invalid JSON body") << body;
    }
    EXPECT_EQ(problemOf("{}"), "400 missing required fields");
    JoiningValidator validator(1);
    EXPECT_EQ(problemOf(validator.body(kNow, {.moniker = ""})), "400 missing required fields");
    EXPECT_EQ(problemOf(validator.body(0)), "400 missing required fields");
    EXPECT_EQ(problemOf(validator.body(kNow, {.url = ""})), "none") << "a URL need not be";
    EXPECT_EQ(problemOf(validator.body(kNow, {.signature = "??"})).substr(0, 21),
              "401 decode signature:");
    EXPECT_EQ(problemOf(validator.body(kNow, {.key = "??"})).substr(0, 18), "401 decode pubkey:");
}

TEST(ValidatorJoin, Row_3_1_4_TheWindowOfTheTimestamp)
{
    const JoiningValidator validator(1);
    for (const std::int64_t off : {-300, 0, 300})
    {
        EXPECT_FALSE(joinProblem(read(validator.body(kNow + off)), kNow)) << off;
    }
    for (const std::int64_t off : {-301, 301})
    {
        const auto problem = joinProblem(read(validator.body(kNow + off)), kNow);
        ASSERT_TRUE(problem) << off;
        EXPECT_EQ(problem->status, 400);
        EXPECT_EQ(problem->text, "timestamp too far from server time (>5min)");
    }
    EXPECT_TRUE(joinProblem(read(validator.body(INT64_MIN)), kNow));
    EXPECT_TRUE(joinProblem(read(validator.body(INT64_MAX)), kNow));
}

TEST(ValidatorJoin, Row_3_1_5_TheSignatureAndThenTheAddress)
{
    const JoiningValidator validator(1);
    const auto good = read(validator.body(kNow));
    EXPECT_FALSE(joinProblem(good, kNow));
    const auto wrong = [&](auto change) {
        wire::JoinRequest request = good;
        change(request);
        const auto problem = joinProblem(request, kNow);
        return problem ? std::to_string(problem->status) + " " + problem->text : "none";
    };
    EXPECT_EQ(wrong([](auto &r) { r.moniker += "x"; }), "401 invalid signature");
    EXPECT_EQ(wrong([](auto &r) { r.url += "x"; }), "401 invalid signature");
    EXPECT_EQ(wrong([](auto &r) { r.timestamp += 1; }), "401 invalid signature");
    EXPECT_EQ(wrong([](auto &r) { r.signature[3] ^= 1U; }), "401 invalid signature");
    EXPECT_EQ(wrong([](auto &r) { r.signature.pop_back(); }), "401 invalid signature");
    EXPECT_EQ(wrong([](auto &r) { r.publicKey.clear(); }), "401 invalid signature");
    const JoiningValidator other(2);
    const auto theirs = read(other.body(kNow, {.address = validator.address()}));
    EXPECT_EQ(joinProblem(theirs, kNow)->text, "public key does not match signer address");
}
}  // namespace
}  // namespace relayer::test
