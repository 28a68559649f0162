// Shares and kill -9: at each step of a share's way, and in the middle of many with a second
// instance beside (helper-store.md §12, and the table of the requirement).
#include "core/base64.h"
#include "e2e/share_server.h"
#include "support/cutting_proxy.h"

#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <future>
#include <set>

namespace relayer::test
{
namespace
{
class ShareKill : public testing::Test
{
  protected:
    void SetUp() override
    {
        RELAYER_NEEDS_SERVER();
        world_ = std::make_unique<ShareWorldOutside>();
        server_ = world_->serve(quick_);
    }
    void TearDown() override
    {
        server_.reset();
        world_.reset();
    }

    void post(std::uint32_t seed, std::int64_t submitAt) const
    {
        const auto reply =
            HttpClient(server_->port())
                .post(kShares, shareBody(voteShare(seed), static_cast<std::uint64_t>(submitAt)));
        ASSERT_TRUE(reply);
        ASSERT_EQ(reply->body, R"({"status":"queued"})");
    }
    // The chain does not answer what goes there, and it has handled it or not.
    void hangUpOn(const std::string &part)
    {
        world_->chain.instead([part](const FakeRequest &request) {
            FakeResponse silent;
            silent.wire.neverAnswer = true;
            return request.target.find(part) != std::string::npos ? std::optional(silent)
                                                                  : std::nullopt;
        });
    }
    void killAndStartAgain()
    {
        server_->kill(SIGKILL);
        ASSERT_TRUE(server_->exitCode());
        world_->chain.instead({});
        world_->chain.holdBlocks(false);
        server_ = world_->serve(quick_);
    }
    std::string value(const std::string &column) const
    {
        return world_->database.value("SELECT " + column + " FROM scheduled_share");
    }
    // Sent once, and on the chain.
    void expectSubmittedOnce()
    {
        EXPECT_TRUE(becomes([this] { return world_->count("submitted") == "1"; }))
            << server_->output();
        EXPECT_EQ(world_->chain.reveals().size(), 1U);
        EXPECT_EQ(world_->chain.doubles(), 0U);
        EXPECT_EQ(value("attempts"), "0");
    }

    // A start takes back at once what its predecessor held; nobody waits for a lease.
    ShareWorldOutside::Environment quick_ = {{"TIMEOUT", "30s"}, {"SUBMIT_TIMEOUT", "30s"}};
    std::unique_ptr<ShareWorldOutside> world_;
    std::unique_ptr<ServerProcess> server_;
};

TEST_F(ShareKill, Row_12_ReceivedWaitsForItsPersistedSecond)
{
    const std::int64_t at = secondsNow() + 3;
    post(1, at);
    killAndStartAgain();
    EXPECT_EQ(value("submit_at"), std::to_string(at));
    EXPECT_EQ(value("extract(epoch FROM next_attempt_at)::bigint"), std::to_string(at));
    expectSubmittedOnce();
    EXPECT_GE(world_->chain.reveals().at(0).atMicros, at * 1'000'000) << "not early";
}

TEST_F(ShareKill, Row_12_WitnessedBeforeItsProofIsProvedAgain)
{
    hangUpOn("/round/11");
    // The end of the round is asked for by the post, too.
    world_->database.query("INSERT INTO voting_round (round_id, vote_end_time) VALUES ('\\x" +
                           std::string(64, '1') + "', " + std::to_string(world_->end) + ")");
    post(1, 0);
    ASSERT_TRUE(becomes([this] { return world_->count("witnessed") == "1"; }));
    killAndStartAgain();
    expectSubmittedOnce();
}

TEST_F(ShareKill, Row_12_BeforeItsCommitTheWalletsNextPostIsQueued)
{
    const auto insertsThatWait = [this](const std::string &what) {
        world_->database.query("SELECT pg_stat_clear_snapshot()");
        return world_->database.value("SELECT count(" + what +
                                      ") FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
                                      " AND datname = current_database()"
                                      " AND query LIKE '%INSERT INTO scheduled_share%'");
    };
    world_->database.query("BEGIN");
    world_->database.query("LOCK TABLE scheduled_share IN EXCLUSIVE MODE");
    auto answer = std::async(std::launch::async, [port = server_->port()] {
        return HttpClient(port).post(kShares, shareBody(voteShare(1), 0));
    });
    ASSERT_TRUE(becomes([&] { return insertsThatWait("*") == "1"; }));
    server_->kill(SIGKILL);
    EXPECT_FALSE(answer.get()) << "the wallet has no answer";
    // The insert dies with its server; else it would go on when the lock is gone.
    EXPECT_EQ(insertsThatWait("pg_terminate_backend(pid) OR NULL"), "1");
    world_->database.query("ROLLBACK");
    ASSERT_TRUE(becomes([&] { return insertsThatWait("*") == "0"; }));
    EXPECT_EQ(value("count(*)"), "0");
    killAndStartAgain();
    post(1, 0);
    expectSubmittedOnce();
}

TEST_F(ShareKill, Row_12_AfterItsCommitButBeforeItsAnswerTheNextPostIsADuplicate)
{
    const std::int64_t at = secondsNow() + 3600;
    const std::string body = shareBody(voteShare(1), static_cast<std::uint64_t>(at));
    {
        CuttingProxy between(server_->port());
        HttpClient client(between.port());
        ASSERT_EQ(client.get(kHelperStatus)->status, 200);
        between.holdAnswers();
        auto answer = std::async(std::launch::async, [&] { return client.post(kShares, body); });
        ASSERT_TRUE(becomes([this] { return value("count(*)") == "1"; }));
        server_->kill(SIGKILL);
        ASSERT_TRUE(server_->exitCode());
        between.cut();
        EXPECT_FALSE(answer.get()) << "the wallet has no answer";
    }
    killAndStartAgain();
    EXPECT_EQ(HttpClient(server_->port()).post(kShares, body)->body, R"({"status":"duplicate"})");
    EXPECT_EQ(value("submit_at"), std::to_string(at));
}

// A prover that takes its time as long as a file is there, and says when it was asked for a proof.
TEST_F(ShareKill, Row_12_InTheMiddleOfItsProofItIsProvedAgain)
{
    const std::filesystem::path folder = std::filesystem::temp_directory_path() /
                                         ("share-prover-" + std::to_string(server_->port()));
    std::filesystem::create_directory(folder);
    const std::string hold = folder / "hold";
    const std::string begun = folder / "begun";
    const std::string worker = folder / "worker";
    std::ofstream(hold) << "";
    std::ofstream(worker) << "#!/bin/sh\nquestion=$(cat)\ncase $question in *'\"op\":\"prove\"'*)\n"
                          << "  : >'" << begun << "'\n  while [ -e '" << hold
                          << "' ]; do sleep 0.02; done ;;\nesac\nprintf %s \"$question\" | '"
                          << serverProgram() << "' \"$@\"\n";
    std::filesystem::permissions(worker, std::filesystem::perms::owner_all);
    quick_["PROVER_WORKER"] = worker;
    killAndStartAgain();
    post(1, 0);
    EXPECT_TRUE(becomes([&] { return std::filesystem::exists(begun); })) << server_->output();
    EXPECT_EQ(world_->count("witnessed"), "1");
    server_->kill(SIGKILL);
    ASSERT_TRUE(server_->exitCode());
    std::filesystem::remove(hold);
    EXPECT_EQ(world_->chain.asked("reveal-share"), 0U);
    killAndStartAgain();
    expectSubmittedOnce();
    std::filesystem::remove_all(folder);
}

TEST_F(ShareKill, Rows_4_And_12_TheEndOfARoundIsKnownWithoutTheChain)
{
    post(1, secondsNow() + 3600);
    killAndStartAgain();
    world_->chain.instead([](const FakeRequest &) {
        FakeResponse broken;
        broken.wire.status = 503;
        return std::optional(broken);
    });
    post(2, secondsNow() + 3600);
    EXPECT_EQ(value("count(*)"), "2");
}

TEST_F(ShareKill, Row_12_WitnessedWhenItsRevealHadNotArrivedIsSent)
{
    hangUpOn("reveal-share");
    post(1, 0);
    ASSERT_TRUE(becomes([this] { return world_->chain.asked("reveal-share") == 1; }));
    EXPECT_EQ(world_->count("witnessed"), "1");
    killAndStartAgain();
    expectSubmittedOnce();
}

TEST_F(ShareKill, Row_12_AcceptedByTheChainButNotMarkedIsNotSentTwice)
{
    hangUpOn("/tx/");
    post(1, 0);
    ASSERT_TRUE(becomes([this] { return world_->chain.asked("/tx/") > 0; }));
    killAndStartAgain();
    expectSubmittedOnce();
}

TEST_F(ShareKill, Row_12_InThePoolWithoutABlockIsSubmittedOnceItHasOne)
{
    world_->chain.holdBlocks(true);
    post(1, 0);
    ASSERT_TRUE(becomes([this] { return world_->chain.asked("/tx/") > 1; }));
    EXPECT_EQ(world_->count("witnessed"), "1") << "taken by the pool is not on the chain";
    for (const int signal : {SIGKILL, SIGTERM})
    {
        const auto refusals = world_->chain.doubles();
        server_->kill(signal);
        ASSERT_TRUE(server_->exitCode());
        server_ = world_->serve(quick_);
        ASSERT_TRUE(becomes([&] { return world_->chain.doubles() > refusals; }));
        const auto looks = world_->chain.asked("/abci_query");
        ASSERT_TRUE(becomes([&] { return world_->chain.asked("/abci_query") > looks + 2; }))
            << "the pool's word is no block";
        EXPECT_EQ(world_->count("witnessed"), "1");
        EXPECT_EQ(value("witness IS NOT NULL AND witness_key IS NOT NULL"), "t");
    }
    world_->chain.holdBlocks(false);
    EXPECT_TRUE(becomes([this] { return world_->count("submitted") == "1"; })) << server_->output();
    EXPECT_EQ(world_->chain.reveals().size(), 1U);
    EXPECT_EQ(value("attempts"), "0");
}

// What the pool loses has to be sent again, and can be.
TEST_F(ShareKill, Row_12_WhatDropsOutOfThePoolIsSentAgain)
{
    quick_["BLOCK_PATIENCE"] = "200ms";
    quick_["CHAIN_AWAY"] = "1s";
    quick_["RETRY_WAITS"] = "1s,1s,1s,1s,1s";
    killAndStartAgain();
    world_->chain.holdBlocks(true);
    post(1, 0);
    ASSERT_TRUE(becomes([this] { return world_->chain.doubles() > 1; })) << server_->output();
    EXPECT_EQ(world_->count("submitted"), "0");
    EXPECT_EQ(value("attempts"), "1") << "for the first that had no block in time";
    world_->chain.emptyPool();
    EXPECT_TRUE(becomes([this] { return world_->chain.reveals().size() == 2; }));
    world_->chain.holdBlocks(false);
    EXPECT_TRUE(becomes([this] { return world_->count("submitted") == "1"; })) << server_->output();
}

TEST_F(ShareKill, Row_12_WhatHasEndedStaysAsItIs)
{
    core::VoteShare bad = voteShare(2);
    provoke(bad, 0xE1);
    ASSERT_EQ(HttpClient(server_->port()).post(kShares, shareBody(bad, 0))->status, 200);
    ASSERT_TRUE(becomes([this] { return world_->count("failed") == "1"; }));
    const std::string failed = value("scheduled_share::text");
    killAndStartAgain();
    EXPECT_EQ(HttpClient(server_->port()).post(kShares, shareBody(bad, 0))->body,
              R"({"status":"duplicate"})");
    EXPECT_EQ(value("scheduled_share::text"), failed) << "failed is for good";
    EXPECT_EQ(world_->chain.asked("reveal-share"), 0U);
    world_->database.query("DELETE FROM scheduled_share");
    post(1, 0);
    ASSERT_TRUE(becomes([this] { return world_->count("submitted") == "1"; }));
    const std::string before = value("scheduled_share::text");
    killAndStartAgain();
    HttpClient client(server_->port());
    EXPECT_EQ(client.post(kShares, shareBody(voteShare(1), 5))->body, R"({"status":"duplicate"})");
    EXPECT_EQ(value("scheduled_share::text"), before);
    expectSubmittedOnce();
}

TEST_F(ShareKill, Row_12_AnOrderlyStopGivesBackWhatIsHeldAndCostsNoAttempt)
{
    world_->chain.holdBlocks(true);
    post(1, 0);
    ASSERT_TRUE(becomes([this] { return world_->chain.asked("/tx/") > 0; }));
    server_->kill(SIGTERM);
    EXPECT_EQ(server_->exitCode(), 0) << server_->output();
    EXPECT_EQ(world_->count("received"), "1");
    EXPECT_EQ(value("attempts"), "0");
    EXPECT_EQ(value("share_nullifier IS NOT NULL"), "t") << "so that it is looked for first";
}

TEST_F(ShareKill, TwoInstancesOneOfThemKilledAmongTwoHundredShares)
{
    server_->kill(SIGTERM);
    ASSERT_EQ(server_->exitCode(), 0) << server_->output();
    const ShareWorldOutside::Environment shared = {{"MAX_CONCURRENT_PROOFS", "8"},
                                                   {"RELAYER_INSTANCE__HEARTBEAT", "300ms"},
                                                   {"RELAYER_INSTANCE__LEASE", "1s"}};
    server_ = world_->serve(shared, "one");
    const auto other = world_->serve(shared, "two");
    const std::int64_t start = secondsNow() + 3;
    std::map<std::string, std::int64_t> due;
    {
        HttpClient client(server_->port());
        for (std::uint32_t i = 0; i < 200; ++i)
        {
            const std::int64_t at = start + i / 50;
            ASSERT_EQ(
                client.post(kShares, shareBody(voteShare(i), static_cast<std::uint64_t>(at)))->body,
                R"({"status":"queued"})");
            due[core::toBase64(testNullifier(voteShare(i)))] = at;
        }
    }
    ASSERT_TRUE(becomes([this] { return world_->chain.reveals().size() >= 60; }));
    server_->kill(SIGKILL);
    EXPECT_TRUE(becomes([this] { return world_->count("submitted") == "200"; })) << other->output();
    const auto reveals = world_->chain.reveals();
    EXPECT_EQ(reveals.size(), 200U) << "each once, none lost";
    EXPECT_EQ(world_->chain.doubles(), 0U);
    std::set<std::string> seen;
    for (const auto &reveal : reveals)
    {
        seen.insert(reveal.nullifier);
        EXPECT_GE(reveal.atMicros, due.at(reveal.nullifier) * 1'000'000) << "not early";
    }
    EXPECT_EQ(seen.size(), 200U);
    const std::string takenByTheOther =
        world_->database.value("SELECT count(*) FROM scheduled_share WHERE attempts > 0");
    EXPECT_EQ(takenByTheOther, "0") << "a kill costs nobody an attempt";
}

// Of a share that was posted at the other one an instance knows by a notice, or not until its next
// maintenance, which is far away here. Before its next heartbeat the first does not know yet that
// it is not alone.
TEST_F(ShareKill, TheSecondOfAShareIsKnownToAllInstancesWithoutMaintenance)
{
    const ShareWorldOutside::Environment slow = {{"MAINTENANCE", "10m"},
                                                 {"RELAYER_INSTANCE__HEARTBEAT", "4s"},
                                                 {"RELAYER_INSTANCE__LEASE", "12s"}};
    server_->kill(SIGTERM);
    ASSERT_EQ(server_->exitCode(), 0) << server_->output();
    server_ = world_->serve(slow, "one");
    const auto heartbeat = [this] {
        return world_->database.value("SELECT heartbeat_at FROM instance WHERE name = 'one'");
    };
    const std::string first = heartbeat();
    ASSERT_TRUE(becomes([&] { return heartbeat() != first; }));
    const auto other = world_->serve(slow, "two");
    const std::int64_t at = secondsNow() + 7;
    post(1, at);
    ASSERT_TRUE(becomes([&] { return secondsNow() >= at - 1; }));
    server_->kill(SIGKILL);
    ASSERT_TRUE(server_->exitCode());
    ASSERT_LT(secondsNow(), at) << "too slow a machine: it was due before its instance was killed";
    expectSubmittedOnce();
    const std::int64_t late = world_->chain.reveals().at(0).atMicros - at * 1'000'000;
    EXPECT_GE(late, 0) << "not early";
    EXPECT_LT(late, 20'000'000);
}
}  // namespace
}  // namespace relayer::test
