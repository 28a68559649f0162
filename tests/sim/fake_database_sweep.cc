// Instances, sweeping and operators: the statements of models/instance_registry.cc, sweep_store.cc
// and operator_store.cc.
#include "core/overdue.h"
#include "sim/fake_database.h"

#include <algorithm>

namespace relayer::sim
{
using core::Kind;
using core::Status;
using core::Transition;

namespace
{
constexpr Time kNever = -std::chrono::hours(1);
}  // namespace

std::optional<Epoch> FakeDatabase::lastEpochOf(int name) const
{
    const auto found = instances_.find(name);
    return found == instances_.end() ? std::nullopt : std::optional(found->second.epoch);
}

Enrolment FakeDatabase::enrol(int name)
{
    const std::optional<Epoch> before = lastEpochOf(name);
    Instance &instance = instances_[name];
    instance.epoch = nextEpoch_++;
    instance.heartbeat = with_.now();
    for (Lane &lane : lanes_)
    {
        if (before && lane.owner == before)
        {
            lane.owner = instance.epoch;
        }
    }
    for (const RequestId id : live_)
    {
        if (before && row(id).owner == before)
        {
            own(rowAt(id), instance.epoch);
        }
    }
    ++version_;
    return {instance.epoch, before};
}

void FakeDatabase::leave(Epoch epoch)
{
    for (Lane &lane : lanes_)
    {
        if (lane.owner == epoch)
        {
            lane.owner = std::nullopt;
        }
    }
    if (leader_ == epoch)
    {
        leader_ = std::nullopt;
    }
    for (auto &[name, instance] : instances_)
    {
        if (instance.epoch == epoch)
        {
            instance.heartbeat = kNever;
        }
    }
    ++version_;
}

bool FakeDatabase::isSilent(int name, Time lease) const
{
    const auto found = instances_.find(name);
    return found == instances_.end() || found->second.heartbeat < with_.now() - lease;
}

bool FakeDatabase::isEnrolled(Epoch epoch) const
{
    return std::ranges::any_of(instances_,
                               [&](const auto &each) { return each.second.epoch == epoch; });
}

bool FakeDatabase::beat(Epoch epoch)
{
    for (auto &[name, instance] : instances_)
    {
        if (instance.epoch == epoch)
        {
            instance.heartbeat = with_.now();
            return true;
        }
    }
    return false;
}

std::vector<Epoch> FakeDatabase::expired(Time lease) const
{
    std::vector<Epoch> epochs;
    for (const auto &[name, instance] : instances_)
    {
        if (instance.heartbeat < with_.now() - lease)
        {
            epochs.push_back(instance.epoch);
        }
    }
    return epochs;
}

bool FakeDatabase::lead(Epoch claimer, Time lease)
{
    if (leader_ && leader_ != claimer && leaderUntil_ >= with_.now())
    {
        return false;
    }
    leader_ = claimer;
    leaderUntil_ = with_.now() + lease;
    return true;
}

std::vector<RequestId> FakeDatabase::pageOfLive(LivePlace from, std::size_t limit,
                                                std::optional<LivePlace> &next) const
{
    std::map<std::pair<Kind, std::int64_t>, RequestId> inOrder;
    for (const RequestId id : live_)
    {
        const Row &r = row(id);
        if (std::pair(r.kind, r.ticket) > std::pair(from.kind, from.ticket))
        {
            inOrder.emplace(std::pair(r.kind, r.ticket), id);
        }
    }
    std::vector<RequestId> ids;
    for (const auto &[place, id] : inOrder)
    {
        ids.push_back(id);
        if (ids.size() == limit)
        {
            next = LivePlace{place.first, place.second};
            break;
        }
    }
    return ids;
}

template <typename Does>
Page FakeDatabase::eachOfPage(Epoch claimer, LivePlace from, std::size_t limit, Does does)
{
    Page page;
    for (const RequestId id : pageOfLive(from, limit, page.next))
    {
        Row &r = rowAt(id);
        if (r.owner == claimer && does(r))
        {
            ++page.rows;
        }
    }
    return page;
}

Page FakeDatabase::recoverHeld(Epoch claimer, LivePlace from, std::size_t limit)
{
    return eachOfPage(claimer, from, limit, [this](Row &r) {
        const bool inFlight = core::next(r.kind, r.status, Transition::Recover).has_value();
        if (inFlight)
        {
            move(r, Transition::Recover);
        }
        return inFlight;
    });
}

Page FakeDatabase::release(Epoch claimer, Status status, LivePlace from, std::size_t limit)
{
    return eachOfPage(claimer, from, limit, [this, status](Row &r) {
        const bool given = r.status == status && !hasOpenAttempt(r.id);
        if (given)
        {
            own(r, std::nullopt);
        }
        return given;
    });
}

Page FakeDatabase::freeAbandoned(Epoch claimer, LivePlace from, std::size_t limit)
{
    return eachOfPage(claimer, from, limit, [this](Row &r) {
        const bool onItsWay = hasOpenAttempt(r.id);
        if (r.status == Status::Processing && onItsWay && with_.mutation != Mutation::FreedOnItsWay)
        {
            return false;  // whoever takes the lane takes it, too
        }
        if (core::next(r.kind, r.status, Transition::Recover) && !onItsWay)
        {
            move(r, Transition::Recover);
        }
        own(r, std::nullopt);
        return true;
    });
}

bool FakeDatabase::failByOperator(RequestId id)
{
    Row &r = rowAt(id);
    const bool done = core::next(r.kind, r.status, Transition::FailInternally).has_value();
    if (done)
    {
        move(r, Transition::FailInternally);
    }
    return done;
}

bool FakeDatabase::dispatchAgain(RequestId id)
{
    Row &r = rowAt(id);
    const bool done =
        core::next(r.kind, r.status, Transition::Recover).has_value() && !hasOpenAttempt(id);
    if (done)
    {
        move(r, Transition::Recover);
        own(r, std::nullopt);
    }
    return done;
}

std::size_t FakeDatabase::endOverdue(Kind kind, Status status, Time patience, std::size_t limit)
{
    std::size_t ended = 0;
    for (Row &r : rows_)
    {
        if (ended >= limit || r.kind != kind || r.status != status ||
            r.statusAt >= with_.now() - patience)
        {
            continue;
        }
        const bool onItsWay = hasOpenAttempt(r.id);
        if (!core::isLeftToItsSender(status, onItsWay) ||
            with_.mutation == Mutation::DeadlineIsBlind)
        {
            with_.overdue(r, onItsWay);
            move(r, core::endOfOverdue(status));
            ++ended;
        }
    }
    return ended;
}
}  // namespace relayer::sim
