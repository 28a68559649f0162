// Lanes, attempts and the inbox: the statements of models/lane_store.cc, request_sql_chain.cc and
// inbox_store.cc.
#include "sim/fake_database.h"

#include <algorithm>

namespace relayer::sim
{
using core::Kind;
using core::Status;
using core::Transition;

const AttemptRow *FakeDatabase::attemptOf(Hash hash) const
{
    for (const AttemptRow &attempt : attempts_)
    {
        for (const Version &version : attempt.versions)
        {
            if (version.bytes.hash == hash)
            {
                return &attempt;
            }
        }
    }
    return nullptr;
}

bool FakeDatabase::hasOpenAttempt(RequestId id) const
{
    return std::ranges::any_of(attempts_, [&](const AttemptRow &attempt) {
        return attempt.request == id && attempt.open();
    });
}

AttemptRow *FakeDatabase::mine(int lane, Epoch claimer, AttemptId attempt)
{
    AttemptRow &found = attempts_[place(attempt) - 1];
    return lanes_[place(lane)].owner == claimer && found.lane == lane ? &found : nullptr;
}

LaneHeld FakeDatabase::hold(int name, Epoch claimer, Time lease, std::int64_t chainNonce)
{
    Lane &lane = lanes_[place(name)];
    if (lane.owner && lane.owner != claimer && lane.leaseUntil >= with_.now())
    {
        return {};
    }
    lane.owner = claimer;
    lane.leaseUntil = with_.now() + lease;
    lane.nextNonce = std::max(lane.nextNonce, chainNonce);
    for (const AttemptRow &attempt : attempts_)
    {
        if (attempt.lane == name && attempt.open() && live_.contains(attempt.request))
        {
            own(rowAt(attempt.request), claimer);
        }
    }
    ++version_;
    return {true, lane.nextNonce};
}

std::optional<std::int64_t> FakeDatabase::renew(int name, Epoch claimer, Time lease)
{
    Lane &lane = lanes_[place(name)];
    if (lane.owner != claimer)
    {
        return std::nullopt;
    }
    lane.leaseUntil = with_.now() + lease;
    return lane.nextNonce;
}

Committed FakeDatabase::commit(int name, Epoch claimer, std::int64_t firstNonce,
                               const std::vector<Signed> &transactions)
{
    Committed committed;
    Lane &lane = lanes_[place(name)];
    const bool unguarded = with_.mutation == Mutation::CommitWithoutLane;
    std::set<RequestId> once;
    for (const Signed &transaction : transactions)
    {
        if (!once.insert(transaction.request).second)
        {
            committed.outcome = Committed::Outcome::RowsLost;
            committed.lost.push_back(transaction.request);
        }
    }
    if (!committed.lost.empty())
    {
        return committed;
    }
    if (lane.owner != claimer && !unguarded)
    {
        return committed;
    }
    for (const Signed &transaction : transactions)
    {
        const Row &r = row(transaction.request);
        const bool allowed =
            core::next(r.kind, r.status, Transition::MarkTxInFlight) && r.owner == claimer;
        if (!allowed || hasOpenAttempt(r.id) || hasVersion(transaction.hash))
        {
            committed.lost.push_back(r.id);
        }
    }
    const bool moved = lane.nextNonce != firstNonce ||
                       std::ranges::any_of(attempts_, [&](const AttemptRow &attempt) {
                           return attempt.lane == name && attempt.nonce >= firstNonce;
                       });
    if (moved && !unguarded)
    {
        committed.outcome = Committed::Outcome::NonceMoved;
        committed.lost.clear();
        return committed;
    }
    if (!committed.lost.empty())
    {
        committed.outcome = Committed::Outcome::RowsLost;
        return committed;
    }
    for (const Signed &transaction : transactions)
    {
        AttemptRow attempt;
        attempt.id = static_cast<AttemptId>(attempts_.size()) + 1;
        attempt.lane = name;
        attempt.nonce = transaction.nonce;
        attempt.request = transaction.request;
        attempt.versions.push_back({transaction, false});
        attempt.createdAt = with_.now();
        attempts_.push_back(attempt);
        committed.attempts.push_back(attempt.id);
        Row &r = rowAt(transaction.request);
        r.txHash = transaction.hash;
        move(r, Transition::MarkTxInFlight);
    }
    lane.nextNonce = firstNonce + static_cast<std::int64_t>(transactions.size());
    committed.outcome = Committed::Outcome::Committed;
    return committed;
}

bool FakeDatabase::addVersion(int lane, Epoch claimer, AttemptId id, const Version &version,
                              bool closing)
{
    AttemptRow *attempt = mine(lane, claimer, id);
    if (attempt == nullptr || !attempt->open() || (attempt->closing && !version.noOp))
    {
        return false;
    }
    attempt->closing = attempt->closing || closing;
    if (!hasVersion(version.bytes.hash))
    {
        attempt->versions.push_back(version);
    }
    ++version_;
    return true;
}

bool FakeDatabase::countSend(int lane, Epoch claimer, AttemptId id)
{
    AttemptRow *attempt = mine(lane, claimer, id);
    if (attempt == nullptr || !attempt->open())
    {
        return false;
    }
    ++attempt->sends;
    return true;
}

void FakeDatabase::markMined(int lane, Epoch claimer, AttemptId id, Hash hash, std::int64_t block)
{
    AttemptRow *attempt = mine(lane, claimer, id);
    if (attempt != nullptr && attempt->state != AttemptRow::State::Consumed)
    {
        attempt->state = AttemptRow::State::Mined;
        attempt->minedHash = hash;
        attempt->minedBlock = block;
        ++version_;
    }
}

void FakeDatabase::markConsumed(int lane, Epoch claimer, AttemptId id)
{
    AttemptRow *attempt = mine(lane, claimer, id);
    if (attempt != nullptr && attempt->open())
    {
        attempt->state = AttemptRow::State::Consumed;
        ++version_;
    }
}

bool FakeDatabase::reopen(int lane, Epoch claimer, AttemptId id)
{
    AttemptRow *attempt = mine(lane, claimer, id);
    if (attempt == nullptr || attempt->state != AttemptRow::State::Mined)
    {
        return false;
    }
    if (attempt->request != 0)
    {
        Row &r = rowAt(attempt->request);
        // Whoever has it, or has claimed it to send it anew, has lost it to the transaction that
        // came back.
        if (r.status == Status::Processing || r.status == Status::TxInFlight)
        {
            own(r, claimer);
            r.statusAt = with_.now();
        }
        if (r.status == Status::Processing)
        {
            move(r, Transition::MarkTxInFlight);
        }
        if (r.status == Status::ReceiptReceived && r.txHash == attempt->minedHash)
        {
            r.gatewayId = 0;
            std::erase_if(references_, [&](const auto &each) {
                return each.first.first == r.kind && each.second == r.id;
            });
        }
    }
    attempt->state = AttemptRow::State::Signed;
    attempt->minedHash = 0;
    attempt->minedBlock = 0;
    ++version_;
    return true;
}

StoredAttempt FakeDatabase::stored(const AttemptRow &attempt) const
{
    StoredAttempt found;
    found.attempt = attempt;
    if (attempt.request != 0)
    {
        found.kind = row(attempt.request).kind;
        found.status = row(attempt.request).status;
    }
    found.age = std::max(Time(0), with_.now() - attempt.createdAt);
    return found;
}

std::vector<StoredAttempt> FakeDatabase::openAttempts(int lane) const
{
    std::vector<StoredAttempt> found;
    for (const AttemptRow &attempt : attempts_)
    {
        if (attempt.lane == lane && attempt.open())
        {
            found.push_back(stored(attempt));
        }
    }
    std::ranges::sort(found, {}, [](const StoredAttempt &each) { return each.attempt.nonce; });
    return found;
}

std::vector<StoredAttempt> FakeDatabase::minedSince(int lane, std::int64_t block,
                                                    std::int64_t nonce) const
{
    std::vector<StoredAttempt> found;
    for (const AttemptRow &attempt : attempts_)
    {
        if (attempt.lane == lane && attempt.state == AttemptRow::State::Mined &&
            (attempt.minedBlock >= block || attempt.nonce >= nonce))
        {
            found.push_back(stored(attempt));
        }
    }
    std::ranges::sort(found, {}, [](const StoredAttempt &each) { return each.attempt.nonce; });
    return found;
}

std::vector<RequestId> FakeDatabase::stranded(Epoch claimer) const
{
    std::vector<RequestId> ids;
    for (const Row &r : rows_)
    {
        if (r.owner == claimer && r.status == Status::TxInFlight && !hasOpenAttempt(r.id))
        {
            ids.push_back(r.id);
        }
    }
    return ids;
}

bool FakeDatabase::isOurs(const Log &log) const
{
    return log.request ? hasVersion(log.txHash) : references_.contains({log.kind, log.gatewayId});
}

bool FakeDatabase::mayBecomeOurs(Kind kind) const
{
    return std::ranges::any_of(attempts_, [&](const AttemptRow &attempt) {
        if (attempt.request == 0)
        {
            return false;
        }
        const Row &r = row(attempt.request);
        return r.kind == kind && (attempt.open() || r.status == Status::TxInFlight);
    });
}

// By the event of a request of ours that nobody has looked at: it may have another id now.
bool FakeDatabase::isAnnounced(Kind kind) const
{
    return std::ranges::any_of(events_, [&](const Event &event) {
        return event.log.request && !event.handled && event.log.kind == kind;
    });
}

std::size_t FakeDatabase::deliver(const std::vector<Log> &logs, std::optional<Cursor> cursor)
{
    std::size_t stored = 0;
    for (const Log &log : logs)
    {
        const bool early = with_.mutation != Mutation::AnswerDroppedIfEarly && !log.request &&
                           (mayBecomeOurs(log.kind) || isAnnounced(log.kind));
        if (!isOurs(log) && !early)
        {
            continue;
        }
        const auto known = std::ranges::find_if(
            events_, [&](const Event &event) { return event.log.isSameAs(log); });
        if (known == events_.end())
        {
            Event event;
            event.id = static_cast<std::int64_t>(events_.size()) + 1;
            event.log = log;
            events_.push_back(event);
            ++stored;
        }
        else if (known->removed)
        {
            known->removed = false;
            known->handled = false;
            ++stored;
        }
    }
    if (cursor && (cursor->block > cursor_.block ||
                   (cursor->block == cursor_.block && cursor->hash != cursor_.hash)))
    {
        setCursor(*cursor);
    }
    ++version_;
    return stored;
}

void FakeDatabase::setCursor(Cursor cursor)
{
    cursor_ = cursor;
    with_.cursorMoved(cursor);
}

bool FakeDatabase::hasEvent(const Log &log) const
{
    return std::any_of(events_.rbegin(), events_.rend(), [&](const Event &event) {
        return !event.removed && event.log.isSameAs(log);
    });
}

std::vector<PendingEvent> FakeDatabase::pending() const
{
    std::vector<PendingEvent> found;
    for (const Event &event : events_)
    {
        if (event.handled)
        {
            continue;
        }
        RequestId id = 0;
        if (event.log.request)
        {
            const AttemptRow *attempt = attemptOf(event.log.txHash);
            id = attempt == nullptr ? 0 : attempt->request;
        }
        else if (const auto reference = references_.find({event.log.kind, event.log.gatewayId});
                 reference != references_.end())
        {
            id = reference->second;
        }
        if (id != 0)
        {
            found.push_back({event, id, row(id).status});
        }
    }
    return found;
}

void FakeDatabase::markHandled(const std::vector<std::int64_t> &ids)
{
    for (const std::int64_t id : ids)
    {
        events_[place(id) - 1].handled = true;
    }
}

void FakeDatabase::removeBlocks(const std::vector<Hash> &blocks)
{
    std::set<Key> freed;
    for (Event &event : events_)
    {
        if (event.removed || std::ranges::count(blocks, event.log.blockHash) == 0)
        {
            continue;
        }
        event.removed = true;
        event.handled = true;
        const Log &log = event.log;
        const auto reference = references_.find({log.kind, log.gatewayId});
        const bool kept =
            reference != references_.end() && core::isTerminal(row(reference->second).status);
        if (log.request || kept)
        {
            continue;
        }
        freed.insert({log.kind, log.gatewayId});
        const auto answer = answers_.find({log.kind, log.gatewayId});
        if (answer != answers_.end() && answer->second.txHash == log.txHash)
        {
            answers_.erase(answer);
        }
        if (log.kind == Kind::UserDecrypt)
        {
            std::erase_if(shares_[log.gatewayId],
                          [&](const Share &share) { return share.txHash == log.txHash; });
        }
    }
    // What came after those that are gone was not kept beside them.
    for (Event &event : events_)
    {
        if (!event.removed && !event.log.request &&
            freed.contains({event.log.kind, event.log.gatewayId}))
        {
            event.handled = false;
        }
    }
    ++version_;
}

std::vector<std::pair<std::int64_t, Hash>> FakeDatabase::blocksSince(std::int64_t block) const
{
    std::set<std::pair<std::int64_t, Hash>> seen;
    for (const Event &event : events_)
    {
        if (!event.removed && event.log.blockNumber >= block)
        {
            seen.emplace(event.log.blockNumber, event.log.blockHash);
        }
    }
    return {seen.begin(), seen.end()};
}
}  // namespace relayer::sim
