// What is read from nodes, and what is not; what is written to them.
#include "chain/rpc/json_answers.h"
#include "chain/rpc/json_requests.h"
#include "core/bytes.h"
#include "support/json_text.h"

#include <gtest/gtest.h>

#include <string>

namespace relayer::chain::rpc
{
namespace
{
using test::jsonValue;

const std::string kHash = "0x" + std::string(64, 'a');
const std::string kOtherHash = "0x" + std::string(64, 'b');
const std::string kAddress = "0x" + std::string(40, 'c');

std::string logText(const std::string &more)
{
    return R"({"address":")" + kAddress + R"(","topics":[")" + kHash + R"("],"data":"0x0102")" +
           more + "}";
}

const std::string kPlace =
    R"(,"blockNumber":"0x10","blockHash":")" + kHash + R"(","logIndex":"0x2")";
const std::string kTransaction = R"(,"transactionHash":")" + kOtherHash + R"(")";

TEST(RpcJson, RequestsAreJsonThatANodeReads)
{
    Call call;
    call.from.fill(1);
    call.to.fill(2);
    call.input = {0xde, 0xad};
    call.gas = 21000;
    const auto body = jsonValue(requestBody(7, "eth_call", callParams(call, "pending")));
    EXPECT_EQ(body["jsonrpc"].asString(), "2.0");
    EXPECT_EQ(body["id"].asInt(), 7);
    EXPECT_EQ(body["params"][0]["input"].asString(), "0xdead");
    EXPECT_EQ(body["params"][0]["data"].asString(), "0xdead");
    EXPECT_EQ(body["params"][0]["from"].asString(), "0x" + core::toHex(call.from));
    EXPECT_EQ(body["params"][0]["gas"].asString(), "0x5208");
    EXPECT_EQ(body["params"][1].asString(), "pending");
    call.from = {};
    EXPECT_FALSE(jsonValue(callParams(call, "latest"))[0].isMember("from")) << "nobody asks";

    LogFilter filter{.fromBlock = 0, .toBlock = 255, .addresses = {call.to}, .anyTopic0 = {{}, {}}};
    const auto logs = jsonValue(logFilterParams(filter));
    EXPECT_EQ(logs[0]["fromBlock"].asString(), "0x0");
    EXPECT_EQ(logs[0]["toBlock"].asString(), "0xff");
    EXPECT_EQ(logs[0]["address"].size(), 1U);
    EXPECT_EQ(logs[0]["topics"][0].size(), 2U);

    for (const std::string &text : {logFilterParams(LogFilter{}), subscribeParams({}, {}),
                                    subscribeParams({}, filter.anyTopic0)})
    {
        EXPECT_TRUE(jsonValue(text).isArray()) << text;
        EXPECT_FALSE(text.find("address") != std::string::npos) << "no list means any";
    }

    EXPECT_EQ(feeHistoryParams(10, 20.0), R"(["0xa","latest",[20]])");
    EXPECT_EQ(jsonValue(batchBody("m", {"[]", "[1]"}))[1]["id"].asInt(), 1);
}

TEST(RpcJson, MegabytesOfCalldataKeepTheirBytes)
{
    core::Bytes raw(3UL * 1024 * 1024);
    for (std::size_t i = 0; i < raw.size(); ++i)
    {
        raw[i] = static_cast<std::uint8_t>(i * 31);
    }
    const auto params = jsonValue(dataParam(raw));
    EXPECT_EQ(decodeBytes(params[0]), raw);
}

TEST(RpcJson, AnswersGiveResultOrErrorOrNeither)
{
    const JsonLimits limits;
    EXPECT_EQ(std::get<Json::Value>(openAnswer(R"({"id":1,"result":"0x1"})", limits)).asString(),
              "0x1");
    EXPECT_TRUE(
        std::get<Json::Value>(openAnswer(R"({"result":null,"error":null})", limits)).isNull());
    for (const char *text : {"", "nothing", "{}", "[]", "3", "{\"id\":1}", "{\"result\":1} x",
                             "{\"result\":", "\"result\"", "<html>502</html>", "\xff\xfe"})
    {
        EXPECT_TRUE(std::holds_alternative<Undecodable>(openAnswer(text, limits))) << text;
    }
}

// Up to jsoncpp 1.9.5 that is no JSON; later it is infinity.
TEST(RpcJson, ANumberThatIsTooLargeForAnyIsTakenForNone)
{
    for (const char *text : {R"({"result":1e999999})", R"({"result":-1e999999})"})
    {
        const auto answer = openAnswer(text, {});
        const auto *value = std::get_if<Json::Value>(&answer);
        EXPECT_TRUE(value != nullptr || std::holds_alternative<Undecodable>(answer)) << text;
        EXPECT_EQ(decodeNumber(value != nullptr ? *value : Json::Value()), std::nullopt) << text;
    }
    const auto answer = openAnswer(R"({"error":{"code":1e999999,"message":"m"}})", {});
    const auto *error = std::get_if<NodeError>(&answer);
    EXPECT_TRUE(error == nullptr || error->code == 0);
}

struct ErrorCase
{
    const char *text;
    std::int64_t code;
    const char *message;
    std::optional<std::string> data;
};

TEST(RpcJson, ErrorsAreReadInTheShapesThatNodesGiveThem)
{
    const ErrorCase cases[] = {
        {R"({"code":3,"message":"execution reverted","data":"0xd93c0665"})", 3,
         "execution reverted", "d93c0665"},
        {R"({"code":-32015,"message":"VM","data":"Reverted 0xd93c0665"})", -32015, "VM",
         "d93c0665"},
        {R"({"code":-32603,"message":"x","data":{"code":3,"data":"0x01"}})", -32603, "x", "01"},
        {R"({"code":-32603,"data":{"message":"inner","originalError":{"data":"0x02"}}})", -32603,
         "inner", "02"},
        {R"({"code":3,"message":"empty","data":"0x"})", 3, "empty", ""},
        {R"({"code":3,"message":"odd","data":"0x1"})", 3, "odd", std::nullopt},
        {R"({"code":"3","message":7})", 0, "", std::nullopt},
        {R"({})", 0, "", std::nullopt},
        {R"("in words")", 0, "in words", std::nullopt},
        {R"([])", 0, "", std::nullopt},
        {R"({"code":99999999999999999999,"message":"m"})", 0, "m", std::nullopt},
        {R"({"code":3,"message":"custom \u0000 bytes"})", 3, nullptr, std::nullopt},
    };
    for (const ErrorCase &one : cases)
    {
        const auto answer = openAnswer(R"({"error":)" + std::string(one.text) + "}", {});
        const auto *error = std::get_if<NodeError>(&answer);
        ASSERT_NE(error, nullptr) << one.text;
        EXPECT_EQ(error->code, one.code) << one.text;
        EXPECT_EQ(error->message, one.message != nullptr ? std::string(one.message)
                                                         : std::string("custom \0 bytes", 14));
        EXPECT_EQ(error->data.has_value(), one.data.has_value()) << one.text;
        if (error->data && one.data)
        {
            EXPECT_EQ(core::toHex(*error->data), *one.data);
        }
    }
}

TEST(RpcJson, WhatIsTooBigOrTooDeepIsRefusedBeforeItIsRead)
{
    EXPECT_FALSE(parseJson("[1,2]", {.bytes = 4}));
    EXPECT_TRUE(parseJson("[1,2]", {.bytes = 5}));
    const std::string deep = std::string(20, '[') + std::string(20, ']');
    EXPECT_FALSE(parseJson(deep, {.depth = 19}));
    EXPECT_TRUE(parseJson(deep, {.depth = 20}));
    EXPECT_FALSE(parseJson(std::string(2'000'000, '['), {}));
    EXPECT_FALSE(parseJson("[1,1,1,1]", {.values = 4}));
    EXPECT_TRUE(parseJson(R"(["1,1,1,\",[1,1"])", {.values = 4}));
}

TEST(RpcJson, BatchesAreMatchedByTheirIds)
{
    const auto answer = openBatch(
        R"([{"id":2,"result":2},{"id":"0","result":0},{"id":7,"result":7},{"id":-1},5,
            {"id":2,"result":9},{"id":null,"result":1}])",
        4, {});
    const auto &items = std::get<BatchItems>(answer);
    ASSERT_EQ(items.size(), 4U);
    EXPECT_EQ(std::get<Json::Value>(*items[0]).asInt(), 0);
    EXPECT_FALSE(items[1]);
    EXPECT_EQ(std::get<Json::Value>(*items[2]).asInt(), 2);
    EXPECT_FALSE(items[3]);
    EXPECT_EQ(std::get<NodeError>(openBatch(R"({"error":{"code":-32600}})", 2, {})).code, -32600);
    EXPECT_TRUE(std::holds_alternative<Undecodable>(openBatch(R"({"result":1})", 2, {})));
}

TEST(RpcJson, QuantitiesAreHexOrSmallNumbers)
{
    EXPECT_EQ(decodeNumber(jsonValue(R"("0x1f")")), 31U);
    EXPECT_EQ(decodeNumber(jsonValue(R"("0x")")), 0U);
    EXPECT_EQ(decodeNumber(jsonValue("12")), 12U);
    for (const char *text : {R"("12")", R"("0xg")", R"("0x10000000000000000")", "-1", "1.5", "1.0",
                             "null", "true", "[]", "{}", R"("")"})
    {
        EXPECT_FALSE(decodeNumber(jsonValue(text))) << text;
    }
    EXPECT_EQ(decodeUint256(jsonValue("\"0x" + std::string(64, 'f') + "\"")),
              (std::numeric_limits<Uint256>::max)());
    EXPECT_FALSE(decodeUint256(jsonValue("\"0x1" + std::string(64, '0') + "\"")));
}

TEST(RpcJson, LogsWithoutTheirTransactionAreSkippedAndCounted)
{
    const auto logs =
        decodeLogs(jsonValue("[" + logText(kPlace + kTransaction) + "," + logText(kPlace) + "," +
                             logText(kPlace + R"(,"transactionHash":null)") + "," +
                             logText(kTransaction) + ",3,null,{}]"));
    ASSERT_TRUE(logs);
    ASSERT_EQ(logs->logs.size(), 1U);
    EXPECT_EQ(logs->skipped, 6U);
    const Log &log = logs->logs.front();
    EXPECT_EQ(log.blockNumber, 16U);
    EXPECT_EQ(log.logIndex, 2U);
    EXPECT_EQ(log.data, (core::Bytes{1, 2}));
    EXPECT_EQ(log.topics.size(), 1U);
    EXPECT_EQ(core::toHex(*log.txHash), kOtherHash.substr(2));
    EXPECT_FALSE(log.removed);
    EXPECT_TRUE(
        decodeLog(jsonValue(logText(kPlace + kTransaction + R"(,"removed":true)")))->removed);
    EXPECT_FALSE(decodeLogs(jsonValue("{}")));
    EXPECT_FALSE(
        decodeLog(jsonValue(logText(kPlace + kTransaction + R"(,"logIndex":"0x100000000")"))));
}

TEST(RpcJson, AReceiptWithoutStatusSucceededAndLendsItsPlaceToItsLogs)
{
    const std::string head = R"({"transactionHash":")" + kOtherHash + R"(","blockNumber":"0x5",)" +
                             R"("blockHash":")" + kHash + R"(")";
    const auto receipt = decodeReceipt(jsonValue(head + R"(,"logs":[)" + logText("") + ",7]}"));
    ASSERT_TRUE(receipt);
    EXPECT_TRUE(receipt->receipt.succeeded);
    EXPECT_TRUE(receipt->mined);
    EXPECT_EQ(receipt->skippedLogs, 1U);
    ASSERT_EQ(receipt->receipt.logs.size(), 1U);
    EXPECT_EQ(receipt->receipt.logs[0].blockNumber, 5U);
    EXPECT_EQ(receipt->receipt.logs[0].txHash, receipt->receipt.txHash);

    EXPECT_FALSE(decodeReceipt(jsonValue(head + R"(,"status":"0x0"})"))->receipt.succeeded);
    EXPECT_TRUE(
        decodeReceipt(jsonValue(head + R"(,"status":null,"logs":null})"))->receipt.succeeded);
    EXPECT_FALSE(decodeReceipt(jsonValue(head + R"(,"status":"maybe"})")));
    EXPECT_FALSE(decodeReceipt(jsonValue(R"({"blockNumber":"0x5"})")));
    EXPECT_FALSE(decodeReceipt(jsonValue(R"({"transactionHash":")" + kHash + R"("})"))->mined);
}

TEST(RpcJson, FeeHistoriesMayLackTheirRewards)
{
    const auto history = decodeFeeHistory(
        jsonValue(R"({"baseFeePerGas":["0x5","0x6"],"reward":[["0x1"]],"gasUsedRatio":[0.5]})"));
    ASSERT_TRUE(history);
    EXPECT_EQ(history->baseFees.back(), 6);
    EXPECT_EQ(history->rewards[0][0], 1);
    EXPECT_TRUE(decodeFeeHistory(jsonValue(R"({"baseFeePerGas":["0x5"],"reward":null})")));
    EXPECT_TRUE(decodeFeeHistory(jsonValue("{}")));
    EXPECT_FALSE(decodeFeeHistory(jsonValue(R"({"baseFeePerGas":["5"]})")));
    EXPECT_FALSE(decodeFeeHistory(jsonValue(R"({"reward":[3]})")));
    EXPECT_FALSE(decodeFeeHistory(jsonValue("[]")));
}

TEST(RpcJson, BlocksMayLackABaseFee)
{
    const std::string head = R"({"number":"0x9","hash":")" + kHash + R"(")";
    EXPECT_EQ(decodeBlock(jsonValue(head + "}"))->number, 9U);
    EXPECT_FALSE(decodeBlock(jsonValue(head + "}"))->baseFee);
    EXPECT_EQ(*decodeBlock(jsonValue(head + R"(,"baseFeePerGas":"0x7"})"))->baseFee, 7);
    EXPECT_FALSE(decodeBlock(jsonValue(R"({"number":"0x9"})")));
    EXPECT_FALSE(decodeBlock(jsonValue("null")));
}

TEST(RpcJson, FramesAreNotificationsOrAnswers)
{
    const auto pushed = openFrame(
        R"({"method":"eth_subscription","params":{"subscription":"0x9","result":{"a":1}}})", {});
    EXPECT_EQ(std::get<PushedLog>(pushed).subscription, "0x9");
    EXPECT_EQ(std::get<PushedLog>(pushed).log["a"].asInt(), 1);
    const auto answer = openFrame(R"({"id":4,"result":"0x1"})", {});
    EXPECT_EQ(std::get<SocketAnswer>(answer).id, 4U);
    for (const char *text :
         {"", "{}", "[]", "x", R"({"method":"eth_subscription"})", R"({"method":7,"id":"x"})"})
    {
        EXPECT_TRUE(std::holds_alternative<Undecodable>(openFrame(text, {}))) << text;
    }
}
}  // namespace
}  // namespace relayer::chain::rpc
