// Requests and answers: the statements of models/request_sql.cc.
#include "sim/fake_database.h"

#include <algorithm>

namespace relayer::sim
{
using core::Kind;
using core::Status;
using core::Transition;

void FakeDatabase::own(Row &row, std::optional<Epoch> owner)
{
    if (row.owner)
    {
        --claims_[*row.owner];
    }
    row.owner = owner;
    if (row.owner)
    {
        ++claims_[*row.owner];
    }
    ++version_;
}

void FakeDatabase::move(Row &row, Transition transition)
{
    const auto edge = core::findEdge(row.kind, transition);
    with_.coverage->took(row.kind, transition, row.status);
    const Status from = std::exchange(row.status, edge ? edge->to : core::targetOf(transition));
    row.statusAt = with_.now();
    with_.moved(row, from);
    if (core::releasesClaim(transition))
    {
        own(row, std::nullopt);
    }
    if (core::isTerminal(row.status))
    {
        live_.erase(row.id);
        row.dedup = core::keepsStandingForItsContent(transition, row.status);
        with_.ended(row, transition);
    }
    ++version_;
}

FakeDatabase::Admission FakeDatabase::admit(Kind kind, int content)
{
    for (const Row &row : rows_)
    {
        if (row.kind == kind && row.content == content && row.dedup)
        {
            return {row.id, row.ticket, false};
        }
    }
    Row row;
    row.id = static_cast<RequestId>(rows_.size()) + 1;
    row.kind = kind;
    row.status = core::initialStatus(kind);
    row.content = content;
    row.ticket = nextTicket_++;
    row.statusAt = with_.now();
    rows_.push_back(row);
    live_.insert(row.id);
    with_.admitted(row);
    ++version_;
    return {row.id, row.ticket, true};
}

FakeDatabase::Moved FakeDatabase::apply(Transition transition, RequestId id,
                                        std::optional<Epoch> claimer, Hash txHash,
                                        GatewayId gatewayId)
{
    Row &r = rowAt(id);
    const bool unguarded =
        with_.mutation == Mutation::SkipGuard && transition == Transition::FailTransaction;
    const bool allowed = unguarded || core::next(r.kind, r.status, transition).has_value();
    // What has a transaction on its way is not sent anew.
    const bool onItsWay = transition == Transition::Recover && hasOpenAttempt(id);
    const bool notHis =
        core::belongsToTheClaimer(transition) && r.owner.has_value() && r.owner != claimer;
    if (!allowed || onItsWay || (notHis && !unguarded))
    {
        return {};
    }
    if (transition == Transition::MarkReceiptReceived)
    {
        const auto reference = references_.find({r.kind, gatewayId});
        if (reference != references_.end() && reference->second != id)
        {
            return {};
        }
        r.txHash = txHash;
        r.gatewayId = gatewayId;
        references_[{r.kind, gatewayId}] = id;
    }
    if (transition == Transition::MarkTxInFlight)
    {
        r.txHash = txHash;
    }
    if (transition == Transition::PassReadiness)
    {
        r.ticket = nextTicket_++;
    }
    move(r, transition);
    return {true, r.ticket};
}

bool FakeDatabase::freeGatewayId(RequestId id, GatewayId gatewayId)
{
    const Row &r = row(id);
    const auto reference = references_.find({r.kind, gatewayId});
    if (!core::next(r.kind, r.status, Transition::MarkReceiptReceived) ||
        reference == references_.end() || reference->second == id)
    {
        return false;
    }
    Row &other = rowAt(reference->second);
    if (other.status != Status::ReceiptReceived || other.gatewayId != gatewayId)
    {
        return false;
    }
    references_.erase(reference);
    other.gatewayId = 0;
    ++version_;
    return true;
}

bool FakeDatabase::replaceReceipt(RequestId id, Hash txHash, GatewayId gatewayId)
{
    Row &r = rowAt(id);
    if (r.status != Status::ReceiptReceived)
    {
        return false;
    }
    const auto reference = references_.find({r.kind, gatewayId});
    if (reference != references_.end() && reference->second != id)
    {
        Row &other = rowAt(reference->second);
        if (other.status != Status::ReceiptReceived)
        {
            return false;
        }
        if (other.gatewayId == gatewayId)
        {
            other.gatewayId = 0;
        }
    }
    std::erase_if(references_, [&](const auto &each) {
        return each.first.first == r.kind && each.second == id;
    });
    references_[{r.kind, gatewayId}] = id;
    r.txHash = txHash;
    r.gatewayId = gatewayId;
    ++version_;
    return true;
}

void FakeDatabase::checkWhoseAnswer(const Row &r, RequestId about)
{
    with_.coverage->crossed += about != r.id ? 1 : 0;
}

std::optional<Status> FakeDatabase::settle(Kind kind, GatewayId gatewayId)
{
    const auto reference = references_.find({kind, gatewayId});
    if (reference == references_.end())
    {
        return std::nullopt;
    }
    Row &r = rowAt(reference->second);
    if (r.gatewayId != gatewayId)
    {
        return std::nullopt;
    }
    Transition transition = Transition::Complete;
    if (kind == Kind::UserDecrypt)
    {
        if (static_cast<int>(shares_[gatewayId].size()) < r.threshold.value_or(INT32_MAX))
        {
            return std::nullopt;
        }
    }
    else
    {
        const auto answer = answers_.find({kind, gatewayId});
        if (answer == answers_.end())
        {
            return std::nullopt;
        }
        transition = answer->second.accepted ? Transition::Complete : Transition::Reject;
        if (core::next(kind, r.status, transition))
        {
            checkWhoseAnswer(r, answer->second.about);
        }
    }
    if (!core::next(kind, r.status, transition))
    {
        return std::nullopt;
    }
    move(r, transition);
    return r.status;
}

void FakeDatabase::keepAnswer(const Log &log)
{
    answers_.try_emplace({log.kind, log.gatewayId}, Answer{log.accepted, log.txHash, log.about});
    ++version_;
}

void FakeDatabase::keepShare(const Log &log)
{
    std::vector<Share> &shares = shares_[log.gatewayId];
    if (std::ranges::none_of(shares, [&](const Share &each) { return each.index == log.share; }))
    {
        shares.push_back({log.share, nextArrival_++, log.txHash});
        ++version_;
    }
}

void FakeDatabase::resolveThreshold(RequestId id, int threshold)
{
    Row &r = rowAt(id);
    if (!core::isTerminal(r.status) && !r.threshold)
    {
        r.threshold = threshold;
        ++version_;
    }
}

std::vector<GatewayId> FakeDatabase::answered(Kind kind, std::size_t limit) const
{
    std::vector<GatewayId> found;
    for (const Row &r : rows_)
    {
        if (r.kind != kind || r.status != Status::ReceiptReceived || found.size() >= limit)
        {
            continue;
        }
        const auto shares = shares_.find(r.gatewayId);
        const bool enough = kind == Kind::UserDecrypt && shares != shares_.end() && r.threshold &&
                            static_cast<int>(shares->second.size()) >= *r.threshold;
        if (enough || answers_.contains({kind, r.gatewayId}))
        {
            found.push_back(r.gatewayId);
        }
    }
    return found;
}

std::vector<Claimed> FakeDatabase::claim(Kind kind, Status status, Epoch claimer, std::size_t limit)
{
    std::vector<Row *> free;
    for (Row &r : rows_)
    {
        if (r.kind == kind && r.status == status && !r.owner)
        {
            free.push_back(&r);
        }
    }
    std::ranges::sort(free, {}, [](const Row *r) { return r->ticket; });
    free.resize(std::min(free.size(), limit));
    std::vector<Claimed> claimed;
    for (Row *r : free)
    {
        with_.claimed(*r);
        own(*r, claimer);
        claimed.push_back({r->id, r->kind, r->ticket});
    }
    return claimed;
}

Head FakeDatabase::head(Kind kind, Status status) const
{
    Head head;
    for (const Row &r : rows_)
    {
        if (r.kind == kind && r.status == status && !r.owner)
        {
            head.ticket = std::min(head.ticket.value_or(INT64_MAX), r.ticket);
            ++head.waiting;
        }
    }
    return head;
}

void FakeDatabase::release(const std::vector<RequestId> &ids, Epoch claimer)
{
    for (const RequestId id : ids)
    {
        Row &r = rowAt(id);
        if (r.owner == claimer && !core::isTerminal(r.status))
        {
            own(r, std::nullopt);
        }
    }
}

std::vector<RequestId> FakeDatabase::heldIds(Status status, Epoch claimer) const
{
    std::vector<RequestId> ids;
    for (const Row &r : rows_)
    {
        if (r.status == status && r.owner == claimer)
        {
            ids.push_back(r.id);
        }
    }
    return ids;
}

std::optional<Row> FakeDatabase::rowOf(Hash txHash) const
{
    const AttemptRow *attempt = attemptOf(txHash);
    return attempt != nullptr && attempt->request != 0 ? std::optional(row(attempt->request))
                                                       : std::nullopt;
}

std::optional<Row> FakeDatabase::rowOf(Kind kind, GatewayId gatewayId) const
{
    const auto reference = references_.find({kind, gatewayId});
    return reference == references_.end() ? std::nullopt : std::optional(row(reference->second));
}

std::optional<std::vector<core::DecryptShare>> FakeDatabase::firstShares(GatewayId gatewayId) const
{
    std::vector<core::DecryptShare> shares;
    if (const auto found = shares_.find(gatewayId); found != shares_.end())
    {
        for (const Share &share : found->second)
        {
            shares.push_back({share.index, share.arrival, {}, {}, {}});
        }
    }
    return core::earliestShares(std::move(shares), kThreshold);
}
}  // namespace relayer::sim
