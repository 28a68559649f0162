// Polls that come at the same time share a statement, and each gets what it asked for.
#include "models/request_sql.h"
#include "support/await.h"
#include "support/test_database.h"
#include "support/test_store.h"

#include <gtest/gtest.h>

#include <future>
#include <optional>
#include <vector>

namespace relayer::test
{
namespace
{
using core::Kind;
using models::Poll;
using models::StoreError;

constexpr std::size_t kJobs = 40;
constexpr std::size_t kPolls = 600;

class Polls : public testing::Test
{
  protected:
    void SetUp() override
    {
        RELAYER_NEEDS_SERVER();
        database_.emplace();
        // One at a time, so that those who come meanwhile have to wait for it.
        models::RequestStoreOptions options;
        options.polls.inFlight = 1;
        store_.emplace(*database_, options);
        for (std::uint64_t i = 0; i < kJobs; ++i)
        {
            ids_.push_back(await((*store_)->admit(newRequest(Kind::InputProof, i, i))).id);
        }
    }

    // One past the jobs that there are is asked for, too.
    static core::JobId asked(std::size_t poll) { return jobId(poll % (kJobs + 1)); }
    std::vector<std::future<std::optional<Poll>>> ask()
    {
        std::vector<std::future<std::optional<Poll>>> polls;
        for (std::size_t i = 0; i < kPolls; ++i)
        {
            polls.push_back(start((*store_)->poll(asked(i))));
        }
        return polls;
    }

    std::optional<TestDatabase> database_;
    std::optional<TestStore> store_;
    std::vector<models::RequestId> ids_;
};

TEST_F(Polls, ThatComeTogetherShareAStatementAndEachGetsItsOwnJob)
{
    auto polls = ask();
    for (std::size_t i = 0; i < kPolls; ++i)
    {
        const std::optional<Poll> poll = polls[i].get();
        const bool known = i % (kJobs + 1) < kJobs;
        ASSERT_EQ(poll.has_value(), known) << i;
        if (known)
        {
            EXPECT_EQ(poll->row.getValueOfId(), ids_[i % (kJobs + 1)]) << i;
            EXPECT_EQ(poll->row.getValueOfJobId(), asked(i).text()) << i;
        }
    }
    const auto stats = (*store_)->stats().polls;
    EXPECT_EQ(stats.rows, kPolls);
    EXPECT_LT(stats.batches, kPolls / 2);
}

TEST_F(Polls, ReadNoPayloadNoSharesAndNoAnswerOfWhatLives)
{
    for (const std::string &text : {models::sql::polls(), models::sql::pollAll()})
    {
        EXPECT_EQ(text.find("r.payload"), std::string::npos) << text;
        EXPECT_EQ(text.find("kms_share"), std::string::npos) << text;
    }
    const std::string gatewayId = "decode(repeat('07', 32), 'hex')";
    database_->query(
        "INSERT INTO gateway_answer (kind, gateway_id, accepted, result) VALUES ('input_proof', " +
        gatewayId + ", true, 'answer')");
    database_->query("UPDATE request SET status = 'receipt_received', gateway_id = " + gatewayId +
                     " WHERE id = " + std::to_string(ids_[3]));
    const std::optional<Poll> live = await((*store_)->poll(jobId(3)));
    ASSERT_TRUE(live);
    EXPECT_EQ(live->row.getValueOfStatus(), "receipt_received");
    EXPECT_EQ(live->row.getPayload(), nullptr);
    EXPECT_FALSE(live->result);
}

TEST_F(Polls, ARowThatCanNotBeReadIsTheErrorOfThoseWhoAskForIt)
{
    constexpr std::size_t kBroken = 7;
    // How long ago that is PostgreSQL can not say.
    database_->query("UPDATE request SET status_at = 'infinity' WHERE id = " +
                     std::to_string(ids_[kBroken]));
    auto polls = ask();
    for (std::size_t i = 0; i < kPolls; ++i)
    {
        if (i % (kJobs + 1) == kBroken)
        {
            EXPECT_THROW(polls[i].get(), StoreError) << i;
            continue;
        }
        EXPECT_EQ(polls[i].get().has_value(), i % (kJobs + 1) < kJobs) << i;
    }
}

TEST_F(Polls, BeyondTheLimitAreRefusedAtOnce)
{
    models::RequestStoreOptions options;
    options.polls.inFlight = 1;
    options.polls.maxBatchRows = 1;
    options.polls.maxWaiting = 10;
    store_.emplace(*database_, options);
    std::size_t refused = 0;
    for (auto &poll : ask())
    {
        try
        {
            static_cast<void>(poll.get());
        }
        catch (const StoreError &error)
        {
            EXPECT_EQ(error.code(), StoreError::Code::Overloaded);
            ++refused;
        }
    }
    EXPECT_GT(refused, 0U);
    EXPECT_LT(refused, kPolls);
}
}  // namespace
}  // namespace relayer::test
