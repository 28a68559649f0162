// The queue before the chain as a client meets it: room for so many, then 429, and never for what
// is in the house already.
#include "e2e/requests.h"
#include "support/test_database.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace relayer::test
{
namespace
{
ServerOptions withRoomFor(const TestDatabase &database, int requests)
{
    auto options = onDatabase(database.url());
    options.environment["RELAYER_TX_THROTTLER__INPUT_PROOF__CAPACITY"] =
        std::to_string(requests + 1);
    options.environment["RELAYER_TX_THROTTLER__INPUT_PROOF__SAFETY_MARGIN"] = "1";
    return options;
}

std::string rowsIn(const TestDatabase &database)
{
    return database.value("SELECT count(*) FROM request");
}
}  // namespace

TEST(TxThrottlerOverHttp, ANewRequestWithoutRoomIsToldWhenThereIsAPlaceAndLeavesNoRow)
{
    RELAYER_NEEDS_SERVER();
    const TestDatabase database;
    ServerOptions options = withEstimates(withRoomFor(database, 2));
    options.environment["RELAYER_TX_THROTTLER__INPUT_PROOF__PER_SECOND"] = "1";
    ServerProcess server(options);
    ASSERT_TRUE(server.becomesHealthy()) << server.output();
    HttpClient client(server.port());
    const auto first = client.post(kInputProof, proofBody(1).text()).value();
    EXPECT_EQ(first.status, 202);
    EXPECT_EQ(client.post(kInputProof, proofBody(2).text()).value().status, 202);

    const auto bounced = client.post(kInputProof, proofBody(3).text()).value();
    EXPECT_EQ(bounced.status, 429) << bounced.body;
    EXPECT_EQ(labelOf(bounced), "rate_limited");
    // Who it was, and how long it took us.
    EXPECT_TRUE(server.printed("step=bounced why=queue_full kind=input_proof request_id=" +
                               bounced.header("x-request-id") + " trace_id="));
    EXPECT_TRUE(server.printed(" duration_ms="));
    // One has to go, at one a second, and a fifth on top.
    EXPECT_EQ(bounced.header("retry-after"), "2");
    EXPECT_EQ(bounced.json()["requestId"].asString(), bounced.header("x-request-id"));
    EXPECT_EQ(rowsIn(database), "2");

    const auto again = client.post(kInputProof, proofBody(1).text()).value();
    EXPECT_EQ(again.status, 202) << "what is in the house already is never bounced";
    EXPECT_EQ(again.json()["result"]["jobId"], first.json()["result"]["jobId"]);
}

TEST(TxThrottlerOverHttp, JoiningAJobTakesNoRoom)
{
    RELAYER_NEEDS_SERVER();
    const TestDatabase database;
    ServerProcess server(withRoomFor(database, 2));
    ASSERT_TRUE(server.becomesHealthy()) << server.output();
    HttpClient client(server.port());
    for (int i = 0; i < 5; ++i)
    {
        EXPECT_EQ(client.post(kInputProof, proofBody(1).text()).value().status, 202);
    }
    EXPECT_EQ(client.post(kInputProof, proofBody(2).text()).value().status, 202);
    EXPECT_EQ(client.post(kInputProof, proofBody(3).text()).value().status, 429);
}

TEST(TxThrottlerOverHttp, ManyAtOnceGetExactlyTheRoomThatThereIs)
{
    RELAYER_NEEDS_SERVER();
    constexpr int kRoom = 20;
    const TestDatabase database;
    ServerProcess server(withRoomFor(database, kRoom));
    ASSERT_TRUE(server.becomesHealthy()) << server.output();
    const auto port = server.port();
    std::atomic<int> accepted{0};
    std::atomic<int> bounced{0};
    std::atomic<std::uint64_t> next{0};
    {
        std::vector<std::jthread> clients;
        for (int i = 0; i < 8; ++i)
        {
            clients.emplace_back([&] {
                HttpClient client(port);
                for (auto content = next++; content < 100; content = next++)
                {
                    const auto reply = client.post(kInputProof, proofBody(content).text());
                    accepted += reply && reply->status == 202 ? 1 : 0;
                    bounced += reply && reply->status == 429 ? 1 : 0;
                }
            });
        }
    }
    EXPECT_EQ(accepted, kRoom);
    EXPECT_EQ(bounced, 100 - kRoom);
    EXPECT_EQ(rowsIn(database), std::to_string(kRoom));
}
}  // namespace relayer::test
