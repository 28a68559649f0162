// Rows of helper-http.md §4 to §7 that share_routes_test.cc leaves out: orders of checks, servers
// that are not ready or hide something, faults behind the routes.
#include "core/base64.h"
#include "e2e/share_suite.h"
#include "support/api_document.h"
#include "support/json_text.h"
#include "support/private_postgres.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace relayer::test
{
namespace
{
const std::string kQueued = R"({"status":"queued"})";
const std::string kPending = R"({"status":"pending"})";

std::string anyShareStatus()
{
    return kShareStatus + std::string(64, '1') + "/" + std::string(64, '2');
}

class ShareRouteRows : public ShareSuite
{
  protected:
    std::string stateOf(const core::VoteShare &share)
    {
        return world_->database.value("SELECT state FROM scheduled_share WHERE tree_position = " +
                                      std::to_string(share.key.treePosition));
    }
};

TEST_F(ShareRouteRows, Row_4_2_WhoNamesNoTimeIsSentAtOnceAndCounted)
{
    const core::VoteShare share = voteShare(1);
    ShareMembers members = membersOf(share, 0);
    members.erase("submit_at");
    ASSERT_EQ(post(shareBody(members)).body, kQueued);
    EXPECT_TRUE(becomes([&] { return stateOf(share) == "submitted"; }));
    HttpClient metrics(portBehind(server_->output(), "metrics on http://127.0.0.1:"));
    EXPECT_NE(metrics.get("/metrics")->body.find("\nrelayer_share_posts_without_time_total 1\n"),
              std::string::npos);
}

TEST_F(ShareRouteRows, Row_4_1_ATimeInThePastIsNow)
{
    const core::VoteShare share = voteShare(2);
    ASSERT_EQ(post(share, secondsNow() - 1000).body, kQueued);
    EXPECT_TRUE(becomes([&] { return stateOf(share) == "submitted"; }));
}

TEST_F(ShareRouteRows, Rows_4_3_2_And_3_TheTokenComesBeforeTheSize)
{
    const std::string large(2U << 20U, ' ');
    EXPECT_EQ(client_.post(kShares, large)->status, 401);
    const HttpReply refused = post(large);
    EXPECT_EQ(refused.status, 413);
    EXPECT_EQ(refused.header("content-type"), "application/json");
    EXPECT_EQ(errorOf(refused).rfind("invalid JSON: ", 0), 0U);
    // Above twice http.max_body nobody of ours is asked.
    EXPECT_EQ(post(std::string(16U << 20U, ' ')).status, 413);
}

TEST_F(ShareRouteRows, Rows_4_3_16_And_17_ATimeThatIsTooLateComesBeforeWhatIsThere)
{
    core::VoteShare share = voteShare(3);
    ASSERT_EQ(post(share, secondsNow() + 3600).body, kQueued);
    EXPECT_EQ(post(share, world_->end + 1).status, 400);
    share.c1[0] ^= 1U;
    EXPECT_EQ(post(share, world_->end + 1).status, 400);
    EXPECT_EQ(post(share, 0).status, 409);
}

TEST_F(ShareRouteRows, Row_4_3_Last_ADatabaseThatFailsIsOurFault)
{
    ASSERT_EQ(post(voteShare(4), secondsNow() + 3600).body, kQueued);
    world_->database.query("ALTER TABLE scheduled_share RENAME TO gone");
    const HttpReply posted = post(voteShare(5), secondsNow() + 3600);
    const HttpReply queue = get(kQueueStatus);
    world_->database.query("ALTER TABLE gone RENAME TO scheduled_share");
    EXPECT_EQ(posted.status, 500);
    EXPECT_EQ(errorOf(posted), "internal error");
    EXPECT_EQ(queue.status, 500) << "row 7.4";
    EXPECT_EQ(errorOf(queue), "internal error");
    EXPECT_TRUE(server_->printed("step=enqueue ")) << "the contract's name of the stage";
    EXPECT_TRUE(server_->printed("step=queue_status "));
    EXPECT_TRUE(becomes([&] { return post(voteShare(5), 0).body == kQueued; }));
}

TEST_F(ShareRouteRows, Row_4_4_WithoutTheHashCommitmentsAreNotLookedAt)
{
    EXPECT_TRUE(server_->printed("step=commitments_unchecked"));
    core::VoteShare share = voteShare(6);
    share.key.treePosition = 4'000'000;  // where there is no leaf
    EXPECT_EQ(post(share, secondsNow() + 3600).body, kQueued);
}

TEST_F(ShareRouteRows, Rows_5_3_To_5_LengthsComeBeforeDigits)
{
    const std::string good(64, '1');
    const std::string bad(64, 'g');
    EXPECT_EQ(errorOf(get(kShareStatus + bad + "/22")), "nullifier must be 64 hex characters");
    EXPECT_EQ(errorOf(get(kShareStatus + "11/" + bad)), "roundId must be 64 hex characters");
    EXPECT_EQ(errorOf(get(kShareStatus + bad + "/" + bad)), "invalid roundId hex");
    EXPECT_EQ(get(kShareStatus + good + "/" + good).status, 200);
}

TEST_F(ShareRouteRows, Row_5_9_WhatTheChainDoesNotHaveIsPendingForEver)
{
    EXPECT_EQ(get(kShareStatus + std::string(64, '9') + "/" + std::string(64, '2')).body, kPending)
        << "an unknown round";
    EXPECT_EQ(get(anyShareStatus()).body, kPending) << "never submitted";
    core::VoteShare share = voteShare(7);
    provoke(share, 0xE1);
    ASSERT_EQ(post(share, 0).body, kQueued);
    ASSERT_TRUE(becomes([&] { return stateOf(share) == "failed"; }));
    EXPECT_EQ(get(kShareStatus + hexOf(share.key.round) + "/" + hexOf(testNullifier(share))).body,
              kPending)
        << "failed for good";
}

TEST_F(ShareRouteRows, Row_5_7_AChainThatCanNotBeAskedIsOurFault)
{
    world_->chain.instead([](const FakeRequest &) {
        FakeResponse broken;
        broken.wire.status = 502;
        return std::optional(broken);
    });
    EXPECT_EQ(get(anyShareStatus()).status, 500);
    EXPECT_EQ(get(kHelperStatus).status, 200) << "row 6: whatever the chain does";
    world_->chain.instead({});
    EXPECT_TRUE(server_->printed("step=nullifier_check "));
}

// §1: "mount first, become ready later".
TEST(ShareRoutesFresh, Rows_1_And_4_3_1_NobodyAnswersUntilTheStoreIsThere)
{
    RELAYER_NEEDS_SERVER();
    PrivatePostgres postgres;
    postgres.stop();
    const ShareWorldOutside world;
    ServerOptions options = onDatabase(postgres.url());
    for (const auto &[name, value] : world.options().environment)
    {
        options.environment.insert({name, value});  // but not its database
    }
    ServerProcess server(options);
    ASSERT_TRUE(server.becomesUnhealthy()) << server.output();
    HttpClient client(server.port());
    const auto post = [&] { return client.post(kShares, shareBody(voteShare(1), 0)); };
    const auto early = post();
    EXPECT_EQ(early->status, 503);
    EXPECT_EQ(errorOf(*early), "helper unavailable");
    EXPECT_EQ(client.get(kHelperStatus)->status, 503);
    postgres.start();
    EXPECT_TRUE(becomes([&] {
        const auto reply = post();
        return reply && reply->status == 200;
    })) << server.output();
    EXPECT_TRUE(becomes([&] { return world.chain.reveals().size() == 1; })) << server.output();
}

// A library without the hash finds only later that there is no such leaf.
TEST(ShareRoutesFresh, TheLogTellsNothingOfAShareThatFails)
{
    RELAYER_NEEDS_SERVER();
    const ShareWorldOutside world;
    const auto server = world.serve({{"RELAYER_LOG__LEVEL", "trace"}, {"RETRY_WAITS", "1s"}});
    HttpClient client(server->port());
    core::VoteShare beyond = voteShare(1);
    beyond.key.treePosition = 4'294'967'291;
    core::VoteShare bad = voteShare(2);
    bad.key.treePosition = 287;
    provoke(bad, 0xE1);
    for (const core::VoteShare &share : {beyond, bad})
    {
        ASSERT_EQ(client.post(kShares, shareBody(share, 0))->body, kQueued);
    }
    ASSERT_TRUE(becomes([&] { return world.count("failed") == "2"; })) << server->output();
    const std::string log = server->output();
    EXPECT_NE(log.find("code=not_in_the_tree"), std::string::npos);
    EXPECT_NE(log.find("code=proof_input"), std::string::npos);
    EXPECT_NE(log.find("TRACE"), std::string::npos) << "all levels";
    for (const core::VoteShare &share : {beyond, bad})
    {
        for (const core::Hash32 &secret :
             {share.primaryBlind, share.c1, share.c2, share.sharesHash, share.commitments[0]})
        {
            EXPECT_EQ(log.find(core::toBase64(secret)), std::string::npos);
            EXPECT_EQ(log.find(core::toHex(secret)), std::string::npos);
        }
    }
    EXPECT_EQ(log.find("4294967291"), std::string::npos) << "its place in the tree";
    EXPECT_EQ(log.find("fffffffb"), std::string::npos);
    EXPECT_EQ(log.find("vote_decision"), std::string::npos);
    EXPECT_EQ(log.find("tree_position"), std::string::npos);
}

TEST(ShareRoutesFresh, Rows_6_And_7_NoTreeYetAndAnEmptyQueue)
{
    RELAYER_NEEDS_SERVER();
    const ShareWorldOutside world;
    const auto server = world.serve();
    HttpClient client(server->port());
    EXPECT_EQ(client.get(kHelperStatus)->body, R"({"status":"ok"})");
    EXPECT_EQ(client.get(kQueueStatus)->body, "{}");
    EXPECT_EQ(client.post(kShares, shareBody(voteShare(1), 0))->body, kQueued)
        << "row 3: no token is asked for where none is configured";
}

TEST(ShareRoutesFresh, Rows_7_1_AHiddenQueueIsNoRouteEvenBeforeTheToken)
{
    RELAYER_NEEDS_SERVER();
    const ShareWorldOutside world;
    const auto server = world.serve({{"API_TOKEN", "let-me-in"}, {"EXPOSE_QUEUE_STATUS", "false"}});
    HttpClient client(server->port());
    for (const HttpHeaders &headers : {HttpHeaders{}, kToken})
    {
        const auto hidden = client.get(kQueueStatus, headers);
        EXPECT_EQ(hidden->status, 404);
        EXPECT_EQ(errorOf(*hidden), "not found");
    }
}

TEST(ShareRoutesFresh, Rows_4_3_1_5_1_7_2_NobodyToAnswerComesBeforeTheToken)
{
    RELAYER_NEEDS_SERVER();
    const ShareWorldOutside world;
    ServerOptions options = world.options({{"API_TOKEN", "let-me-in"}});
    options.environment.erase("RELAYER_SHARE_SCHEDULER__PROVER_LIBRARY");
    ServerProcess server(options);
    ASSERT_TRUE(server.becomesHealthy());
    HttpClient client(server.port());
    for (const auto &reply : {client.post(kShares, "{"), client.get(anyShareStatus()),
                              client.get(kHelperStatus), client.get(kQueueStatus)})
    {
        EXPECT_EQ(reply->status, 503);
        EXPECT_EQ(errorOf(*reply), "helper unavailable");
    }
}

TEST(ShareRoutesFresh, Rows_4_4_And_4_5_ACommitmentBindsTheVoteAndNotTheCiphertext)
{
    RELAYER_NEEDS_SERVER();
    ShareWorldOutside world;
    const auto server = world.serve({{"PROVER_LIBRARY", shareLibrary(true)}});
    HttpClient client(server->port());
    core::VoteShare share = voteShare(300);
    world.chain.addLeaf(testCommitment(share));
    const auto post = [&] {
        return client.post(kShares, shareBody(share, static_cast<std::uint64_t>(world.end)));
    };
    share.c1[0] ^= 1U;
    share.c2[0] ^= 1U;
    share.primaryBlind[0] ^= 1U;
    share.commitments[3][0] ^= 1U;
    EXPECT_EQ(post()->body, kQueued);
    share.key.shareIndex ^= 1U;
    EXPECT_EQ(post()->body, kQueued);
    share.voteDecision ^= 1U;
    EXPECT_EQ(errorOf(*post()), "invalid vote commitment: hash mismatch at position 300");
    share.sharesHash[0] = 0xFF;
    for (const int code : {0xE1, 0xE3, 0xE6})  // rc -1, -3 and -6
    {
        share.sharesHash[1] = static_cast<std::uint8_t>(code);
        const auto refused = post();
        EXPECT_EQ(refused->status, 400) << code;
        EXPECT_EQ(errorOf(*refused), "invalid vote commitment") << code;
    }
    EXPECT_TRUE(server->printed("step=vc_hash ")) << "the contract's name of the stage";
    share.sharesHash[1] = 0xEC;
    const auto bug = post();
    EXPECT_EQ(bug->status, 500) << "row 4.5: what nobody expects";
    EXPECT_EQ(errorOf(*bug), "internal error");
    EXPECT_EQ(bug->body.find("a bug"), std::string::npos);
    EXPECT_TRUE(server->printed("why=a bug of the library"));
    EXPECT_EQ(errorOf(client.post(kShares, R"({"shares_hash":""})").value()),
              "shares_hash: expected 32 bytes, got 0")
        << "the body comes first";
}

TEST(ShareRoutesFresh, Row_3_1_2_ARoundIsAskedForOnceHoweverManySharesComeAtOnce)
{
    RELAYER_NEEDS_SERVER();
    const ShareWorldOutside world;
    const auto server = world.serve();
    const auto replies = postTogether(server->port(), 200, 16, [&](int number) {
        return shareBody(voteShare(static_cast<std::uint32_t>(number)),
                         static_cast<std::uint64_t>(world.end));
    });
    EXPECT_EQ(replies, (std::map<std::string, int>{{"200 " + kQueued, 200}}));
    EXPECT_EQ(world.chain.asked("/round/"), 1U);
}

// The document of a server that takes shares: its example is taken, and what is said is in it.
TEST(ShareRoutesFresh, TheDocumentTellsThemAsTheyAre)
{
    RELAYER_NEEDS_SERVER();
    ShareWorldOutside world;
    const auto server = world.serve({{"API_TOKEN", "let-me-in"}});
    HttpClient client(server->port());
    const ApiDocument document(client.get("/openapi.json")->body);
    const Operation &post = document.operation("postShare");
    const Operation &status = document.operation("getShareStatus");
    const std::string example = jsonText(post.body()["examples"]["example"]["value"]);
    const auto expectTold = [&](const Operation &operation, int code, const HttpReply &reply) {
        EXPECT_EQ(reply.status, code) << reply.body;
        EXPECT_THAT(document.problems(operation, reply), testing::IsEmpty()) << reply.body;
        const Json::Value &samples =
            operation.answer(code)["content"]["application/json"]["examples"];
        bool same = false;
        for (const Json::Value &sample : samples)
        {
            same = same || sample["value"] == reply.json();
        }
        EXPECT_TRUE(same) << operation.id() << " has no example of " << reply.body;
    };
    const auto posted = [&](const std::string &body) {
        return client.post(kShares, body, kToken).value();
    };
    expectTold(post, 200, posted(example));
    expectTold(post, 200, posted(example));
    Json::Value other = parsedJson(example);
    other["primary_blind"] = other["shares_hash"];
    expectTold(post, 409, posted(jsonText(other)));
    other["vote_round_id"] = std::string(64, '2');
    expectTold(post, 400, posted(jsonText(other)));
    other["vote_round_id"] = "1111";
    expectTold(post, 400, posted(jsonText(other)));
    expectTold(post, 400, posted("{}"));
    expectTold(post, 401, client.post(kShares, example).value());
    expectTold(post, 413, posted(std::string(2U << 20U, ' ')));
    const auto asked = [&](const std::string &parts) {
        return client.get(kShareStatus + parts, kToken).value();
    };
    const std::string good(64, '1');
    expectTold(status, 200, asked(good + "/" + good));
    expectTold(status, 400, asked("11/" + good));
    expectTold(status, 400, asked(good + "/" + std::string(64, 'g')));
    expectTold(document.operation("getHelperStatus"), 200, client.get(kHelperStatus).value());
    EXPECT_THAT(document.problems(document.operation("getQueueStatus"),
                                  client.get(kQueueStatus, kToken).value()),
                testing::IsEmpty());
    world.database.query("ALTER TABLE scheduled_share RENAME TO gone");
    expectTold(post, 500, posted(example));
    world.database.query("ALTER TABLE gone RENAME TO scheduled_share");
}

// §4.5 and helper-store.md §3.3, through the whole program: what ten thousand clients of one
// wallet's share are told, and what is left of it.
TEST(ShareRoutesFresh, Row_4_5_OfTenThousandEqualPostsOneIsQueuedAndOneRowIsThere)
{
    RELAYER_NEEDS_SERVER();
    const ShareWorldOutside world;
    const auto server = world.serve();
    constexpr int kPosts = 10'000;
    const auto told = postTogether(server->port(), kPosts, 64, [&](int) {
        return shareBody(voteShare(1), static_cast<std::uint64_t>(world.end));
    });
    EXPECT_EQ(told, (std::map<std::string, int>{{"200 " + kQueued, 1},
                                                {R"(200 {"status":"duplicate"})", kPosts - 1}}));
    EXPECT_EQ(world.database.value("SELECT count(*) FROM scheduled_share"), "1");
    EXPECT_EQ(world.count("received"), "1");
}

// The same while the share is due, so that its claim, its proof and its end happen among them.
TEST(ShareRoutesFresh, Row_4_5_SoItIsWhileTheShareIsOnItsWayAndThereafter)
{
    RELAYER_NEEDS_SERVER();
    const ShareWorldOutside world;
    const auto server = world.serve();
    constexpr int kPosts = 10'000;
    const auto told =
        postTogether(server->port(), kPosts, 64, [](int) { return shareBody(voteShare(1), 0); });
    EXPECT_EQ(told, (std::map<std::string, int>{{"200 " + kQueued, 1},
                                                {R"(200 {"status":"duplicate"})", kPosts - 1}}));
    EXPECT_TRUE(becomes([&] { return world.count("submitted") == "1"; }));
    EXPECT_EQ(world.database.value("SELECT count(*) FROM scheduled_share"), "1");
    EXPECT_EQ(world.chain.reveals().size(), 1U) << "sent once";
}
}  // namespace
}  // namespace relayer::test
