// The vote chain over REST (helper-processor.md §6 and §7), played by a server that answers as the
// test says.
#include "plugins/vote_chain.h"

#include "chain/rpc/json_answers.h"
#include "core/base64.h"
#include "support/await.h"
#include "support/fake_node_server.h"
#include "support/test_store.h"
#include "support/vote_shares.h"

#include <gtest/gtest.h>
#include <trantor/net/EventLoopThread.h>

namespace relayer::test
{
namespace
{
using drogon::Task;
using plugins::RevealMessage;
using plugins::ShareTrouble;
using plugins::VoteChain;

const std::string kRound(64, '1');

class VoteChainOverRest : public testing::Test
{
  protected:
    void SetUp() override
    {
        thread_.run();
        plugins::VoteChainOptions options;
        options.rest =
            chain::rpc::parseUrl("http://127.0.0.1:" + std::to_string(server_.port())).value();
        options.node = options.rest;
        options.timeout = options.submitTimeout = std::chrono::milliseconds(2000);
        chain_ = std::make_shared<VoteChain>(thread_.getLoop(), options);
    }
    void TearDown() override
    {
        // Its connections belong to the loop.
        std::promise<void> gone;
        thread_.getLoop()->queueInLoop([this, &gone] {
            chain_.reset();
            gone.set_value();
        });
        gone.get_future().wait();
    }

    void answer(int status, const std::string &body)
    {
        const std::lock_guard lock(mutex_);
        answer_ = {};
        answer_.body = body;
        answer_.wire.status = status;
    }
    void breakConnections()
    {
        const std::lock_guard lock(mutex_);
        answer_.wire.closeInsteadOfAnswering = true;
    }
    FakeRequest last()
    {
        const std::lock_guard lock(mutex_);
        return last_;
    }

    template <typename Value>
    Value on(Task<Value> work)
    {
        return awaitOn(thread_.getLoop(), std::move(work));
    }
    // What the attempt is told, or "" when nothing is thrown.
    template <typename Value>
    std::string troubleOf(Task<Value> work)
    {
        try
        {
            on(std::move(work));
            return "";
        }
        catch (const ShareTrouble &trouble)
        {
            const char *const names[] = {"on_the_chain ", "better ", "never ", "away "};
            return names[static_cast<int>(trouble.end())] + trouble.code();
        }
    }
    static RevealMessage message()
    {
        RevealMessage message;
        message.share = voteShare(4);
        message.reveal = {core::Bytes(40, 9), hash32(5)};
        message.anchorHeight = 77;
        return message;
    }

    trantor::EventLoopThread thread_;
    std::shared_ptr<VoteChain> chain_;
    std::mutex mutex_;
    FakeRequest last_;
    FakeResponse answer_;
    FakeServer server_{{.http = [this](const FakeRequest &request) {
        const std::lock_guard lock(mutex_);
        last_ = request;
        return answer_;
    }}};  // last: its threads use all of the above
};

TEST_F(VoteChainOverRest, Row_7_ARound)
{
    core::Hash32 round{};
    round.fill(0x11);
    answer(200, R"({"round":{"vote_end_time":1800000000,"status":1}})");
    auto found = on(chain_->find(round));
    ASSERT_TRUE(found);
    EXPECT_EQ(found->voteEndTime, 1'800'000'000);
    EXPECT_TRUE(found->active);
    EXPECT_EQ(last().method, "GET");
    EXPECT_EQ(last().target, "/shielded-vote/v1/round/" + kRound);
    for (const char *status : {"2", "3", "4", "\"1\"", "1.0"})
    {
        answer(200, std::string(R"({"round":{"status":)") + status + "}}");
        found = on(chain_->find(round));
        EXPECT_EQ(found->voteEndTime, 0) << "omitted when zero";
        EXPECT_FALSE(found->active) << status;
    }
}

TEST_F(VoteChainOverRest, Row_7_AnUnknownRoundIsA404OrA500ThatSaysSo)
{
    answer(404, "");
    EXPECT_EQ(on(chain_->find({})), std::nullopt);
    answer(500, R"({"error":"rpc: vote round not found: 1111"})");
    EXPECT_EQ(on(chain_->find({})), std::nullopt);
    answer(500, R"({"error":"out of disk"})");
    EXPECT_EQ(troubleOf(chain_->find({})), "away chain_error") << "perhaps of this alone";
    answer(200, "[]");
    EXPECT_EQ(troubleOf(chain_->find({})), "better chain_answer");
    answer(200, R"({"round":{"vote_end_time":"soon"}})");
    EXPECT_EQ(troubleOf(chain_->find({})), "better chain_answer");
    breakConnections();
    EXPECT_EQ(troubleOf(chain_->find({})), "away chain_away");
}

TEST_F(VoteChainOverRest, Rows_6_TheBodyOfAReveal)
{
    answer(200, R"({"tx_hash":")" + std::string(64, 'A') + R"(","code":0})");
    const auto said = on(chain_->submit(message()));
    EXPECT_EQ(said.verdict.code, 0U);
    core::Hash32 hash{};
    hash.fill(0xAA);
    EXPECT_EQ(said.txHash, hash);
    const FakeRequest request = last();
    EXPECT_EQ(request.method, "POST");
    EXPECT_EQ(request.target, "/shielded-vote/v1/reveal-share");
    EXPECT_EQ(request.headers.at("content-type"), "application/json");
    EXPECT_FALSE(request.headers.contains("authorization"));
    const auto body = chain::rpc::parseJson(request.body, {});
    ASSERT_TRUE(body);
    const core::VoteShare share = voteShare(4);
    EXPECT_EQ((*body)["share_nullifier"].asString(), core::toBase64(hash32(5)));
    const auto encrypted = core::fromBase64((*body)["enc_share"].asString());
    ASSERT_TRUE(encrypted);
    EXPECT_EQ(encrypted->size(), 64U);
    EXPECT_TRUE(std::equal(share.c1.begin(), share.c1.end(), encrypted->begin()));
    EXPECT_EQ((*body)["proposal_id"].asUInt(), share.key.proposal);
    EXPECT_EQ((*body)["vote_decision"].asUInt(), share.voteDecision);
    EXPECT_EQ((*body)["proof"].asString(), core::toBase64(core::Bytes(40, 9)));
    EXPECT_EQ((*body)["vote_round_id"].asString(), core::toBase64(share.key.round));
    EXPECT_EQ((*body)["vote_comm_tree_anchor_height"].asUInt64(), 77U);
    EXPECT_EQ(body->size(), 7U) << "all fields, and no more";
}

TEST_F(VoteChainOverRest, Rows_6_WhatItsStatusesMean)
{
    answer(422, R"({"tx_hash":"","code":2,"codespace":"vote","log":"spent"})");
    auto said = on(chain_->submit(message()));
    EXPECT_EQ(said.verdict.code, 2U);
    EXPECT_EQ(said.verdict.codespace, "vote");
    EXPECT_EQ(said.txHash, std::nullopt);
    answer(200, R"({"code":5})");
    said = on(chain_->submit(message()));
    EXPECT_EQ(said.verdict.code, 5U) << "200 with a code is as good as 422";
    EXPECT_EQ(said.verdict.codespace, "");
    answer(400, "bad JSON");
    EXPECT_EQ(troubleOf(chain_->submit(message())), "never message_refused");
    for (const int status : {500, 502, 503})
    {
        answer(status, "");
        EXPECT_EQ(troubleOf(chain_->submit(message())),
                  status == 500 ? "away chain_error" : "away chain_away");
    }
    answer(302, "");
    EXPECT_EQ(troubleOf(chain_->submit(message())), "better chain_answer");
    const std::string accepted = R"({"code":0,"log":")";
    const std::string filling((1U << 20U) - accepted.size() - 2, 'x');
    answer(200, accepted + filling + "\"}");
    EXPECT_EQ(on(chain_->submit(message())).verdict.code, 0U) << "a mebibyte is read";
    answer(200, accepted + filling + "x\"}");
    EXPECT_EQ(troubleOf(chain_->submit(message())), "better chain_answer") << "and no more";
    answer(200, "no JSON");
    EXPECT_EQ(troubleOf(chain_->submit(message())), "better chain_answer");
    answer(200, R"({"code":"0"})");
    EXPECT_EQ(troubleOf(chain_->submit(message())), "better chain_answer");
    breakConnections();
    EXPECT_EQ(troubleOf(chain_->submit(message())), "away chain_away");
}

// 180 s by default (ConfigShares.TheDefaultsAreTheContracts), of a call as a whole.
TEST_F(VoteChainOverRest, Row_6_ASubmissionThatNobodyAnswersEndsWithItsTimeout)
{
    {
        const std::lock_guard lock(mutex_);
        answer_ = {};
        answer_.wire.neverAnswer = true;
    }
    const auto begin = std::chrono::steady_clock::now();
    EXPECT_EQ(troubleOf(chain_->submit(message())), "away chain_away");
    const auto took = std::chrono::steady_clock::now() - begin;
    EXPECT_GE(took, std::chrono::milliseconds(1990)) << "not before its time";
    EXPECT_LT(took, std::chrono::seconds(20));
}

TEST_F(VoteChainOverRest, Row_6_WhatABlockSays)
{
    core::Hash32 hash{};
    hash.fill(0xAB);
    answer(404, "");
    EXPECT_EQ(on(chain_->inBlock(hash)), std::nullopt);
    std::string target = "/shielded-vote/v1/tx/";
    for (int i = 0; i < 32; ++i)
    {
        target += "AB";
    }
    EXPECT_EQ(last().target, target);
    answer(200, R"({"code":0})");
    EXPECT_EQ(on(chain_->inBlock(hash))->code, 0U);
    answer(422, R"({"code":13,"codespace":"vote"})");
    EXPECT_EQ(on(chain_->inBlock(hash))->code, 13U);
    answer(500, "");
    EXPECT_EQ(troubleOf(chain_->inBlock(hash)), "away chain_error");
}

TEST_F(VoteChainOverRest, Row_5_ANullifierIsLookedForInTheChainsStore)
{
    core::Hash32 round{};
    round.fill(0x11);
    core::Hash32 nullifier{};
    nullifier.fill(0x22);
    answer(200, R"({"result":{"response":{"code":0,"value":null}}})");
    EXPECT_FALSE(on(chain_->spent(round, nullifier)));
    EXPECT_EQ(last().target,
              "/abci_query?path=%22/store/vote/key%22&data=0x0102" + kRound + std::string(64, '2'));
    answer(200, R"({"result":{"response":{"code":0,"value":"AQ=="}}})");
    EXPECT_TRUE(on(chain_->spent(round, nullifier)));
    answer(200, R"({"result":{"response":{"code":1}}})");
    EXPECT_EQ(troubleOf(chain_->spent(round, nullifier)), "better chain_answer");
    answer(200, R"({"error":{"code":-32603}})");
    EXPECT_EQ(troubleOf(chain_->spent(round, nullifier)), "better chain_answer");
}
}  // namespace
}  // namespace relayer::test
