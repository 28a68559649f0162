// The header Idempotency-Key, through the real program.
#include "e2e/requests.h"
#include "support/test_database.h"

#include <gtest/gtest.h>

namespace relayer::test
{
namespace
{
class IdempotencyKey : public testing::Test
{
  protected:
    void SetUp() override
    {
        RELAYER_NEEDS_SERVER();
        database_ = std::make_unique<TestDatabase>(TestDatabase::Schema::Empty);
        server_ = std::make_unique<ServerProcess>(onDatabase(database_->url()));
        ASSERT_TRUE(server_->becomesHealthy()) << server_->output();
        client_ = std::make_unique<HttpClient>(server_->port());
    }
    HttpReply post(std::uint64_t number, const std::string &key)
    {
        return client_->post(kInputProof, proofBody(number).text(), {{"Idempotency-Key", key}})
            .value();
    }
    static std::string jobOf(const HttpReply &reply)
    {
        return reply.json()["result"]["jobId"].asString();
    }

    std::unique_ptr<TestDatabase> database_;
    std::unique_ptr<ServerProcess> server_;
    std::unique_ptr<HttpClient> client_;
};

TEST_F(IdempotencyKey, PointsToTheJobWhateverBecameOfIt)
{
    const auto first = post(1, "order-17");
    ASSERT_EQ(first.status, 202);
    EXPECT_EQ(jobOf(post(1, "order-17")), jobOf(first));
    // A content that failed is free again, but the key still means the job that failed.
    database_->query(
        "UPDATE request SET status = 'failure', live = false, dedup = false,"
        " error_code = 'transaction_failed'");
    database_->query("DELETE FROM live_request");
    const auto again = post(1, "order-17");
    EXPECT_EQ(again.status, 202);
    EXPECT_EQ(jobOf(again), jobOf(first));
    EXPECT_EQ(again.header("location"), std::string(kInputProof) + "/" + jobOf(first));
    EXPECT_NE(jobOf(post(1, "order-18")), jobOf(first));
    EXPECT_EQ(database_->value("SELECT count(*) FROM request"), "2");
}

TEST_F(IdempotencyKey, StandsForOneContent)
{
    const auto first = post(1, "order-17");
    ASSERT_EQ(first.status, 202);
    const auto other = post(2, "order-17");
    EXPECT_EQ(other.status, 422);
    EXPECT_EQ(labelOf(other), "idempotency_key_reused");
    EXPECT_EQ(other.header("retry-after"), "");
    EXPECT_EQ(database_->value("SELECT count(*) FROM request"), "1") << "nothing was taken in";
    EXPECT_EQ(jobOf(post(1, "order-18")), jobOf(first)) << "one content, one job, two names";
}

TEST_F(IdempotencyKey, IsFreeAgainWhenItsRequestWasWrongOrThereWasNoRoom)
{
    EXPECT_EQ(client_->post(kInputProof, "{}", {{"Idempotency-Key", "a"}}).value().status, 400);
    EXPECT_EQ(post(1, "a").status, 202);

    ServerOptions options = onDatabase(database_->url());
    options.environment["RELAYER_HTTP__CLIENT_LIMITS__REQUESTS_PER_MINUTE"] = "1";
    options.environment["RELAYER_HTTP__CLIENT_LIMITS__BURST"] = "1";
    server_ = std::make_unique<ServerProcess>(options);
    ASSERT_TRUE(server_->becomesHealthy()) << server_->output();
    client_ = std::make_unique<HttpClient>(server_->port());
    EXPECT_EQ(post(2, "b").status, 202);
    EXPECT_EQ(post(3, "c").status, 429);
    EXPECT_EQ(post(4, "c").status, 429) << "not 422: nothing has come of the key";
    EXPECT_EQ(database_->value("SELECT count(*) FROM idempotency_key WHERE key = 'c'"), "0");
}

TEST_F(IdempotencyKey, MustBeATokenOfSaneLength)
{
    for (const std::string &key :
         {std::string("two words"), std::string(256, 'a'), std::string("\xc3\xa4")})
    {
        const auto reply = post(1, key);
        EXPECT_EQ(reply.status, 400) << key;
        EXPECT_EQ(labelOf(reply), "request_error");
        EXPECT_NE(reply.json()["error"]["message"].asString().find("Idempotency-Key"),
                  std::string::npos);
    }
    EXPECT_EQ(post(1, std::string(255, 'a')).status, 202);
}
}  // namespace
}  // namespace relayer::test
