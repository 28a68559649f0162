// A prover that is another program (helper-processor.md §4), played by a few lines of shell.
#include "plugins/prover_process.h"

#include "chain/rpc/json_answers.h"
#include "core/base64.h"
#include "support/await.h"
#include "support/vote_shares.h"

#include <gtest/gtest.h>
#include <trantor/net/EventLoopThread.h>

namespace relayer::plugins
{
namespace
{
using core::AttemptEnd;
using test::await;
using test::voteShare;

const core::Bytes kPath(772, 3);

std::string goodAnswer()
{
    return R"({"proof":")" + core::toBase64(core::Bytes(4000, 1)) + R"(","share_nullifier":")" +
           core::toBase64(core::Bytes(32, 2)) + R"("})";
}

class Provers : public testing::Test
{
  protected:
    Provers() { thread_.run(); }

    static drogon::Task<ShareReveal> there(trantor::EventLoop *loop, ShareProver *prover)
    {
        co_await drogon::switchThreadCoro(loop);
        ShareReveal reveal = co_await prover->prove(voteShare(3), kPath);
        EXPECT_TRUE(loop->isInLoopThread());
        co_return reveal;
    }
    ShareReveal prove(const std::string &script, ChildLimits limits = {})
    {
        ProverProcess prover(thread_.getLoop(), {"/bin/sh", "-c", script}, limits, 2);
        return await(there(thread_.getLoop(), &prover));
    }
    std::pair<AttemptEnd, std::string> troubleOf(const std::string &script, ChildLimits limits = {})
    {
        try
        {
            prove(script, limits);
        }
        catch (const ShareTrouble &trouble)
        {
            return {trouble.end(), trouble.code()};
        }
        return {AttemptEnd::OnTheChain, "none"};
    }

    trantor::EventLoopThread thread_;
};

TEST_F(Provers, Row_4_AProof)
{
    const ShareReveal reveal = prove("cat >/dev/null; echo '" + goodAnswer() + "'");
    EXPECT_EQ(reveal.proof, core::Bytes(4000, 1));
    EXPECT_EQ(core::Bytes(reveal.nullifier.begin(), reveal.nullifier.end()), core::Bytes(32, 2));
}

// What comes in as its input goes out as its proof, so that it can be looked at.
TEST_F(Provers, Rows_4_WhatItIsGiven)
{
    const ShareReveal reveal =
        prove(R"sh(printf '{"proof":"%s","share_nullifier":"%s"}' "$(base64 -w0)" )sh" +
              core::toBase64(core::Bytes(32, 2)));
    const std::string asked(reveal.proof.begin(), reveal.proof.end());
    const auto given = chain::rpc::parseJson(asked, {});
    ASSERT_TRUE(given);
    const core::VoteShare share = voteShare(3);
    const auto bytes = [&given](const char *name) {
        return core::fromBase64((*given)[name].asString()).value_or(core::Bytes());
    };
    const auto is = [&bytes](const char *name, const core::Hash32 &value) {
        return bytes(name) == core::Bytes(value.begin(), value.end());
    };
    EXPECT_EQ(bytes("merkle_path"), kPath);
    EXPECT_EQ(bytes("share_comms").size(), 512U);
    EXPECT_TRUE(std::equal(share.commitments[1].begin(), share.commitments[1].end(),
                           bytes("share_comms").begin() + 32));
    EXPECT_TRUE(is("primary_blind", share.primaryBlind));
    EXPECT_TRUE(is("enc_c1", share.c1));
    EXPECT_TRUE(is("enc_c2", share.c2));
    EXPECT_TRUE(is("round_id", share.key.round));
    EXPECT_EQ((*given)["share_index"].asUInt(), share.key.shareIndex);
    EXPECT_EQ((*given)["proposal_id"].asUInt(), share.key.proposal);
    EXPECT_EQ((*given)["vote_decision"].asUInt(), share.voteDecision);
    EXPECT_EQ((*given)["op"], "prove");
    EXPECT_EQ(given->size(), 10U);
}

TEST_F(Provers, Rows_4_ItsCodes)
{
    using Trouble = std::pair<AttemptEnd, std::string>;
    const Trouble permanent{AttemptEnd::WillNotChange, "proof_input"};
    const Trouble passing{AttemptEnd::MayGoBetter, "prover_failed"};
    EXPECT_EQ(troubleOf(R"(echo '{"rc":-1}')"), permanent);
    EXPECT_EQ(troubleOf(R"(echo '{"rc":-3}')"), permanent);
    EXPECT_EQ(troubleOf(R"(echo '{"rc":-5}')"), passing);
    EXPECT_EQ(troubleOf("exit 1"), passing);
}

TEST_F(Provers, WhatGoesWrongWithItCostsOneAttemptAndNoMore)
{
    const auto better = [this](const std::string &script) {
        const auto trouble = troubleOf(script);
        EXPECT_EQ(trouble.first, AttemptEnd::MayGoBetter) << script;
        return trouble.second;
    };
    EXPECT_EQ(better("kill -ABRT $$"), "prover_crashed");
    EXPECT_EQ(better("cat /dev/zero"), "prover_answer");
    EXPECT_EQ(better("echo '[]'"), "prover_answer");
    EXPECT_EQ(better("echo '{}'"), "prover_answer");
    EXPECT_EQ(better(R"(echo '{"proof":"","share_nullifier":""}')"), "prover_answer");
    EXPECT_EQ(better(R"(echo '{"proof":"AA==","share_nullifier":"AA=="}')"), "prover_answer");
    EXPECT_EQ(better("true"), "prover_answer");
    ChildLimits limits;
    limits.deadline = std::chrono::milliseconds(100);
    EXPECT_EQ(troubleOf("sleep 100", limits).second, "prover_too_slow");
}

TEST_F(Provers, OneThatIsMissingCostsNothing)
{
    ProverProcess prover(thread_.getLoop(), {"/nowhere/prover"}, {}, 1);
    try
    {
        await(there(thread_.getLoop(), &prover));
        FAIL();
    }
    catch (const ShareTrouble &trouble)
    {
        EXPECT_EQ(trouble.end(), AttemptEnd::HeldUp);
    }
}
}  // namespace
}  // namespace relayer::plugins
