// What has ended is answered from memory, and under the name of each exchange; what lives is not.
#include "e2e/requests.h"
#include "support/await.h"
#include "support/test_database.h"
#include "support/test_store.h"

#include <gtest/gtest.h>

namespace relayer::test
{
namespace
{
class EndedJobsOverHttp : public testing::Test
{
  protected:
    void SetUp() override
    {
        RELAYER_NEEDS_SERVER();
        database_ = std::make_unique<TestDatabase>();
        store_ = std::make_unique<TestStore>(*database_);
    }

    void startServer(const std::string &memory)
    {
        ServerOptions options = onDatabase(database_->url());
        options.environment["RELAYER_HTTP__ENDED_ANSWERS"] = memory;
        server_ = std::make_unique<ServerProcess>(options);
        ASSERT_TRUE(server_->becomesHealthy()) << server_->output();
        client_ = std::make_unique<HttpClient>(server_->port());
    }

    [[nodiscard]] std::string posted(std::uint64_t number)
    {
        const auto reply = client_->post(kInputProof, proofBody(number).text()).value();
        return reply.json()["result"]["jobId"].asString();
    }
    void fail(const std::string &job)
    {
        models::Step step;
        step.transition = core::Transition::FailInternally;
        step.id =
            std::stoll(database_->value("SELECT id FROM request WHERE job_id = '" + job + "'"));
        step.failure = core::Failure{core::FailureCode::ProtocolPaused, "for the test"};
        ASSERT_EQ(await((*store_)->apply(step)), models::StepOutcome::Won);
    }
    [[nodiscard]] HttpReply asked(const std::string &job, const std::string &name,
                                  const std::string &path = std::string(kInputProof))
    {
        return client_->get(path + "/" + job, {{"X-Request-ID", name}}).value();
    }

    std::unique_ptr<TestDatabase> database_;
    std::unique_ptr<TestStore> store_;
    std::unique_ptr<ServerProcess> server_;
    std::unique_ptr<HttpClient> client_;
};

TEST_F(EndedJobsOverHttp, AreShownFromMemoryOnceTheyWereShown)
{
    startServer("32MiB");
    const std::string job = posted(1);
    EXPECT_EQ(asked(job, "while-it-lives").status, 202);
    fail(job);
    const HttpReply first = asked(job, "the-first");
    EXPECT_EQ(first.status, 503);
    EXPECT_EQ(labelOf(first), "protocol_paused");
    database_->query("DELETE FROM request");
    const HttpReply again = asked(job, "the-second");
    EXPECT_EQ(again.status, 503);
    EXPECT_EQ(again.header("x-request-id"), "the-second");
    EXPECT_EQ(again.json()["requestId"], "the-second");
    EXPECT_EQ(again.json()["error"], first.json()["error"]);
    EXPECT_EQ(asked(job, "elsewhere", "/v2/public-decrypt").status, 404);
}

TEST_F(EndedJobsOverHttp, ThatLiveAreLookedForEachTime)
{
    startServer("32MiB");
    const std::string job = posted(1);
    EXPECT_EQ(asked(job, "one").status, 202);
    database_->query("DELETE FROM request");
    EXPECT_EQ(asked(job, "two").status, 404);
}

TEST_F(EndedJobsOverHttp, AreLookedForEachTimeWhereNothingMayBeKept)
{
    startServer("0");
    const std::string job = posted(1);
    fail(job);
    EXPECT_EQ(asked(job, "one").status, 503);
    database_->query("DELETE FROM request");
    EXPECT_EQ(asked(job, "two").status, 404);
}
}  // namespace
}  // namespace relayer::test
