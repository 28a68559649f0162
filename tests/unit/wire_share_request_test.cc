// The body of a share, row by row of the contract (helper-http.md): §4.1 its fields, §4.2 what the
// parser tolerates, §4.3 the order of checks. Each case names its row.
#include "core/base64.h"
#include "support/vote_shares.h"
#include "wire/share_request.h"

#include <gtest/gtest.h>

#include <array>
#include <optional>

namespace relayer::wire
{
namespace
{
using core::toBase64;
using test::encShare;
using test::ShareMembers;

const core::VoteShare kShare = test::voteShare(1);
constexpr std::uint64_t kTime = 1'800'000'000;
const std::string kC1 = "\"" + toBase64(kShare.c1) + "\"";
const std::string kC2 = "\"" + toBase64(kShare.c2) + "\"";

std::string problemOf(const std::string &body)
{
    const auto read = readShareRequest(body);
    const auto *problem = std::get_if<ShareProblem>(&read);
    return problem != nullptr ? problem->text : "";
}

std::optional<ShareRequest> requestOf(const std::string &body)
{
    const auto read = readShareRequest(body);
    const auto *request = std::get_if<ShareRequest>(&read);
    return request != nullptr ? std::optional(*request) : std::nullopt;
}

std::string with(const std::string &name, const std::string &value)
{
    ShareMembers members = test::membersOf(kShare, kTime);
    members[name] = value;
    return test::shareBody(members);
}

std::string without(const std::string &name)
{
    ShareMembers members = test::membersOf(kShare, kTime);
    members.erase(name);
    return test::shareBody(members);
}

std::string commitments(std::size_t count, const std::string &each)
{
    std::string list;
    for (std::size_t i = 0; i < count; ++i)
    {
        list += (list.empty() ? "" : ",") + each;
    }
    return "[" + list + "]";
}

const std::string kShort = "\"" + toBase64(core::Bytes(31, 1)) + "\"";
const std::string kLong = "\"" + toBase64(core::Bytes(33, 1)) + "\"";
const std::string kFine = "\"" + toBase64(core::Bytes(32, 1)) + "\"";

TEST(ShareRequest, AWholeBodyIsRead)
{
    const auto request = requestOf(test::shareBody(kShare, kTime));
    ASSERT_TRUE(request);
    EXPECT_EQ(request->share, kShare);
    EXPECT_EQ(request->submitAt, kTime);
    EXPECT_TRUE(request->namesItsTime);
}

struct Row
{
    const char *row;  // of the contract
    std::string body;
    std::string problem;  // what the text begins with; empty: it is taken
};

class ShareRows : public testing::TestWithParam<Row>
{};

TEST_P(ShareRows, EndsAsTheContractSays)
{
    const Row &row = GetParam();
    const std::string problem = problemOf(row.body);
    EXPECT_EQ(problem.substr(0, row.problem.size()), row.problem) << row.row;
    EXPECT_EQ(problem.empty(), row.problem.empty()) << row.row << ": " << problem;
}

std::string nameOf(const testing::TestParamInfo<Row> &info)
{
    std::string name;
    for (const char c : std::string_view(info.param.row))
    {
        name += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
    }
    return name;
}

const std::string kWrongJson = "invalid JSON: ";

INSTANTIATE_TEST_SUITE_P(
    Fields_4_1, ShareRows,
    testing::Values(
        Row{"4.1 shares_hash absent", without("shares_hash"),
            "shares_hash: expected 32 bytes, got 0"},
        Row{"4.1 shares_hash null", with("shares_hash", "null"),
            "shares_hash: expected 32 bytes, got 0"},
        Row{"4.1 shares_hash empty", with("shares_hash", "\"\""),
            "shares_hash: expected 32 bytes, got 0"},
        Row{"4.1 shares_hash short", with("shares_hash", kShort),
            "shares_hash: expected 32 bytes, got 31"},
        Row{"4.1 shares_hash long", with("shares_hash", kLong),
            "shares_hash: expected 32 bytes, got 33"},
        Row{"4.1 shares_hash no base64", with("shares_hash", "\"%\""), "shares_hash: "},
        Row{"4.1 proposal_id absent", without("proposal_id"), "proposal_id must be 1..15, got 0"},
        Row{"4.1 proposal_id null", with("proposal_id", "null"),
            "proposal_id must be 1..15, got 0"},
        Row{"4.1 proposal_id 0", with("proposal_id", "0"), "proposal_id must be 1..15, got 0"},
        Row{"4.1 proposal_id 1", with("proposal_id", "1"), ""},
        Row{"4.1 proposal_id 15", with("proposal_id", "15"), ""},
        Row{"4.1 proposal_id 16", with("proposal_id", "16"), "proposal_id must be 1..15, got 16"},
        Row{"4.1 vote_decision absent", without("vote_decision"), ""},
        Row{"4.1 vote_decision null", with("vote_decision", "null"), ""},
        Row{"4.1 vote_decision 7", with("vote_decision", "7"), ""},
        Row{"4.1 vote_decision 8", with("vote_decision", "8"), "vote_decision must be 0..7"},
        Row{"4.1 enc_share absent", without("enc_share"), "enc_share.c1: expected 32 bytes, got 0"},
        Row{"4.1 enc_share null", with("enc_share", "null"),
            "enc_share.c1: expected 32 bytes, got 0"},
        Row{"4.1 enc_share c1 null", with("enc_share", encShare("null", kC2, "0")),
            "enc_share.c1: expected 32 bytes, got 0"},
        Row{"4.1 enc_share c2 absent", with("enc_share", R"({"c1":)" + kC1 + "}"),
            "enc_share.c2: expected 32 bytes, got 0"},
        Row{"4.1 enc_share c1 empty", with("enc_share", encShare("\"\"", kC2, "0")),
            "enc_share.c1: expected 32 bytes, got 0"},
        Row{"4.1 enc_share c1 short", with("enc_share", encShare(kShort, kC2, "0")),
            "enc_share.c1: expected 32 bytes, got 31"},
        Row{"4.1 enc_share c2 empty", with("enc_share", encShare(kC1, "null", "0")),
            "enc_share.c2: expected 32 bytes, got 0"},
        Row{"4.1 enc_share c2 long", with("enc_share", encShare(kC1, kLong, "0")),
            "enc_share.c2: expected 32 bytes, got 33"},
        Row{"4.1 share_index absent",
            with("enc_share", R"({"c1":)" + kC1 + R"(,"c2":)" + kC2 + "}"), ""},
        Row{"4.1 share_index null", with("enc_share", encShare(kC1, kC2, "null")), ""},
        Row{"4.1 share_index 15", with("enc_share", encShare(kC1, kC2, "15")), ""},
        Row{"4.1 share_index 16", with("enc_share", encShare(kC1, kC2, "16")),
            "enc_share.share_index must be 0..15"},
        Row{"4.1 tree_position absent", without("tree_position"), ""},
        Row{"4.1 tree_position null", with("tree_position", "null"), ""},
        Row{"4.1 tree_position most", with("tree_position", "4294967295"), ""},
        Row{"4.1 tree_position over", with("tree_position", "4294967296"),
            "tree_position 4294967296 exceeds maximum tree capacity"},
        Row{"4.1 vote_round_id absent", without("vote_round_id"),
            "vote_round_id: expected 32 bytes, got 0"},
        Row{"4.1 vote_round_id null", with("vote_round_id", "null"),
            "vote_round_id: expected 32 bytes, got 0"},
        Row{"4.1 vote_round_id short", with("vote_round_id", "\"1111\""),
            "vote_round_id: expected 32 bytes, got 2"},
        Row{"4.1 vote_round_id odd", with("vote_round_id", "\"111\""), "vote_round_id: "},
        Row{"4.1 vote_round_id no hex", with("vote_round_id", "\"" + std::string(64, 'g') + "\""),
            "vote_round_id: "},
        Row{"4.1 share_comms absent", without("share_comms"),
            "share_comms: expected 16 entries, got 0"},
        Row{"4.1 share_comms null", with("share_comms", "null"),
            "share_comms: expected 16 entries, got 0"},
        Row{"4.1 share_comms 15", with("share_comms", commitments(15, kFine)),
            "share_comms: expected 16 entries, got 15"},
        Row{"4.1 share_comms 17", with("share_comms", commitments(17, kFine)),
            "share_comms: expected 16 entries, got 17"},
        Row{"4.1 share_comms short entry", with("share_comms", commitments(16, kShort)),
            "share_comms[0]: expected 32 bytes, got 31"},
        Row{"4.1 share_comms null entry", with("share_comms", commitments(16, "null")),
            "share_comms[0]: expected 32 bytes, got 0"},
        Row{"4.1 primary_blind absent", without("primary_blind"),
            "primary_blind: expected 32 bytes, got 0"},
        Row{"4.1 primary_blind null", with("primary_blind", "null"),
            "primary_blind: expected 32 bytes, got 0"},
        Row{"4.1 primary_blind long", with("primary_blind", kLong),
            "primary_blind: expected 32 bytes, got 33"},
        Row{"4.1 submit_at absent", without("submit_at"), ""},
        Row{"4.1 submit_at null", with("submit_at", "null"), ""},
        Row{"4.1 submit_at 0", with("submit_at", "0"), ""},
        Row{"4.1 submit_at most", with("submit_at", "18446744073709551615"), ""}),
    nameOf);

INSTANTIATE_TEST_SUITE_P(
    Parser_4_2, ShareRows,
    testing::Values(
        Row{"4.2 unknown fields", with("all_enc_shares", "[1,{\"a\":[]},null]"), ""},
        Row{"4.2 trailing bytes", test::shareBody(kShare, kTime) + "x", kWrongJson},
        Row{"4.2 trailing value", test::shareBody(kShare, kTime) + "{}", kWrongJson},
        Row{"4.2 key case", with("Submit_At", "true"), ""},
        Row{"4.2 duplicate keys", "{\"proposal_id\":1," + test::shareBody(kShare, kTime).substr(1),
            kWrongJson},
        Row{"4.2 number as string", with("proposal_id", "\"1\""), kWrongJson},
        Row{"4.2 negative", with("proposal_id", "-1"), kWrongJson},
        Row{"4.2 float", with("proposal_id", "1.5"), kWrongJson},
        Row{"4.2 integral float", with("proposal_id", "1.0"), kWrongJson},
        Row{"4.2 exponent", with("submit_at", "1e3"), kWrongJson},
        Row{"4.2 overflow of 32 bits", with("proposal_id", "4294967296"), kWrongJson},
        Row{"4.2 overflow of 64 bits", with("submit_at", "18446744073709551616"), kWrongJson},
        Row{"4.2 wrong type of a text", with("shares_hash", "1"), kWrongJson},
        Row{"4.2 wrong type of a list", with("share_comms", "\"\""), kWrongJson},
        Row{"4.2 wrong type in a list", with("share_comms", commitments(16, "1")), kWrongJson},
        Row{"4.2 wrong type of an object", with("enc_share", "[]"), kWrongJson},
        Row{"4.2 base64 with a line break",
            with("shares_hash", "\"" + toBase64(core::Bytes(32, 1)).insert(20, "\\n") + "\""),
            "shares_hash: "},
        Row{"4.2 base64 with spare bits",
            with("shares_hash", "\"" + toBase64(core::Bytes(32, 0)).replace(42, 1, "B") + "\""),
            "shares_hash: "},
        Row{"4.2 base64url", with("shares_hash", "\"" + std::string(42, '_') + "8=\""),
            "shares_hash: "},
        Row{"4.2 base64 without padding", with("shares_hash", "\"" + std::string(43, 'A') + "\""),
            "shares_hash: "},
        Row{"4.2 upper case round id", with("vote_round_id", "\"" + std::string(64, 'A') + "\""),
            ""},
        Row{"4.2 empty body", "", kWrongJson}, Row{"4.2 not an object", "[]", kWrongJson},
        Row{"4.2 null", "null", "shares_hash: expected 32 bytes, got 0"}),
    nameOf);

TEST(ShareRequest, Row_4_2_ARoundIdMeansTheSameInEitherCase)
{
    const auto upper = requestOf(with("vote_round_id", "\"" + std::string(64, 'A') + "\""));
    const auto lower = requestOf(with("vote_round_id", "\"" + std::string(64, 'a') + "\""));
    ASSERT_TRUE(upper && lower);
    EXPECT_EQ(upper->share, lower->share);
}

TEST(ShareRequest, Row_4_1_WhoNamesNoTimeIsKnown)
{
    EXPECT_FALSE(requestOf(without("submit_at"))->namesItsTime);
    EXPECT_FALSE(requestOf(with("submit_at", "null"))->namesItsTime);
    EXPECT_TRUE(requestOf(with("submit_at", "0"))->namesItsTime);
}

// Each body has everything wrong from one check on; what is said is that check, and nothing later.
TEST(ShareRequest, Rows_4_3_TheFirstFailureWins)
{
    const std::array<std::pair<std::string, std::string>, 8> wrong = {
        {{"shares_hash", "\"\""},
         {"enc_share", encShare("\"\"", "\"\"", "16")},
         {"vote_decision", "8"},
         {"proposal_id", "16"},
         {"tree_position", "4294967296"},
         {"vote_round_id", "\"x\""},
         {"share_comms", "[]"},
         {"primary_blind", "\"\""}}};
    const std::array<std::string, 8> said = {"shares_hash", "enc_share.c1",  "vote_decision",
                                             "proposal_id", "tree_position", "vote_round_id",
                                             "share_comms", "primary_blind"};
    ShareMembers members = test::membersOf(kShare, kTime);
    for (std::size_t last = wrong.size(); last-- > 0;)
    {
        members[wrong[last].first] = wrong[last].second;
        EXPECT_TRUE(problemOf(test::shareBody(members)).starts_with(said[last])) << said[last];
    }
    members = test::membersOf(kShare, kTime);
    members["vote_decision"] = "8";
    members["enc_share"] = encShare(kC1, "\"\"", "16");
    EXPECT_TRUE(problemOf(test::shareBody(members)).starts_with("enc_share.c2"));
    members["enc_share"] = encShare(kC1, kC2, "16");
    EXPECT_TRUE(problemOf(test::shareBody(members)).starts_with("enc_share.share_index"));
    // A type that is wrong anywhere comes before all of them.
    members["submit_at"] = "\"1\"";
    EXPECT_EQ(problemOf(test::shareBody(members)),
              "invalid JSON: submit_at must be a whole number");
}
}  // namespace
}  // namespace relayer::wire
