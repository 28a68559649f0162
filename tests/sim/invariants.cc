// What must hold after each step, and at the end.
#include "sim/process.h"
#include "sim/timing.h"
#include "sim/world.h"

#include <algorithm>
#include <bitset>
#include <numeric>
#include <sstream>

namespace relayer::sim
{
using core::Status;
using core::Transition;

namespace
{
bool isEdge(core::Kind kind, Status from, Status to)
{
    return std::ranges::any_of(core::kAllTransitions, [&](Transition transition) {
        return core::next(kind, from, transition) == to;
    });
}
}  // namespace

// Of all transactions of a request that stand on the chain, reverted ones too, at most one is not
// followed by another: each is the request's only one, but for those after which the engine is to
// send anew. Those are the ones of a decryption that were mined, did not revert, and made no
// request (plugins/tx_attempts_ending.cc, core::MinedMeans::SendAnew): nothing came of them. A
// reverted one, and an input proof without its event, fail the request. A no-op that closes a nonce
// carries no request and does not count, and neither does a nonce that went to somebody else.
bool World::mayBeSentAgain(const Signed &transaction, FakeChain::Fate fate) const
{
    return fate == FakeChain::Fate::WithoutEvent &&
           database_.row(transaction.request).kind != core::Kind::InputProof;
}

void World::mined(const Signed &transaction, FakeChain::Fate fate)
{
    if (!mayBeSentAgain(transaction, fate))
    {
        const auto place = static_cast<std::size_t>(transaction.request);
        requestsOnChain_.resize(std::max(requestsOnChain_.size(), place + 1));
        require(++requestsOnChain_[place] <= 1, "a request was mined twice");
    }
}

void World::unmined(const Signed &transaction, FakeChain::Fate fate)
{
    if (!mayBeSentAgain(transaction, fate))
    {
        --requestsOnChain_.at(static_cast<std::size_t>(transaction.request));
    }
}

void World::admitted(const Row &row)
{
    const auto kind = static_cast<std::size_t>(row.kind);
    ++admitted_.at(kind);
    ++tally_.at(kind).at(static_cast<std::size_t>(row.status));
}

void World::moved(const Row &row, Status from)
{
    const auto kind = static_cast<std::size_t>(row.kind);
    --tally_.at(kind).at(static_cast<std::size_t>(from));
    ++tally_.at(kind).at(static_cast<std::size_t>(row.status));
    ended_.at(kind) += core::isTerminal(row.status) ? 1 : 0;
}

void World::recovered(Epoch epoch) const
{
    for (const Row &row : database_.rows())
    {
        require(row.owner != epoch || row.status != Status::TxInFlight,
                "a start did not set back what was in flight");
    }
}

// An answer that was there, and could be heard of, is never lost: nodes were not away for long.
// After a reorg, when ids are given twice, one request in many thousands still does not find its
// answer: those are counted.
void World::ended(const Row &row, Transition transition)
{
    const bool deaf =
        now_ < awayForLongUntil_ + timing::kBlock * timing::kAnswerIsHeardOfAfterBlocks;
    if (deaf || transition != Transition::TimeOut || row.txHash == 0 || row.gatewayId == 0 ||
        !chain_.wasAnsweredBy(row.id, chain_.head() - timing::kAnswerIsHeardOfAfterBlocks))
    {
        return;
    }
    require(takenBack_.contains(row.kind), "an answer was lost");
    ++coverage_.unheard;
}

// Nobody reads again what lies behind the cursor, as long as the chain agrees with it. (Of answers
// those are kept that may be for one of ours; whether they were is seen by `ended`.)
void World::cursorMoved(const Cursor &cursor) const
{
    constexpr std::int64_t kBlocksLookedAt = 12;
    if (chain_.hashOf(cursor.block) != cursor.hash)
    {
        return;
    }
    for (const Log &log : chain_.logs(cursor.block - kBlocksLookedAt, cursor.block))
    {
        require(!log.request || database_.hasEvent(log),
                "the cursor went past an event that is not in the inbox");
    }
}

// What has a transaction on its way is nobody's to claim: another lane would estimate it, find no
// way to commit it, and fail it should the estimate revert.
void World::claimed(const Row &row) const
{
    require(!database_.hasOpenAttempt(row.id), "a request was claimed that is on its way");
}

// Whose transaction may still be mined is not ended by a deadline: its sender closes the nonce
// first. Who has a receipt waits for the answer alone; its attempt may be open all the same, for a
// moment, or after a reorg.
void World::overdue(const Row &row, bool hasOpenAttempt)
{
    require(row.status == Status::ReceiptReceived || !hasOpenAttempt,
            "a deadline ended a request whose transaction is on its way");
}

void World::check()
{
    if (database_.version() != checkedVersion_)
    {
        checkedVersion_ = database_.version();
        checkRows();
        checkLanes();
    }
    for (const auto &process : processes_)
    {
        if (process != nullptr)
        {
            process->checkPositions();
        }
    }
}

void World::checkRows()
{
    const std::vector<Row> &rows = database_.rows();
    Tally counted{};
    std::array<std::int64_t, core::kKinds> live{};
    std::int64_t owned = 0;
    std::bitset<64> standing;
    for (std::size_t i = 0; i < rows.size(); ++i)
    {
        const Row &row = rows[i];
        if (i == statuses_.size())
        {
            require(row.status == core::initialStatus(row.kind), "a request began elsewhere");
            statuses_.push_back(row.status);
        }
        if (row.status != statuses_[i])
        {
            require(!core::isTerminal(statuses_[i]), "a request left a status that is an end");
            require(isEdge(row.kind, statuses_[i], row.status),
                    "a status changed in a way that is not in the table");
            statuses_[i] = row.status;
        }
        const bool ended = core::isTerminal(row.status);
        const auto kind = static_cast<std::size_t>(row.kind);
        ++counted[kind][static_cast<std::size_t>(row.status)];
        live[kind] += ended ? 0 : 1;
        owned += row.owner ? 1 : 0;
        require(!ended || !row.owner, "a request that has ended belongs to somebody");
        if (row.dedup)
        {
            const auto place = static_cast<std::size_t>(row.content);
            require(!standing.test(place), "two requests stand for one content");
            standing.set(place);
        }
    }
    require(counted == tally_, "the changes that were told do not add up to what is there");
    for (std::size_t kind = 0; kind < core::kKinds; ++kind)
    {
        require(admitted_[kind] == ended_[kind] + live[kind], "admitted is not live and ended");
    }
    const auto allLive = std::accumulate(live.begin(), live.end(), std::int64_t{0});
    require(allLive == static_cast<std::int64_t>(database_.live().size()),
            "live requests are not those that have not ended");
    std::int64_t claimed = 0;
    for (const auto &[epoch, count] : database_.claims())
    {
        require(count >= 0, "somebody has given back more than was claimed");
        claimed += count;
    }
    require(claimed == owned, "claims are not what instances hold");
}

// Nonces of a lane are gapless: each is ours once, or went to a transaction of somebody else.
void World::checkLanes()
{
    const std::vector<AttemptRow> &attempts = database_.attempts();
    for (; checkedAttempts_ < attempts.size(); ++checkedAttempts_)
    {
        const AttemptRow &attempt = attempts[checkedAttempts_];
        std::int64_t &next = attemptsAt_[static_cast<std::size_t>(attempt.lane)];
        require(attempt.nonce >= next, "a nonce was taken twice");
        for (; next < attempt.nonce; ++next)
        {
            require(chain_.isForeign(attempt.lane, next), "a nonce was left out");
        }
        ++next;
    }
}

std::string World::story() const
{
    std::ostringstream text;
    text << "at " << std::chrono::duration_cast<std::chrono::milliseconds>(now_).count()
         << " ms, block " << chain_.head() << "\n";
    for (const Row &row : database_.rows())
    {
        if (!core::isTerminal(row.status))
        {
            text << "  request " << row.id << " " << core::name(row.kind) << " "
                 << core::name(row.status) << ", owner " << row.owner.value_or(0) << ", gateway id "
                 << row.gatewayId << "\n";
        }
    }
    constexpr std::array kStates = {"signed", "mined", "consumed"};
    for (const AttemptRow &attempt : database_.attempts())
    {
        const std::int64_t reached = chain_.count(attempt.lane, 0);
        if (attempt.open() || attempt.nonce >= reached)
        {
            text << "  attempt " << attempt.id << " lane " << attempt.lane << " nonce "
                 << attempt.nonce << " of request " << attempt.request << " "
                 << kStates.at(static_cast<std::size_t>(attempt.state)) << " in block "
                 << attempt.minedBlock << ", " << attempt.versions.size() << " versions, "
                 << attempt.sends << " sends" << (attempt.closing ? ", closing" : "")
                 << "; the chain has taken " << reached << "\n";
        }
    }
    for (const auto &[at, fault] : troubles_)
    {
        text << "  " << std::chrono::duration_cast<std::chrono::milliseconds>(at).count()
             << " ms: " << name(fault) << "\n";
    }
    for (const Client &client : clients_)
    {
        if (!client.accepted)
        {
            text << "  content " << client.content << " was never taken in\n";
        }
    }
    return text.str();
}

// An attempt that a late statement has opened again in the books is found when the lane is read;
// what counts is that the chain waits for no nonce. (Somebody else's transaction with our key,
// which a reorg has put back into the pool, has its nonce counted already.)
bool World::allIsOver() const
{
    const auto waits = [](const Client &client) { return !client.accepted; };
    for (int lane = 0; lane < kMostLanes; ++lane)
    {
        if (chain_.count(lane, 0) < database_.nextNonce(lane))
        {
            return false;
        }
    }
    const auto leavesAGap = [this](const AttemptRow &attempt) {
        return attempt.nonce >= chain_.count(attempt.lane, 0);
    };
    return !isFaulty() && database_.live().empty() && std::ranges::none_of(clients_, waits) &&
           std::ranges::none_of(database_.attempts(), leavesAGap);
}

void World::checkTheEnd() const
{
    for (int lane = 0; lane < kMostLanes; ++lane)
    {
        require(chain_.count(lane, 0) >= database_.nextNonce(lane),
                "a nonce was never used on the chain");
    }
    for (const Row &row : database_.rows())
    {
        if (row.kind == core::Kind::UserDecrypt && row.status == Status::Completed)
        {
            require(database_.firstShares(row.gatewayId).has_value(),
                    "a decryption was completed without its shares");
        }
    }
    const std::uint64_t instances = processes_.size();
    require(instances >= 2 && instances <= 5, "the run was not the size it should have");
}
}  // namespace relayer::sim
