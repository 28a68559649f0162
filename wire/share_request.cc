#include "wire/share_request.h"

#include "core/base64.h"
#include "core/bytes.h"
#include "wire/strict_json.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace relayer::wire
{
using core::Bytes;
using core::Hash32;

namespace
{
// The first thing that is wrong is what the client is told.
class FirstProblem
{
  public:
    void say(std::string text)
    {
        if (text_.empty())
        {
            text_ = std::move(text);
        }
    }
    void wrongType(const std::string &path, const std::string &wanted)
    {
        say("invalid JSON: " + path + " must be " + wanted);
    }
    void demand(bool fulfilled, const std::string &otherwise)
    {
        if (!fulfilled)
        {
            say(otherwise);
        }
    }
    [[nodiscard]] const std::string &text() const { return text_; }

  private:
    std::string text_;
};

// What is null is as good as absent.
const Json *memberOf(const Json *object, std::string_view name)
{
    const Json *member = object != nullptr ? object->find(name) : nullptr;
    return member != nullptr && member->type() != Json::Type::Null ? member : nullptr;
}

const Json *memberOf(const Json *object, std::string_view name, Json::Type type, const char *wanted,
                     FirstProblem &problem)
{
    const Json *member = memberOf(object, name);
    if (member != nullptr && member->type() != type)
    {
        problem.wrongType(std::string(name), wanted);
        return nullptr;
    }
    return member;
}

std::string_view text(const Json *object, std::string_view name, FirstProblem &problem)
{
    const Json *member = memberOf(object, name, Json::Type::Text, "a string", problem);
    return member != nullptr ? member->text() : std::string_view();
}

// Only digits: 1.0, 1e3, "1" and -1 are none of its business.
std::uint64_t number(const Json *object, std::string_view name, std::uint64_t most,
                     FirstProblem &problem)
{
    const Json *member = memberOf(object, name, Json::Type::Number, "a whole number", problem);
    if (member == nullptr)
    {
        return 0;
    }
    const std::string_view written = member->text();
    std::uint64_t value = 0;
    const auto read = std::from_chars(written.data(), written.data() + written.size(), value);
    if (read.ec != std::errc() || read.ptr != written.data() + written.size() || value > most)
    {
        problem.wrongType(std::string(name), "a whole number up to " + std::to_string(most));
        return 0;
    }
    return value;
}

constexpr std::uint64_t kUint32 = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint64_t kUint64 = std::numeric_limits<std::uint64_t>::max();

// As it stands in the body: types only.
struct Written
{
    std::string_view sharesHash;
    std::uint64_t proposal = 0;
    std::uint64_t voteDecision = 0;
    std::string_view c1;
    std::string_view c2;
    std::uint64_t shareIndex = 0;
    std::uint64_t treePosition = 0;
    std::string_view round;
    std::vector<std::string_view> commitments;
    std::string_view primaryBlind;
    std::uint64_t submitAt = 0;
    bool namesItsTime = false;
};

std::vector<std::string_view> commitmentsIn(const Json *root, FirstProblem &problem)
{
    std::vector<std::string_view> texts;
    const Json *list =
        memberOf(root, "share_comms", Json::Type::List, "a list of strings", problem);
    if (list == nullptr)
    {
        return texts;
    }
    texts.reserve(list->items().size());
    for (const Json &item : list->items())
    {
        if (item.type() != Json::Type::Text && item.type() != Json::Type::Null)
        {
            problem.wrongType("share_comms[" + std::to_string(texts.size()) + "]", "a string");
        }
        texts.push_back(item.type() == Json::Type::Text ? item.text() : std::string_view());
    }
    return texts;
}

Written read(const Json &document, FirstProblem &problem)
{
    if (document.type() != Json::Type::Object && document.type() != Json::Type::Null)
    {
        problem.say("invalid JSON: the body must be an object");
    }
    const Json *root = document.type() == Json::Type::Object ? &document : nullptr;
    const Json *encrypted = memberOf(root, "enc_share", Json::Type::Object, "an object", problem);
    Written written;
    written.sharesHash = text(root, "shares_hash", problem);
    written.proposal = number(root, "proposal_id", kUint32, problem);
    written.voteDecision = number(root, "vote_decision", kUint32, problem);
    written.c1 = text(encrypted, "c1", problem);
    written.c2 = text(encrypted, "c2", problem);
    written.shareIndex = number(encrypted, "share_index", kUint32, problem);
    written.treePosition = number(root, "tree_position", kUint64, problem);
    written.round = text(root, "vote_round_id", problem);
    written.commitments = commitmentsIn(root, problem);
    written.primaryBlind = text(root, "primary_blind", problem);
    written.submitAt = number(root, "submit_at", kUint64, problem);
    written.namesItsTime = memberOf(root, "submit_at") != nullptr;
    return written;
}

Hash32 sized(const std::string &path, const std::optional<Bytes> &bytes, const char *encoding,
             FirstProblem &problem)
{
    Hash32 value{};
    if (!bytes)
    {
        problem.say(path + ": not " + encoding);
    }
    else if (bytes->size() != value.size())
    {
        problem.say(path + ": expected 32 bytes, got " + std::to_string(bytes->size()));
    }
    else
    {
        std::copy(bytes->begin(), bytes->end(), value.begin());
    }
    return value;
}

Hash32 base64Of(const std::string &path, std::string_view text, FirstProblem &problem)
{
    return sized(path, core::fromBase64(text), "canonical base64", problem);
}

ShareRequest decode(const Written &written, FirstProblem &problem)
{
    ShareRequest request;
    core::VoteShare &share = request.share;
    share.sharesHash = base64Of("shares_hash", written.sharesHash, problem);
    share.c1 = base64Of("enc_share.c1", written.c1, problem);
    share.c2 = base64Of("enc_share.c2", written.c2, problem);
    problem.demand(written.shareIndex <= core::kMaxShareIndex,
                   "enc_share.share_index must be 0..15");
    share.key.shareIndex = static_cast<std::uint8_t>(written.shareIndex);
    problem.demand(written.voteDecision <= core::kMaxVoteDecision, "vote_decision must be 0..7");
    share.voteDecision = static_cast<std::uint8_t>(written.voteDecision);
    problem.demand(written.proposal >= 1 && written.proposal <= core::kMaxProposal,
                   "proposal_id must be 1..15, got " + std::to_string(written.proposal));
    share.key.proposal = static_cast<std::uint8_t>(written.proposal);
    problem.demand(
        written.treePosition <= core::kMaxTreePosition,
        "tree_position " + std::to_string(written.treePosition) + " exceeds maximum tree capacity");
    share.key.treePosition = static_cast<std::uint32_t>(written.treePosition);
    share.key.round = sized("vote_round_id", core::fromHex(written.round), "hexadecimal", problem);
    problem.demand(
        written.commitments.size() == core::kShareCommitments,
        "share_comms: expected 16 entries, got " + std::to_string(written.commitments.size()));
    const std::size_t given = std::min(written.commitments.size(), core::kShareCommitments);
    for (std::size_t i = 0; i < given; ++i)
    {
        share.commitments[i] =
            base64Of("share_comms[" + std::to_string(i) + "]", written.commitments[i], problem);
    }
    share.primaryBlind = base64Of("primary_blind", written.primaryBlind, problem);
    request.submitAt = written.submitAt;
    request.namesItsTime = written.namesItsTime;
    return request;
}
}  // namespace

std::variant<ShareRequest, ShareProblem> readShareRequest(std::string_view body)
{
    const JsonDocument document = readJson(body);
    if (!document.root)
    {
        return ShareProblem{"invalid JSON: " + document.problem};
    }
    FirstProblem problem;
    const Written written = read(*document.root, problem);
    if (problem.text().empty())
    {
        const ShareRequest request = decode(written, problem);
        if (problem.text().empty())
        {
            return request;
        }
    }
    return ShareProblem{problem.text()};
}
}  // namespace relayer::wire
