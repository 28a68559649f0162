#include "plugins/share_intake.h"

#include "plugins/resumed_on.h"

#include <drogon/HttpTypes.h>
#include <drogon/utils/Utilities.h>
#include <trantor/utils/Logger.h>

#include <limits>
#include <stdexcept>

namespace relayer::plugins
{
using core::Hash32;
using drogon::Task;

namespace
{
constexpr std::size_t kMostKnown = 4096;
// A round that there is not may be there in a moment.
constexpr std::int64_t kUnknownFor = 2;
constexpr std::int64_t kEver = std::numeric_limits<std::int64_t>::max();

core::SealRandomness freshRandomness()
{
    core::SealRandomness random;
    if (!drogon::utils::secureRandomBytes(random.rowKey.data(), random.rowKey.size()) ||
        !drogon::utils::secureRandomBytes(random.nonce.data(), random.nonce.size()))
    {
        throw std::runtime_error("the system has no random bytes");
    }
    return random;
}
}  // namespace

std::optional<std::optional<std::int64_t>> ShareIntake::cached(const Hash32 &round)
{
    const std::int64_t now = around_.now();
    const std::lock_guard lock(mutex_);
    const auto known = known_.find(round);
    if (known == known_.end() || known->second.until <= now)
    {
        return std::nullopt;
    }
    return known->second.end;
}

void ShareIntake::keep(const Hash32 &round, std::optional<std::int64_t> end)
{
    const std::int64_t until = end ? kEver : around_.now() + kUnknownFor;
    const std::lock_guard lock(mutex_);
    if (known_.size() >= kMostKnown)
    {
        known_.clear();  // the table still knows those that matter
    }
    known_[round] = {end, until};
}

ShareIntake::Line ShareIntake::lineFor(const Hash32 &round)
{
    std::erase_if(asking_, [](const auto &each) { return each.second.expired(); });
    Line line = asking_[round].lock();
    if (!line)
    {
        line = std::make_shared<Turn::Line>();
        asking_[round] = line;
    }
    return line;
}

Task<std::optional<std::int64_t>> ShareIntake::lookUp(Hash32 round)
{
    auto end = co_await resumedOn(around_.loop, around_.shares->endOfRound(round));
    if (!end)
    {
        const auto found = co_await around_.rounds->find(round);
        if (found)
        {
            end = found->voteEndTime;
            // One that is over takes no more shares, so nobody would ever clear it away.
            if (*end == 0 || around_.now() < *end)
            {
                co_await resumedOn(around_.loop, around_.shares->rememberRound(round, *end));
            }
        }
    }
    keep(round, end);
    co_return end;
}

Task<std::optional<std::int64_t>> ShareIntake::endOf(Hash32 round)
{
    if (const auto known = cached(round))
    {
        co_return *known;
    }
    const OnLoop there(around_.loop);
    co_await there;
    const Line line = lineFor(round);
    Turn turn(around_.loop, line);
    co_await turn;
    if (const auto known = cached(round))
    {
        co_return *known;
    }
    co_return co_await lookUp(round);
}

Task<std::optional<ShareIntake::Refused>> ShareIntake::mismatch(core::VoteShare share)
{
    if (!around_.library || !around_.library->hashesCommitments())
    {
        co_return std::nullopt;
    }
    const auto commitment = around_.library->commitmentOf(share);
    if (!commitment)
    {
        LOG_WARN << "step=vc_hash round_id=" << core::toHex(share.key.round)
                 << ": the library hashes no such commitment";
        co_return Refused{"invalid vote commitment"};
    }
    const std::string position = std::to_string(share.key.treePosition);
    std::optional<Hash32> leaf;
    const OnLoop there(around_.loop);
    co_await there;
    try
    {
        leaf = co_await around_.tree->leaf(share.key.round, share.key.treePosition);
    }
    catch (const ShareTrouble &trouble)
    {
        LOG_WARN << "step=leaf_read round_id=" << core::toHex(share.key.round)
                 << " code=" << trouble.code() << ": " << trouble.what();
        co_return Refused{"invalid vote commitment: tree read error"};
    }
    if (!leaf)
    {
        co_return Refused{"invalid vote commitment: no leaf at position " + position};
    }
    co_return *leaf == *commitment
        ? std::nullopt
        : std::optional(Refused{"invalid vote commitment: hash mismatch at position " + position});
}

Task<ShareIntake::Outcome> ShareIntake::take(core::VoteShare share, std::uint64_t submitAt)
{
    if (auto wrong = co_await mismatch(share))
    {
        co_return std::move(*wrong);
    }
    const std::string round = core::toHex(share.key.round);
    const auto end = co_await endOf(share.key.round);
    if (!end)
    {
        co_return Refused{"unknown voting round: " + round};
    }
    if (submitAt > static_cast<std::uint64_t>(*end))
    {
        co_return Refused{"invalid submit_at: submit_at (" + std::to_string(submitAt) +
                          ") > vote_end_time (" + std::to_string(*end) + ")"};
    }
    models::NewVoteShare row;
    row.key = share.key;
    row.digest = core::digestOf(share);
    if (*end > 0 && around_.now() >= *end)
    {
        const auto known = co_await around_.shares->known(row.key, row.digest);
        if (known)
        {
            co_return *known;
        }
        co_return Refused{"voting round is over: " + round};
    }
    row.sealed = around_.keys->seal(share, freshRandomness());
    row.submitAt = static_cast<std::int64_t>(submitAt);
    row.voteEndTime = *end;
    co_return co_await around_.shares->enqueue(std::move(row));
}
}  // namespace relayer::plugins
