// The routes of shares, row by row as helper-http.md has them.
#include "core/base64.h"
#include "e2e/share_suite.h"

#include <gtest/gtest.h>

namespace relayer::test
{
namespace
{
class ShareRoutes : public ShareSuite
{
  protected:
    // The body of a share whose member is this.
    static std::string with(const std::string &member, const std::string &json)
    {
        ShareMembers members = membersOf(voteShare(250), static_cast<std::uint64_t>(later()));
        members[member] = json;
        return shareBody(members);
    }
    static std::int64_t later() { return secondsNow() + 3600; }
};

TEST_F(ShareRoutes, Row_4_5_QueuedDuplicateConflict)
{
    core::VoteShare share = voteShare(1);
    const HttpReply first = post(share, later());
    EXPECT_EQ(first.status, 200);
    EXPECT_EQ(first.body, R"({"status":"queued"})");
    EXPECT_EQ(first.header("content-type"), "application/json");
    EXPECT_EQ(first.header("cache-control"), "no-store");
    EXPECT_EQ(post(share, later()).body, R"({"status":"duplicate"})");
    EXPECT_EQ(post(share, later() + 1).body, R"({"status":"duplicate"})") << "the time is no part";
    share.c1[0] ^= 1U;
    const HttpReply other = post(share, later());
    EXPECT_EQ(other.status, 409);
    EXPECT_EQ(errorOf(other), "conflicting share payload for round_id/share_index");
}

TEST_F(ShareRoutes, Rows_4_3_2_And_5_2_And_7_3_TheTokenIsAskedForWhereverTheContractAsks)
{
    const std::string some = kShareStatus + std::string(64, '1') + "/" + std::string(64, '2');
    for (const HttpHeaders &headers :
         {HttpHeaders{}, HttpHeaders{{"X-Helper-Token", "let-me-on"}},
          HttpHeaders{{"X-Helper-Token", "let-me-in2"}}, HttpHeaders{{"X-Helper-Token", ""}}})
    {
        EXPECT_EQ(post("{", headers).status, 401) << "before the body is looked at";
        EXPECT_EQ(client_.get(some, headers)->status, 401);
        const auto refused = client_.get(kQueueStatus, headers);
        EXPECT_EQ(refused->status, 401);
        EXPECT_EQ(errorOf(*refused), "unauthorized");
        EXPECT_EQ(refused->header("www-authenticate"), "");
        EXPECT_EQ(client_.get(kHelperStatus, headers)->status, 200) << "never protected";
    }
    EXPECT_EQ(post("{", {{"x-hELPER-token", "let-me-in"}}).status, 400);
}

TEST_F(ShareRoutes, Row_4_2_AnyContentTypeAndFieldsThatNobodyKnows)
{
    ShareMembers members = membersOf(voteShare(2), static_cast<std::uint64_t>(later()));
    members["all_enc_shares"] = R"([{"c1":"x"}])";
    HttpHeaders headers = kToken;
    for (const char *type : {"text/plain", "application/octet-stream", "nonsense"})
    {
        headers["Content-Type"] = type;
        EXPECT_EQ(post(shareBody(members), headers).status, 200) << type;
    }
}

TEST_F(ShareRoutes, Row_4_2_ARoundIdMeansTheSameInEitherCase)
{
    core::VoteShare share = voteShare(3);
    share.key.round.fill(0xAB);
    world_->chain.addRound(share.key.round, world_->end);
    ShareMembers members = membersOf(share, static_cast<std::uint64_t>(later()));
    std::string upper;
    for (int i = 0; i < 32; ++i)
    {
        upper += "AB";
    }
    members["vote_round_id"] = "\"" + upper + "\"";
    EXPECT_EQ(post(shareBody(members)).body, R"({"status":"queued"})");
    EXPECT_EQ(post(share, later()).body, R"({"status":"duplicate"})");
}

TEST_F(ShareRoutes, Rows_4_2_And_4_3_3_WhatIsNoBody)
{
    EXPECT_EQ(errorOf(post("")).rfind("invalid JSON: ", 0), 0U);
    EXPECT_EQ(errorOf(post("{} {}")).rfind("invalid JSON: ", 0), 0U);
    EXPECT_EQ(post(R"({"proposal_id":1.0})").status, 400);
    const std::string body = with("shares_hash", "\"\"");
    const HttpReply large = post(body + std::string((1U << 20U) + 1 - body.size(), ' '));
    EXPECT_EQ(large.status, 413);
    EXPECT_EQ(errorOf(large).rfind("invalid JSON: ", 0), 0U);
    const HttpReply justFits = post(body + std::string((1U << 20U) - body.size(), ' '));
    EXPECT_EQ(justFits.status, 400);
    EXPECT_EQ(errorOf(justFits), "shares_hash: expected 32 bytes, got 0");
}

TEST_F(ShareRoutes, Rows_4_3_4_To_13_EachCheckOfTheBody)
{
    const std::string quoted = "\"" + core::toBase64(core::Bytes(32, 7)) + "\"";
    const std::string few = "\"" + core::toBase64(core::Bytes(31, 7)) + "\"";
    const struct
    {
        std::string member;
        std::string json;
        std::string text;
    } rows[] = {
        {"shares_hash", few, "shares_hash: expected 32 bytes, got 31"},
        {"enc_share", encShare(few, quoted, "1"), "enc_share.c1: expected 32 bytes, got 31"},
        {"enc_share", encShare(quoted, few, "1"), "enc_share.c2: expected 32 bytes, got 31"},
        {"enc_share", encShare(quoted, quoted, "16"), "enc_share.share_index must be 0..15"},
        {"vote_decision", "8", "vote_decision must be 0..7"},
        {"proposal_id", "16", "proposal_id must be 1..15, got 16"},
        {"tree_position", "4294967296", "tree_position 4294967296 exceeds maximum tree capacity"},
        {"vote_round_id", R"("1111")", "vote_round_id: expected 32 bytes, got 2"},
        {"share_comms", "[]", "share_comms: expected 16 entries, got 0"},
        {"primary_blind", few, "primary_blind: expected 32 bytes, got 31"},
    };
    for (const auto &row : rows)
    {
        const HttpReply reply = post(with(row.member, row.json));
        EXPECT_EQ(reply.status, 400) << row.text;
        EXPECT_EQ(errorOf(reply), row.text);
    }
}

TEST_F(ShareRoutes, Row_4_3_15_AnUnknownRound)
{
    core::VoteShare share = voteShare(4);
    share.key.round.fill(0x77);
    const HttpReply reply = post(share, later());
    EXPECT_EQ(reply.status, 400);
    EXPECT_EQ(errorOf(reply), "unknown voting round: " + hexOf(share.key.round));
}

TEST_F(ShareRoutes, Row_4_3_16_ATimeBehindTheEndOfTheRound)
{
    const HttpReply reply = post(voteShare(5), world_->end + 1);
    EXPECT_EQ(reply.status, 400);
    EXPECT_EQ(errorOf(reply), "invalid submit_at: submit_at (" + std::to_string(world_->end + 1) +
                                  ") > vote_end_time (" + std::to_string(world_->end) + ")");
    EXPECT_EQ(post(voteShare(5), world_->end).status, 200) << "its last second is fine";
}

TEST_F(ShareRoutes, Row_4_3_Last_AChainThatFailsIsOurFaultAndNotTheClients)
{
    core::VoteShare share = voteShare(6);
    share.key.round.fill(0x66);
    world_->chain.instead([](const FakeRequest &) {
        FakeResponse broken;
        broken.wire.status = 503;
        return std::optional(broken);
    });
    const HttpReply reply = post(share, later());
    EXPECT_EQ(reply.status, 500);
    EXPECT_EQ(errorOf(reply), "internal error");
    const std::string path = kShareStatus + hexOf(testRound()) + "/" + std::string(64, '2');
    EXPECT_EQ(errorOf(get(path)), "internal error") << "row 5.7";
    EXPECT_EQ(post(voteShare(7), later()).status, 200) << "a round that is known needs no chain";
    world_->chain.instead({});
}

TEST_F(ShareRoutes, ARoundThatIsOverTakesNothingNew)
{
    core::VoteShare share = voteShare(8);
    share.key.round.fill(0x55);
    const std::int64_t end = secondsNow() + 2;
    world_->chain.addRound(share.key.round, end);
    ASSERT_EQ(post(share, end).body, R"({"status":"queued"})");
    world_->chain.setActive(share.key.round, false);
    core::VoteShare late = voteShare(9);
    late.key.round = share.key.round;
    ASSERT_TRUE(becomes([&] { return secondsNow() >= end; }));
    const HttpReply reply = post(late, 0);
    EXPECT_EQ(reply.status, 400);
    EXPECT_EQ(errorOf(reply), "voting round is over: " + hexOf(share.key.round));
    EXPECT_TRUE(server_->printed("step=round_closed_unsubmitted_shares alert=true round_id=" +
                                 hexOf(share.key.round)));
}

TEST_F(ShareRoutes, Rows_5_3_To_5_WhatIsNoHash)
{
    const std::string good(64, '1');
    EXPECT_EQ(errorOf(get(kShareStatus + "11/" + good)), "roundId must be 64 hex characters");
    EXPECT_EQ(errorOf(get(kShareStatus + good + "/22")), "nullifier must be 64 hex characters");
    const std::string bad(64, 'g');
    EXPECT_EQ(errorOf(get(kShareStatus + bad + "/" + good)), "invalid roundId hex");
    EXPECT_EQ(errorOf(get(kShareStatus + good + "/" + bad)), "invalid nullifier hex");
    EXPECT_EQ(get(kShareStatus + good + "/" + bad).status, 400);
    EXPECT_EQ(get(kShareStatus + "%20" + good + "/" + std::string(64, 'A') + "%0a").body,
              R"({"status":"pending"})")
        << "blanks around are left out, and upper case will do";
}

TEST_F(ShareRoutes, Rows_5_8_And_9_TheChainDecidesAndAShareGoesThrough)
{
    const core::VoteShare share = voteShare(10);
    const std::string path =
        kShareStatus + hexOf(share.key.round) + "/" + hexOf(testNullifier(share));
    EXPECT_EQ(get(path).body, R"({"status":"pending"})");
    ASSERT_EQ(post(share, 0).body, R"({"status":"queued"})");
    EXPECT_TRUE(becomes([&] { return get(path).body == R"({"status":"confirmed"})"; }));
    EXPECT_TRUE(becomes([&] { return world_->count("submitted") != "0"; }));
    EXPECT_EQ(post(share, 0).body, R"({"status":"duplicate"})") << "also when it has ended";
    core::VoteShare other = share;
    other.primaryBlind[5] ^= 1U;
    EXPECT_EQ(post(other, 0).status, 409);
}

TEST_F(ShareRoutes, Rows_6_TheStatusTellsTheTreeAndNoQueue)
{
    ASSERT_EQ(post(voteShare(11), 0).status, 200);
    EXPECT_TRUE(becomes([&] { return get(kHelperStatus).json()["tree"].isObject(); }));
    EXPECT_EQ(get(kHelperStatus).body,
              R"({"status":"ok","tree":{"leaf_count":300,"anchor_height":300}})");
}

TEST_F(ShareRoutes, Row_7_4_TheQueueByRound)
{
    core::VoteShare share = voteShare(12);
    share.key.round.fill(0xCD);
    world_->chain.addRound(share.key.round, world_->end);
    const auto queue = [&] { return get(kQueueStatus).json()[hexOf(share.key.round)]; };
    EXPECT_TRUE(queue().isNull()) << "a round without shares is not there";
    ASSERT_EQ(post(share, later()).status, 200);
    EXPECT_EQ(queue()["total"], 1);
    EXPECT_EQ(queue()["pending"], 1);
    share.key.shareIndex ^= 1U;
    provoke(share, 0xE1);  // what is wrong with it stays wrong
    ASSERT_EQ(post(share, 0).status, 200);
    EXPECT_TRUE(becomes([&] { return queue()["failed"] == 1; }));
    EXPECT_EQ(queue()["total"], 2);
    EXPECT_EQ(queue()["submitted"], 0);
}

TEST_F(ShareRoutes, TheMetricsTellHowLateSharesAre)
{
    ASSERT_EQ(post(voteShare(14), 0).body, R"({"status":"queued"})");
    HttpClient metrics(portBehind(server_->output(), "metrics on http://127.0.0.1:"));
    std::string text;
    EXPECT_TRUE(becomes([&] {
        text = metrics.get("/metrics").value().body;
        return text.find("relayer_share_attempts_total{end=\"on_the_chain\"}") != std::string::npos;
    })) << text;
    EXPECT_NE(text.find("relayer_share_lateness_seconds_count"), std::string::npos);
    EXPECT_NE(text.find("relayer_share_posts_total{outcome=\"queued\"}"), std::string::npos);
}

TEST_F(ShareRoutes, AWrongMethodIsToldTheRightOne)
{
    const HttpReply reply = get(kShares);
    EXPECT_EQ(reply.status, 405);
    EXPECT_EQ(reply.header("allow"), "POST");
    EXPECT_EQ(reply.header("content-type"), "application/json");
}

TEST_F(ShareRoutes, TheLogTellsNothingOfAShare)
{
    core::VoteShare share = voteShare(13);
    share.key.treePosition = 299;
    ASSERT_EQ(post(share, 0).status, 200);
    ASSERT_TRUE(becomes([&] { return world_->chain.asked("reveal-share") > 0; }));
    const std::string log = server_->output();
    for (const std::string &secret :
         {core::toBase64(share.primaryBlind), core::toHex(share.primaryBlind),
          core::toBase64(share.c1), std::string("vote_decision"), std::string("tree_position")})
    {
        EXPECT_EQ(log.find(secret), std::string::npos) << secret;
    }
}

TEST(ShareRoutesClosed, Row_1_4_3_1_6_7_WithoutASchedulerThereIsNobody)
{
    RELAYER_NEEDS_SERVER();
    const TestDatabase database;
    ServerOptions options = onDatabase(database.url());
    ServerProcess server(options);
    ASSERT_TRUE(server.becomesHealthy());
    HttpClient client(server.port());
    const std::string hash(64, '1');
    EXPECT_EQ(errorOf(client.post(kShares, "{").value()), "helper unavailable");
    EXPECT_EQ(client.post(kShares, "{")->status, 503);
    EXPECT_EQ(client.get(kHelperStatus)->status, 503);
    EXPECT_EQ(client.get(kShareStatus + hash + "/" + hash)->status, 503);
    const auto hidden = client.get(kQueueStatus);
    EXPECT_EQ(hidden->status, 404) << "hidden before it is unavailable";
    EXPECT_EQ(errorOf(*hidden), "not found");
}

TEST(ShareRoutesClosed, WithoutAProverNothingIsTaken)
{
    RELAYER_NEEDS_SERVER();
    const ShareWorldOutside world;
    ServerOptions options = world.options();
    options.environment.erase("RELAYER_SHARE_SCHEDULER__PROVER_LIBRARY");
    ServerProcess server(options);
    ASSERT_TRUE(server.becomesHealthy());
    HttpClient client(server.port());
    EXPECT_EQ(client.post(kShares, shareBody(voteShare(1), 0))->status, 503);
    EXPECT_EQ(client.get(kQueueStatus)->status, 503);
    EXPECT_TRUE(server.printed("there is no prover"));
}

TEST(ShareRoutesChecked, Rows_4_4_And_5_6_TheCommitmentIsComparedWithTheTree)
{
    RELAYER_NEEDS_SERVER();
    ShareWorldOutside world;
    const auto server = world.serve({{"PROVER_LIBRARY", shareLibrary(true)}, {"CHAIN_NODE", ""}});
    HttpClient client(server->port());
    const auto post = [&](const core::VoteShare &share) {
        return client.post(kShares, shareBody(share, 0)).value();
    };
    core::VoteShare share = voteShare(300);
    world.chain.addLeaf(testCommitment(share));
    EXPECT_EQ(post(share).body, R"({"status":"queued"})") << "equal";
    ASSERT_TRUE(becomes([&] { return world.count("submitted") == "1"; }));
    EXPECT_EQ(
        client.get(kShareStatus + hexOf(testRound()) + "/" + hexOf(testNullifier(share)))->body,
        R"({"status":"pending"})")
        << "row 5.6: without a node nobody can be asked";
    share = voteShare(299);
    EXPECT_EQ(errorOf(post(share)), "invalid vote commitment: hash mismatch at position 299");
    share = voteShare(301);
    EXPECT_EQ(errorOf(post(share)), "invalid vote commitment: no leaf at position 301");
    EXPECT_EQ(post(share).status, 400);
    share.sharesHash[0] = 0xFF;
    EXPECT_EQ(errorOf(post(share)), "invalid vote commitment") << "hash failure";
    share.key.round.fill(0x99);
    share.sharesHash[0] = 0;
    EXPECT_EQ(errorOf(post(share)), "invalid vote commitment: no leaf at position 301")
        << "before the round is looked for";
    world.chain.instead([](const FakeRequest &) {
        FakeResponse broken;
        broken.wire.status = 502;
        return std::optional(broken);
    });
    EXPECT_EQ(errorOf(post(share)), "invalid vote commitment: tree read error");
}
}  // namespace
}  // namespace relayer::test
