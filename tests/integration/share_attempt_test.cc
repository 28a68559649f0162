// One attempt at a share: the pipeline of helper-processor.md §2, with parts that answer as the
// test says, and what it leaves in the database.
#include "plugins/share_attempt.h"

#include "support/await.h"
#include "support/captured_log.h"
#include "support/test_store.h"
#include "support/vote_shares.h"

#include <gtest/gtest.h>
#include <trantor/net/EventLoopThread.h>

#include <stdexcept>

namespace relayer::test
{
namespace
{
using core::AttemptEnd;
using core::Hash32;
using drogon::Task;
using plugins::ShareAttemptResult;
using plugins::ShareTrouble;
using namespace std::chrono_literals;

constexpr models::Claimer kMe = 3;
constexpr std::int64_t kEnd = 2'000'000'000;

// All parts at once, and what was asked of them, in order.
struct Parts : plugins::VotingRounds,
               plugins::CommitmentTree,
               plugins::ShareProver,
               plugins::ShareNullifiers,
               plugins::ShareSubmitter
{
    std::string asked;
    std::optional<plugins::VotingRound> round = plugins::VotingRound{kEnd, true};
    bool nullifierSpent = false;
    int looksUntilSpent = -1;  // below 0: never of itself
    bool hasNode = true;
    std::optional<ShareTrouble> roundTrouble;
    std::optional<ShareTrouble> treeTrouble;
    std::optional<ShareTrouble> proverTrouble;
    bool proverThrowsWhatNobodyExpects = false;
    std::optional<ShareTrouble> chainTrouble;
    Answer answer{{0, ""}, hash32(50)};
    int blocksUntilSeen = 0;
    core::ChainVerdict inItsBlock;
    std::function<void()> whenProved = [] {};
    std::optional<plugins::RevealMessage> sent;

    Task<std::optional<plugins::VotingRound>> find(Hash32) override
    {
        asked += "round ";
        if (roundTrouble)
        {
            throw ShareTrouble(*roundTrouble);
        }
        co_return round;
    }
    Task<Status> status(Hash32) override { co_return {}; }
    Task<Path> path(Hash32, std::uint32_t position) override
    {
        asked += "path ";
        if (treeTrouble)
        {
            throw ShareTrouble(*treeTrouble);
        }
        Path path;
        path.merkle = core::Bytes(772, static_cast<std::uint8_t>(position));
        path.anchorHeight = 7;
        co_return path;
    }
    Task<std::optional<Hash32>> leaf(Hash32, std::uint32_t) override { co_return std::nullopt; }
    Task<plugins::ShareReveal> prove(core::VoteShare, core::Bytes merkle) override
    {
        asked += "prove ";
        whenProved();
        if (proverThrowsWhatNobodyExpects)
        {
            throw std::runtime_error("a bug");
        }
        if (proverTrouble)
        {
            throw ShareTrouble(*proverTrouble);
        }
        plugins::ShareReveal reveal;
        reveal.proof = std::move(merkle);
        reveal.nullifier = hash32(60);
        co_return reveal;
    }
    Task<bool> spent(Hash32, Hash32) override
    {
        asked += "spent ";
        co_return nullifierSpent || looksUntilSpent-- == 0;
    }
    [[nodiscard]] bool canTell() const override { return hasNode; }
    Task<Answer> submit(plugins::RevealMessage message) override
    {
        asked += "submit ";
        sent = std::move(message);
        if (chainTrouble)
        {
            throw ShareTrouble(*chainTrouble);
        }
        co_return answer;
    }
    Task<std::optional<core::ChainVerdict>> inBlock(Hash32) override
    {
        asked += "block ";
        if (blocksUntilSeen-- > 0)
        {
            co_return std::nullopt;
        }
        co_return inItsBlock;
    }
};

class ShareAttempt : public testing::Test
{
  protected:
    void SetUp() override
    {
        RELAYER_NEEDS_SERVER();
        database_ = std::make_unique<TestDatabase>();
        store_ = std::make_unique<TestStore>(*database_);
        thread_.run();
        parts_ = std::make_shared<Parts>();
        context_ = std::make_shared<plugins::ShareAttemptContext>();
        context_->loop = thread_.getLoop();
        context_->shares = std::make_shared<models::ShareStore>(store_->writer());
        context_->keys = std::make_shared<core::WitnessKeys>(std::vector<Hash32>{hash32(7)});
        context_->parts = {parts_, parts_, parts_, parts_, parts_};
        context_->options = {1ms, 20ms};
        context_->now = [this] { return now_; };
        models::NewVoteShare share;
        share.key = voteShare(1).key;
        share.digest = core::digestOf(voteShare(1));
        share.sealed = context_->keys->seal(voteShare(1), {});
        share.voteEndTime = kEnd;
        await(context_->shares->enqueue(share));
        taken_ = await(context_->shares->take(kMe, 1)).at(0);
    }

    ShareAttemptResult attempt() { return await(onTheLoop(this)); }
    static Task<ShareAttemptResult> onTheLoop(ShareAttempt *self)
    {
        co_await drogon::switchThreadCoro(self->context_->loop);
        co_return co_await plugins::attemptShare(self->context_, self->taken_, kMe,
                                                 [self] { self->parts_->asked += "proved "; });
    }
    std::string column(const std::string &name)
    {
        return database_->value("SELECT " + name + " FROM scheduled_share");
    }

    std::unique_ptr<TestDatabase> database_;
    std::unique_ptr<TestStore> store_;
    trantor::EventLoopThread thread_;
    std::shared_ptr<Parts> parts_;
    std::shared_ptr<plugins::ShareAttemptContext> context_;
    models::TakenShare taken_;
    std::int64_t now_ = kEnd - 100;
};

TEST_F(ShareAttempt, ASharesWay)
{
    parts_->blocksUntilSeen = 2;
    const auto result = attempt();
    EXPECT_EQ(result.end, AttemptEnd::OnTheChain);
    EXPECT_EQ(parts_->asked, "round path prove proved submit block block block ");
    EXPECT_EQ(parts_->sent->share, voteShare(1));
    EXPECT_EQ(parts_->sent->anchorHeight, 7U);
    EXPECT_EQ(parts_->sent->reveal.proof, core::Bytes(772, 1));
    EXPECT_EQ(column("share_nullifier = " + hexLiteral(hash32(60))), "t");
    EXPECT_EQ(column("tx_hash = " + hexLiteral(hash32(50))), "t");
    EXPECT_EQ(column("state"), "witnessed") << "the run writes the end";
}

TEST_F(ShareAttempt, Row_2_ARoundThatIsNotActiveCostsAnAttemptUntilItIsOver)
{
    parts_->round->active = false;
    EXPECT_EQ(attempt().end, AttemptEnd::MayGoBetter);
    now_ = kEnd;
    EXPECT_EQ(attempt().end, AttemptEnd::WillNotChange);
    parts_->round.reset();
    EXPECT_EQ(attempt().code, "round_not_found");
    EXPECT_EQ(parts_->asked, "round round round ");
}

TEST_F(ShareAttempt, Rows_2_8_And_2_9_WhatThePartsSayIsWhatTheAttemptEndsWith)
{
    parts_->proverTrouble = ShareTrouble(AttemptEnd::WillNotChange, "bad_input", "rc -3");
    auto result = attempt();
    EXPECT_EQ(result.end, AttemptEnd::WillNotChange);
    EXPECT_EQ(result.code, "bad_input");
    parts_->proverTrouble.reset();
    parts_->chainTrouble = ShareTrouble(AttemptEnd::ChainAway, "chain_away", "refused");
    result = attempt();
    EXPECT_EQ(result.end, AttemptEnd::ChainAway);
}

TEST_F(ShareAttempt, Row_6_AnErrorOfAChainThatAnsweredBeforeIsPerhapsTheSharesOwn)
{
    const ShareTrouble error(AttemptEnd::ChainAway, plugins::kChainError, "HTTP 500");
    parts_->chainTrouble = error;
    auto result = attempt();
    EXPECT_EQ(result.end, AttemptEnd::MayGoBetter);
    EXPECT_TRUE(result.perhapsTheChain);
    parts_->treeTrouble = error;
    EXPECT_EQ(attempt().end, AttemptEnd::MayGoBetter);
    parts_->roundTrouble = error;
    result = attempt();
    EXPECT_EQ(result.end, AttemptEnd::ChainAway) << "it has answered nothing";
    EXPECT_FALSE(result.perhapsTheChain);
}

// Rows 2, 5 and 6: what can not be read before the proof
TEST_F(ShareAttempt, Rows_2_WithoutARoundOrAPathNothingIsProved)
{
    parts_->treeTrouble = ShareTrouble(AttemptEnd::MayGoBetter, "tree_empty", "no leaves");
    auto result = attempt();
    EXPECT_EQ(result.end, AttemptEnd::MayGoBetter);
    EXPECT_EQ(result.code, "tree_empty");
    EXPECT_EQ(parts_->asked, "round path ");
    parts_->asked.clear();
    parts_->roundTrouble = ShareTrouble(AttemptEnd::MayGoBetter, "chain_answer", "no round");
    result = attempt();
    EXPECT_EQ(result.code, "chain_answer");
    EXPECT_EQ(parts_->asked, "round ");
}

TEST_F(ShareAttempt, Row_2_AnErrorThatNobodyExpectsCostsAnAttemptAndNoMore)
{
    parts_->proverThrowsWhatNobodyExpects = true;
    const auto result = attempt();
    EXPECT_EQ(result.end, AttemptEnd::MayGoBetter);
    EXPECT_EQ(result.code, "internal");
    parts_->proverThrowsWhatNobodyExpects = false;
    EXPECT_EQ(attempt().end, AttemptEnd::OnTheChain);
}

TEST_F(ShareAttempt, Row_6_ACodeOfTheChainDecides)
{
    parts_->answer = {{9, "vote"}, std::nullopt};
    EXPECT_EQ(attempt().end, AttemptEnd::WillNotChange);
    parts_->answer = {{2, "vote"}, std::nullopt};
    const auto result = attempt();
    EXPECT_EQ(result.end, AttemptEnd::HeldUp) << "only the pool knows the nullifier";
    EXPECT_EQ(result.code, "in_the_pool");
    parts_->answer = {{2, ""}, std::nullopt};
    EXPECT_EQ(attempt().end, AttemptEnd::MayGoBetter) << "the chain does not know the nullifier";
    for (const char *codespace : {"vote", ""})
    {
        parts_->answer = {{2, codespace}, std::nullopt};
        parts_->looksUntilSpent = 3;
        EXPECT_EQ(attempt().end, AttemptEnd::OnTheChain) << "once it is in a block";
    }
    parts_->nullifierSpent = true;
    EXPECT_EQ(attempt().end, AttemptEnd::OnTheChain);
}

TEST_F(ShareAttempt, Row_6_WithoutANodeWhatWasSentBeforeTellsWhetherItIsSpent)
{
    parts_->hasNode = false;
    taken_.txHash = hash32(50);
    parts_->answer = {{2, "vote"}, std::nullopt};
    parts_->blocksUntilSeen = 4;
    EXPECT_EQ(attempt().end, AttemptEnd::OnTheChain);
    EXPECT_EQ(parts_->asked.substr(0, 40), "block round path prove proved submit spe")
        << "asked first";
    parts_->blocksUntilSeen = 1'000'000;
    const auto result = attempt();
    EXPECT_EQ(result.end, AttemptEnd::MayGoBetter) << "nobody knows";
    EXPECT_EQ(result.code, "nullifier_spent");
}

// A block that refused it said why, and what it said then need not hold for the next one.
TEST_F(ShareAttempt, Row_6_WhatABlockRefusedBeforeIsSentAgain)
{
    taken_.txHash = hash32(50);
    parts_->inItsBlock = {7, "vote"};
    parts_->answer = {{9, "vote"}, std::nullopt};
    EXPECT_EQ(attempt().code, "bad_field") << "of the new one";
    EXPECT_EQ(parts_->asked, "block round path prove proved submit ");
}

// Of another helper's reveal nothing is known but what the pool says of it, twice.
TEST_F(ShareAttempt, Row_6_WithoutANodeOrAHashThePoolIsAskedAgainAfterAWhile)
{
    parts_->hasNode = false;
    parts_->answer = {{2, "vote"}, std::nullopt};
    EXPECT_EQ(attempt().end, AttemptEnd::OnTheChain);
    std::size_t submits = 0;
    for (std::size_t at = 0; (at = parts_->asked.find("submit", at)) != std::string::npos; ++at)
    {
        ++submits;
    }
    EXPECT_EQ(submits, 2U);
}

TEST_F(ShareAttempt, TakenByThePoolIsNotOnTheChain)
{
    parts_->blocksUntilSeen = 1'000'000;
    const auto result = attempt();
    EXPECT_EQ(result.end, AttemptEnd::MayGoBetter);
    EXPECT_EQ(result.code, "not_in_a_block");
}

TEST_F(ShareAttempt, WhatItsBlockRefusesIsRefused)
{
    parts_->inItsBlock = {13, "vote"};
    EXPECT_EQ(attempt().end, AttemptEnd::WillNotChange);
}

TEST_F(ShareAttempt, Row_12_WhatWasSentBeforeIsLookedForFirst)
{
    taken_.nullifier = hash32(60);
    parts_->nullifierSpent = true;
    EXPECT_EQ(attempt().end, AttemptEnd::OnTheChain);
    EXPECT_EQ(parts_->asked, "spent ");
}

TEST_F(ShareAttempt, Row_12_ATransactionThatWasSentBeforeIsLookedForFirst)
{
    taken_.nullifier = hash32(60);
    taken_.txHash = hash32(50);
    EXPECT_EQ(attempt().end, AttemptEnd::OnTheChain);
    EXPECT_EQ(parts_->asked, "spent block ");
}

TEST_F(ShareAttempt, Row_2_8_HowLongItsProofTookIsLoggedAndCounted)
{
    const CapturedLog log;
    std::vector<std::chrono::microseconds> took;
    context_->proofTook = [&took](std::chrono::microseconds time) { took.push_back(time); };
    EXPECT_EQ(attempt().end, AttemptEnd::OnTheChain);
    ASSERT_EQ(took.size(), 1U);
    EXPECT_GE(took[0].count(), 0);
    EXPECT_TRUE(log.says("step=share_proved share=" + std::to_string(taken_.id) + " "));
    EXPECT_TRUE(log.says(" proof_ms=" + std::to_string(took[0].count() / 1000)));
    parts_->proverTrouble = ShareTrouble(AttemptEnd::MayGoBetter, "prover_failed", "rc -5");
    attempt();
    EXPECT_EQ(took.size(), 1U) << "of those that were made";
}

TEST_F(ShareAttempt, Row_2_1_AStopInTheMiddleCostsNothing)
{
    parts_->whenProved = [this] { context_->stopping = true; };
    EXPECT_EQ(attempt().end, AttemptEnd::Interrupted);
    EXPECT_EQ(parts_->asked, "round path prove proved ");
}

TEST_F(ShareAttempt, WhoLostTheShareDoesNotSendIt)
{
    parts_->whenProved = [this] { database_->query("UPDATE scheduled_share SET owner = 99"); };
    EXPECT_EQ(attempt().end, AttemptEnd::Interrupted);
    EXPECT_EQ(parts_->asked, "round path prove proved ");
}

TEST_F(ShareAttempt, WhatIsAboutToBeSentIsNotedFirst)
{
    parts_->chainTrouble = ShareTrouble(AttemptEnd::ChainAway, "chain_away", "no answer");
    EXPECT_EQ(attempt().end, AttemptEnd::ChainAway);
    EXPECT_EQ(column("share_nullifier = " + hexLiteral(hash32(60)) + " AND tx_hash IS NULL"), "t");
}

TEST_F(ShareAttempt, Row_2_7_AWitnessWithoutItsKeyIsKeptForTheDayItIsNamedAgain)
{
    context_->keys = std::make_shared<core::WitnessKeys>(std::vector<Hash32>{hash32(8)});
    const auto result = attempt();
    EXPECT_EQ(result.end, AttemptEnd::HeldUp);
    EXPECT_EQ(result.code, "witness_unreadable");
    EXPECT_EQ(parts_->asked, "");
}
}  // namespace
}  // namespace relayer::test
