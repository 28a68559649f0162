// The mirror of the commitment tree (helper-processor.md §5), and the library that makes its paths.
#include "plugins/vote_tree.h"

#include "core/base64.h"
#include "plugins/prover_process.h"
#include "plugins/share_library.h"
#include "support/await.h"
#include "support/fake_vote_chain.h"
#include "support/server_process.h"
#include "support/test_mode.h"
#include "support/test_store.h"
#include "support/vote_shares.h"

#include <gtest/gtest.h>
#include <trantor/net/EventLoopThread.h>

namespace relayer::test
{
namespace
{
using drogon::Task;
using plugins::ShareTrouble;
using plugins::VoteTree;

class VoteTrees : public testing::Test
{
  protected:
    void SetUp() override
    {
        round_.fill(0x11);
        chain_.addRound(round_, 2'000'000'000);
        thread_.run();
        prover_ = std::make_shared<plugins::ProverProcess>(
            thread_.getLoop(),
            std::vector<std::string>{serverProgram(), "--prove-with", shareLibrary()},
            plugins::ChildLimits{}, 2);
        plugins::VoteTreeOptions options;
        options.rest = chain::rpc::parseUrl(chain_.url()).value();
        options.fresh = std::chrono::milliseconds(0);
        tree_ = std::make_shared<VoteTree>(thread_.getLoop(), options, prover_);
    }
    void TearDown() override
    {
        // Its connections belong to the loop.
        std::promise<void> gone;
        thread_.getLoop()->queueInLoop([this, &gone] {
            tree_.reset();
            gone.set_value();
        });
        gone.get_future().wait();
    }
    template <typename Value>
    Value on(Task<Value> work)
    {
        return awaitOn(thread_.getLoop(), std::move(work));
    }
    std::string troubleOfPath(std::uint32_t position)
    {
        try
        {
            on(tree_->path(round_, position));
            return "";
        }
        catch (const ShareTrouble &trouble)
        {
            return trouble.code();
        }
    }

    core::Hash32 round_{};
    FakeVoteChain chain_;
    trantor::EventLoopThread thread_;
    std::shared_ptr<plugins::ProverProcess> prover_;
    std::shared_ptr<VoteTree> tree_;
};

TEST_F(VoteTrees, Row_5_StatusAndLeaves)
{
    EXPECT_EQ(on(tree_->status(round_)).leafCount, 0U);
    chain_.addLeaf(hash32(1));
    chain_.addLeaf(hash32(2));
    EXPECT_EQ(on(tree_->status(round_)).leafCount, 2U);
    EXPECT_EQ(on(tree_->status(round_)).anchorHeight, 2U);
    EXPECT_EQ(on(tree_->leaf(round_, 1)), hash32(2));
    EXPECT_EQ(on(tree_->leaf(round_, 2)), std::nullopt);
    core::Hash32 unknown{};
    EXPECT_EQ(on(tree_->leaf(unknown, 0)), std::nullopt);
}

TEST_F(VoteTrees, Row_5_APathIsMadeOfTheLeavesThatTheChainTells)
{
    EXPECT_EQ(troubleOfPath(0), "tree_empty");
    chain_.addLeaves(5);
    EXPECT_EQ(troubleOfPath(5), "not_in_the_tree");
    const auto path = on(tree_->path(round_, 3));
    EXPECT_EQ(path.anchorHeight, 5U);
    ASSERT_EQ(path.merkle.size(), 772U);
    EXPECT_EQ(path.merkle[0], 3U) << "the position, little endian";
    const auto beside = on(tree_->leaf(round_, 2)).value();
    EXPECT_TRUE(std::equal(beside.begin(), beside.end(), path.merkle.begin() + 4))
        << "the leaf's sibling first";
}

TEST_F(VoteTrees, Row_5_HeightsAreAskedForAThousandAtATimeAndNoneTwice)
{
    chain_.addLeaves(2500);
    ASSERT_TRUE(on(tree_->leaf(round_, 2499)));
    EXPECT_EQ(chain_.asked("/leaves?from_height=1501&to_height=2500"), 1U);
    EXPECT_EQ(chain_.asked("/leaves?from_height=501&to_height=1500"), 1U);
    EXPECT_EQ(chain_.asked("/leaves?from_height=0&to_height=500"), 1U);
    chain_.addLeaf(hash32(9));
    EXPECT_EQ(on(tree_->leaf(round_, 2500)), hash32(9));
    EXPECT_EQ(chain_.asked("/leaves"), 4U) << "only what is new";
    EXPECT_TRUE(on(tree_->leaf(round_, 7)));
    EXPECT_EQ(chain_.asked("/leaves"), 4U);
}

TEST_F(VoteTrees, AChainThatTellsAnotherTreeIsNotBelievedTwice)
{
    chain_.addLeaves(4);
    ASSERT_TRUE(on(tree_->leaf(round_, 3)));
    chain_.instead([](const FakeRequest &request) {
        FakeResponse other;
        other.body = request.target.ends_with("/latest") ? R"({"tree":{"next_index":3,"height":9}})"
                                                         : R"({"blocks":[]})";
        return std::optional(other);
    });
    EXPECT_EQ(troubleOfPath(0), "tree_changed");
    EXPECT_EQ(troubleOfPath(0), "chain_answer") << "it leaves out leaves";
    chain_.instead({});
    EXPECT_EQ(troubleOfPath(0), "");
}

TEST_F(VoteTrees, ARootThatIsNotThatOfTheLeavesIsRefused)
{
    chain_.addLeaves(2);
    chain_.instead([](const FakeRequest &request) {
        FakeResponse lying;
        lying.body = R"({"tree":{"next_index":2,"height":2,"root":")" +
                     core::toBase64(core::Bytes(32, 1)) + R"("}})";
        return request.target.ends_with("/latest") ? std::optional(lying) : std::nullopt;
    });
    EXPECT_EQ(troubleOfPath(0), "tree_changed");
}

Task<plugins::ShareReveal> prove(plugins::ShareProver *prover, core::VoteShare share)
{
    co_return co_await prover->prove(share, core::Bytes(772, 0));
}

TEST_F(VoteTrees, Row_4_TheLibraryProvesInAProcessOfItsOwn)
{
    core::VoteShare share = voteShare(3);
    share.key.treePosition = 0;
    const auto reveal = on(prove(prover_.get(), share));
    EXPECT_EQ(reveal.proof.size(), 4000U);
    EXPECT_EQ(reveal.nullifier, testNullifier(share));
    // A sanitizer makes an exit code of a crash.
    const char *const crashed = underSanitizer() ? "prover_failed" : "prover_crashed";
    const std::pair<std::uint8_t, std::string> rows[] = {
        {0xE1, "proof_input"}, {0xE3, "proof_input"}, {0xE5, "prover_failed"}, {0xEC, crashed}};
    for (const auto &[sign, code] : rows)
    {
        provoke(share, sign);
        try
        {
            on(prove(prover_.get(), share));
            ADD_FAILURE() << code;
        }
        catch (const ShareTrouble &trouble)
        {
            EXPECT_EQ(trouble.code(), code);
        }
    }
}

TEST(ShareLibraries, OnlyOneThatExportsTheHashChecksCommitments)
{
    const core::VoteShare share = voteShare(1);
    const plugins::ShareLibrary plain(shareLibrary());
    EXPECT_FALSE(plain.hashesCommitments());
    EXPECT_EQ(plain.commitmentOf(share), std::nullopt);
    const plugins::ShareLibrary hashing(shareLibrary(true));
    EXPECT_TRUE(hashing.hashesCommitments());
    EXPECT_EQ(hashing.commitmentOf(share), testCommitment(share));
}

TEST(ShareLibraries, WhatIsNoProverIsRefused)
{
    EXPECT_THROW(plugins::ShareLibrary("/nowhere.so"), plugins::LibraryError);
    EXPECT_THROW(plugins::ShareLibrary("libpq.so.5"), plugins::LibraryError);
    const plugins::ShareLibrary library(shareLibrary());
    for (const char *question : {"", "[]", "{}", R"({"op":"prove"})", R"({"op":"path"})",
                                 R"({"op":"path","leaves":"AA==","position":0})"})
    {
        EXPECT_EQ(library.answer(question), R"({"rc":-1})") << question;
    }
}
}  // namespace
}  // namespace relayer::test
