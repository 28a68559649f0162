#include "plugins/vote_tree.h"

#include "core/base64.h"
#include "core/bytes.h"
#include "plugins/vote_answers.h"

#include <algorithm>
#include <utility>

namespace relayer::plugins
{
using chain::rpc::HttpAnswer;
using chain::rpc::HttpEndpoint;
using core::AttemptEnd;
using core::Bytes;
using core::Hash32;
using drogon::Task;
using Clock = std::chrono::steady_clock;

namespace
{
constexpr int kOk = 200;
constexpr std::uint64_t kSpan = 1000;
// That is ten million heights, of which each costs a chain seconds.
constexpr int kMostQuestions = 10'000;

ShareTrouble changed()
{
    return {AttemptEnd::MayGoBetter, "tree_changed",
            "the vote chain tells another commitment tree than before"};
}

std::optional<Hash32> hashIn(const Json::Value &value)
{
    const auto bytes = value.isString() ? core::fromBase64(value.asString()) : std::nullopt;
    Hash32 hash{};
    if (!bytes || bytes->size() != hash.size())
    {
        return std::nullopt;
    }
    std::copy(bytes->begin(), bytes->end(), hash.begin());
    return hash;
}

// The leaves of one span: where the first stands, and they themselves.
struct Leaves
{
    std::uint64_t first = 0;
    Bytes bytes;
};

// Blocks come in the order of their heights, and their leaves follow each other.
std::optional<Leaves> leavesIn(const Json::Value &blocks)
{
    std::optional<Leaves> all;
    for (const Json::Value &block : blocks)
    {
        const auto start = block.isObject() ? vote::number(block, "start_index") : std::nullopt;
        if (!start || !block["leaves"].isArray())
        {
            throw vote::strange("answers no leaves");
        }
        if (block["leaves"].empty())
        {
            continue;
        }
        if (!all)
        {
            all = Leaves{*start, {}};
        }
        if (*start != all->first + all->bytes.size() / 32)
        {
            throw vote::strange("leaves out leaves");
        }
        for (const Json::Value &each : block["leaves"])
        {
            const auto leaf = hashIn(each);
            if (!leaf)
            {
                throw vote::strange("answers a leaf that is none");
            }
            all->bytes.insert(all->bytes.end(), leaf->begin(), leaf->end());
        }
    }
    return all;
}
}  // namespace

VoteTree::VoteTree(trantor::EventLoop *loop, VoteTreeOptions options,
                   std::shared_ptr<MerklePaths> paths)
    : loop_(loop),
      options_(std::move(options)),
      paths_(std::move(paths)),
      rest_(std::make_shared<HttpEndpoint>(loop, options_.rest, chain::rpc::HttpLimits{}))
{}

VoteTree::MirrorPtr VoteTree::mirrorOf(const Hash32 &round)
{
    const auto known = mirrors_.find(round);
    if (known != mirrors_.end())
    {
        return known->second;
    }
    if (mirrors_.size() >= options_.mostRounds)
    {
        mirrors_.erase(std::min_element(
            mirrors_.begin(), mirrors_.end(),
            [](const auto &a, const auto &b) { return a.second->asOf < b.second->asOf; }));
    }
    return mirrors_.emplace(round, std::make_shared<Mirror>()).first->second;
}

Task<HttpAnswer> VoteTree::get(std::string target)
{
    chain::rpc::HttpQuestion question;
    question.target = vote::kBase + "commitment-tree/" + std::move(target);
    question.timeout = options_.timeout;
    HttpEndpoint::Exchange exchange = rest_->ask(std::move(question));
    co_return vote::answered(co_await exchange);
}

Task<std::optional<VoteTree::Latest>> VoteTree::ask(Hash32 round)
{
    const HttpAnswer answer = co_await get(core::toHex(round) + "/latest");
    if (vote::knowsNoSuchRound(answer))
    {
        co_return std::nullopt;
    }
    if (answer.status != kOk)
    {
        throw vote::unexpected(answer);
    }
    const Json::Value document = vote::documentOf(answer);
    const Json::Value &tree = document["tree"];
    if (!tree.isObject())
    {
        throw vote::strange("answers no tree");
    }
    Latest latest;
    latest.count = vote::number(tree, "next_index").value_or(0);
    latest.height = vote::number(tree, "height").value_or(0);
    latest.root = hashIn(tree["root"]);
    latest_ = Status{latest.count, latest.height};
    co_return latest;
}

Task<CommitmentTree::Status> VoteTree::status(Hash32 round)
{
    const auto latest = co_await ask(round);
    co_return latest ? Status{latest->count, latest->height} : Status{};
}

Task<Json::Value> VoteTree::blocks(Hash32 round, std::uint64_t from, std::uint64_t to)
{
    const HttpAnswer answer =
        co_await get(core::toHex(round) + "/leaves?from_height=" + std::to_string(from) +
                     "&to_height=" + std::to_string(to));
    if (answer.status != kOk)
    {
        throw vote::unexpected(answer);
    }
    Json::Value document = vote::documentOf(answer);
    Json::Value &blocks = document["blocks"];
    if (!blocks.isArray() && !blocks.isNull())
    {
        throw vote::strange("answers no blocks");
    }
    co_return std::move(blocks);
}

// From the newest height back, until there is the first that is not known.
Task<Bytes> VoteTree::leavesBehind(Hash32 round, std::uint64_t known, Latest latest)
{
    Bytes found;
    std::uint64_t first = latest.count;  // of what was found
    std::uint64_t to = latest.height;
    for (int i = 0; first > known && i < kMostQuestions; ++i)
    {
        const std::uint64_t from = to >= kSpan ? to - kSpan + 1 : 0;
        const Json::Value told = co_await blocks(round, from, to);
        auto span = leavesIn(told);
        if (span)
        {
            if (span->first + span->bytes.size() / 32 != first)
            {
                throw vote::strange("leaves out leaves");
            }
            first = span->first;
            span->bytes.insert(span->bytes.end(), found.begin(), found.end());
            found = std::move(span->bytes);
        }
        if (from == 0)
        {
            break;
        }
        to = from - 1;
    }
    if (first > known)
    {
        throw vote::strange("leaves out leaves");
    }
    found.erase(found.begin(), found.begin() + static_cast<std::ptrdiff_t>((known - first) * 32));
    co_return found;
}

Task<> VoteTree::bringUpToDate(Hash32 round, MirrorPtr mirror)
{
    const auto latest = co_await ask(round);
    if (!latest)
    {
        co_return;
    }
    if (latest->count > options_.mostLeaves)
    {
        throw vote::strange("has more leaves than its tree has room for");
    }
    const bool sameSize = latest->count == mirror->count();
    if (latest->count < mirror->count() ||
        (sameSize && mirror->root && latest->root && *mirror->root != *latest->root))
    {
        mirror->leaves.clear();
        mirror->root.reset();
        throw changed();
    }
    if (!sameSize)
    {
        const Bytes more = co_await leavesBehind(round, mirror->count(), *latest);
        mirror->leaves.insert(mirror->leaves.end(), more.begin(), more.end());
    }
    mirror->height = latest->height;
    mirror->root = latest->root;
    mirror->asOf = Clock::now();
}

Task<VoteTree::MirrorPtr> VoteTree::upToDate(Hash32 round, std::uint32_t position)
{
    const MirrorPtr mirror = mirrorOf(round);
    Turn turn(loop_, mirror->line);
    co_await turn;
    const bool known = mirror->count() > position;
    if (!known || Clock::now() - mirror->asOf > options_.fresh)
    {
        co_await bringUpToDate(round, mirror);
    }
    co_return mirror;
}

Task<CommitmentTree::Path> VoteTree::path(Hash32 round, std::uint32_t position)
{
    const MirrorPtr mirror = co_await upToDate(round, position);
    if (mirror->count() == 0 || mirror->height == 0)
    {
        throw ShareTrouble(AttemptEnd::MayGoBetter, "tree_empty", "commitment tree is empty");
    }
    if (position >= mirror->count())
    {
        throw ShareTrouble(AttemptEnd::MayGoBetter, "not_in_the_tree",
                           "the position is out of the range of the commitment tree");
    }
    const std::uint64_t height = mirror->height;
    const std::optional<Hash32> root = mirror->root;
    const auto made = co_await paths_->make(mirror->leaves, position);
    if (root && made.root != *root)
    {
        mirror->leaves.clear();
        mirror->root.reset();
        throw changed();
    }
    co_return Path{made.merkle, height};
}

Task<std::optional<Hash32>> VoteTree::leaf(Hash32 round, std::uint32_t position)
{
    MirrorPtr mirror = mirrorOf(round);
    if (position >= mirror->count())
    {
        mirror = co_await upToDate(round, position);
    }
    if (position >= mirror->count())
    {
        co_return std::nullopt;
    }
    Hash32 leaf{};
    std::copy_n(mirror->leaves.begin() + static_cast<std::ptrdiff_t>(position) * 32, leaf.size(),
                leaf.begin());
    co_return leaf;
}
}  // namespace relayer::plugins
