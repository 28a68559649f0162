// A share that is posted while its round ends and after it has (helper-store.md §3.1 and §9), with
// a clock that stands until it is moved.
#include "plugins/share_intake.h"

#include "plugins/own_loop.h"
#include "support/await.h"
#include "support/test_store.h"
#include "support/vote_shares.h"

#include <gtest/gtest.h>

#include <atomic>
#include <map>

namespace relayer::test
{
namespace
{
using core::Hash32;
using drogon::Task;
using models::Enqueued;
using plugins::ShareIntake;

constexpr std::int64_t kEnd = 2'000'000'000;

struct KnownRounds : plugins::VotingRounds
{
    std::map<Hash32, std::int64_t> ends;
    std::atomic<int> asked{0};

    Task<std::optional<plugins::VotingRound>> find(Hash32 round) override
    {
        ++asked;
        const auto found = ends.find(round);
        if (found == ends.end())
        {
            co_return std::nullopt;
        }
        co_return plugins::VotingRound{found->second, true};
    }
};

class Intake : public testing::Test
{
  protected:
    void SetUp() override
    {
        RELAYER_NEEDS_SERVER();
        database_ = std::make_unique<TestDatabase>();
        store_ = std::make_unique<TestStore>(*database_);
        rounds_->ends[voteShare(1).key.round] = kEnd;
        start();
    }
    // As after a restart: it remembers nothing of its own.
    void start()
    {
        ShareIntake::Surroundings around;
        around.loop = loop_.get();
        around.shares = std::make_shared<models::ShareStore>(store_->writer());
        around.keys = std::make_shared<core::WitnessKeys>(std::vector<Hash32>{hash32(7)});
        around.rounds = rounds_;
        around.now = [this] { return now_.load(); };
        intake_ = std::make_shared<ShareIntake>(around);
    }
    std::string told(const core::VoteShare &share, std::int64_t submitAt = 0)
    {
        const auto outcome = await(intake_->take(share, static_cast<std::uint64_t>(submitAt)));
        if (const auto *refused = std::get_if<ShareIntake::Refused>(&outcome))
        {
            return refused->text.substr(0, refused->text.find(':'));
        }
        switch (std::get<Enqueued>(outcome))
        {
            case Enqueued::Queued: return "queued";
            case Enqueued::Duplicate: return "duplicate";
            case Enqueued::Conflict: break;
        }
        return "conflict";
    }
    static core::VoteShare contradicting(core::VoteShare share)
    {
        share.c2[3] ^= 1U;
        return share;
    }

    std::unique_ptr<TestDatabase> database_;
    std::unique_ptr<TestStore> store_;
    std::shared_ptr<KnownRounds> rounds_ = std::make_shared<KnownRounds>();
    std::atomic<std::int64_t> now_{kEnd - 1};
    plugins::OwnLoop loop_{"intake"};
    std::shared_ptr<ShareIntake> intake_;
};

TEST_F(Intake, Row_3_1_ARoundThatIsOverTakesNothingNewAndKnowsWhatItHas)
{
    EXPECT_EQ(told(voteShare(1), kEnd), "queued") << "its last second is not there yet";
    for (const std::int64_t later : {kEnd, kEnd + 1, kEnd + 1000})
    {
        now_ = later;
        EXPECT_EQ(told(voteShare(1), kEnd), "duplicate");
        EXPECT_EQ(told(contradicting(voteShare(1)), kEnd), "conflict");
        EXPECT_EQ(told(voteShare(2)), "voting round is over");
        EXPECT_EQ(told(voteShare(2), kEnd), "voting round is over");
        EXPECT_EQ(told(voteShare(2), kEnd + 1), "invalid submit_at");
    }
    start();
    EXPECT_EQ(told(voteShare(1), kEnd), "duplicate") << "after a restart, too";
    database_->query("DELETE FROM scheduled_share");
    EXPECT_EQ(told(voteShare(1), kEnd), "voting round is over") << "once it is purged";
    EXPECT_EQ(database_->value("SELECT count(*) FROM scheduled_share"), "0");
}

TEST_F(Intake, Row_9_ARoundIsRememberedUnlessItIsOver)
{
    EXPECT_EQ(told(voteShare(1)), "queued");
    EXPECT_EQ(told(voteShare(2)), "queued");
    start();
    EXPECT_EQ(told(voteShare(3)), "queued");
    EXPECT_EQ(rounds_->asked, 1) << "its row tells";
    core::VoteShare over = voteShare(4);
    over.key.round = hash32(44);
    rounds_->ends[over.key.round] = kEnd - 10;
    EXPECT_EQ(told(over), "voting round is over");
    EXPECT_EQ(told(over), "voting round is over");
    EXPECT_EQ(rounds_->asked, 2) << "known to this instance";
    EXPECT_EQ(database_->value("SELECT count(*) FROM voting_round"), "1")
        << "nobody would ever clear away the row of one that takes no shares";
}

TEST_F(Intake, Row_9_ARoundWithoutAnEndIsNeverOver)
{
    core::VoteShare share = voteShare(5);
    share.key.round = hash32(45);
    rounds_->ends[share.key.round] = 0;
    EXPECT_EQ(told(share), "queued");
    now_ = kEnd + 1'000'000'000;
    share.key.shareIndex ^= 1U;
    EXPECT_EQ(told(share), "queued");
    EXPECT_EQ(database_->value("SELECT count(*) FROM voting_round WHERE vote_end_time = 0"), "1");
    share.key.shareIndex ^= 2U;
    EXPECT_EQ(told(share, 5), "invalid submit_at") << "as the reference has it: 5 > 0";
}

TEST_F(Intake, Row_9_ARoundThatThereIsNotIsAskedForAgainAfterAMoment)
{
    core::VoteShare share = voteShare(6);
    share.key.round = hash32(46);
    EXPECT_EQ(told(share), "unknown voting round");
    EXPECT_EQ(told(share), "unknown voting round");
    EXPECT_EQ(rounds_->asked, 1);
    rounds_->ends[share.key.round] = kEnd + 100;
    now_ = now_ + 2;
    EXPECT_EQ(told(share), "queued");
    EXPECT_EQ(rounds_->asked, 2);
}
}  // namespace
}  // namespace relayer::test
