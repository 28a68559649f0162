#include "plugins/readiness_run.h"

#include "models/store_error.h"
#include "plugins/queue_levels.h"
#include "plugins/resumed_on.h"

#include <trantor/utils/Logger.h>

#include <algorithm>
#include <utility>

namespace relayer::plugins
{
using core::FailureCode;
using core::Kind;
using core::Status;
using core::Transition;
using drogon::Task;
using models::Claimer;
using models::RequestId;
using models::StepOutcome;
using models::StoreError;

namespace
{
// What one claim takes at the most: the rows come with their payloads.
constexpr std::size_t kAtATime = 250;
constexpr std::array kKindsWithReadiness = {Kind::PublicDecrypt, Kind::UserDecrypt};

ClaimFloor::TimePoint now()
{
    return std::chrono::steady_clock::now();
}
}  // namespace

std::shared_ptr<ReadinessRun> ReadinessRun::create(Surroundings surroundings)
{
    std::shared_ptr<ReadinessRun> run(new ReadinessRun(std::move(surroundings)));
    const std::weak_ptr<ReadinessRun> weak = run;
    ReadinessChecks::Surroundings checks;
    checks.loop = run->surroundings_.loop;
    checks.gateway = run->surroundings_.gateway;
    checks.hostChains = run->surroundings_.hostChains;
    checks.gate = run->gate_;
    checks.decided = [weak](RequestId id, Kind kind, ReadinessVerdict verdict) {
        if (const auto self = weak.lock(); self && !self->stopped_)
        {
            self->ending_[id] = {kind, std::move(verdict)};
            self->end(id);
        }
    };
    checks.hungry = [weak] {
        if (const auto self = weak.lock())
        {
            self->pull();
        }
    };
    run->checks_ = std::make_shared<ReadinessChecks>(std::move(checks), run->surroundings_.options);
    return run;
}

ReadinessRun::ReadinessRun(Surroundings surroundings) : surroundings_(std::move(surroundings)) {}

void ReadinessRun::start()
{
    const std::weak_ptr<ReadinessRun> weak = weak_from_this();
    surroundings_.lines->onWork([weak] {
        if (const auto self = weak.lock())
        {
            self->wake();
        }
    });
    surroundings_.loop->queueInLoop([self = shared_from_this(), weak] {
        const double seconds = std::chrono::duration<double>(self->surroundings_.look).count();
        self->timer_ = self->surroundings_.loop->runEvery(seconds, [weak] {
            if (const auto looking = weak.lock())
            {
                looking->look();
            }
        });
        self->look();
    });
}

void ReadinessRun::wake()
{
    if (woken_.exchange(true))
    {
        return;
    }
    surroundings_.loop->queueInLoop([weak = weak_from_this()] {
        if (const auto self = weak.lock())
        {
            self->woken_ = false;
            self->pull();
        }
    });
}

void ReadinessRun::look()
{
    publish();
    std::vector<RequestId> waiting;
    for (const auto &[id, ending] : ending_)
    {
        if (!ending.underWay)
        {
            waiting.push_back(id);
        }
    }
    std::ranges::for_each(waiting, [this](RequestId id) { end(id); });
    measure();
}

void ReadinessRun::publish()
{
    Snapshots all;
    for (const Kind kind : kKindsWithReadiness)
    {
        all.at(static_cast<std::size_t>(kind)) = checks_->snapshot(kind);
    }
    const std::lock_guard lock(published_);
    snapshots_ = all;
}

ReadinessRun::Snapshots ReadinessRun::snapshots() const
{
    const std::lock_guard lock(published_);
    return snapshots_;
}

void ReadinessRun::setMaxConcurrency(Kind kind, std::size_t most)
{
    surroundings_.loop->runInLoop([self = shared_from_this(), kind, most] {
        self->checks_->setMaxConcurrency(kind, most);
        self->publish();
    });
}

// Rows of other instances are in the same line, and so are those that were given back.
drogon::AsyncTask ReadinessRun::measure()
{
    if (measuring_ || stopped_)
    {
        co_return;
    }
    const auto self = shared_from_this();
    measuring_ = true;
    try
    {
        const auto pass = gate_->enter();
        for (const Kind kind : kKindsWithReadiness)
        {
            const models::QueueHead head =
                co_await levelFromDatabase(surroundings_.loop, &surroundings_.requests(),
                                           surroundings_.lines, kind, Status::Queued);
            floors_.at(static_cast<std::size_t>(kind)).measured(head.ticket);
        }
    }
    catch (const StoreError &error)
    {
        LOG_DEBUG << "step=readiness_waits why=" << error.what();
    }
    measuring_ = false;
    pull();
}

drogon::AsyncTask ReadinessRun::pull()
{
    pullAgain_ = true;
    if (pulling_ || stopped_)
    {
        co_return;
    }
    const auto self = shared_from_this();
    const UnderWay pulling(underWay_);
    pulling_ = true;
    while (std::exchange(pullAgain_, false) && !stopped_)
    {
        try
        {
            const auto pass = gate_->enter();
            co_await pullOnce();
        }
        catch (const StoreError &error)
        {
            // The next look comes. What was claimed and not seen is given back first.
            strays_ = true;
            pullAgain_ = false;
            LOG_DEBUG << "step=readiness_waits why=" << error.what();
        }
    }
    pulling_ = false;
}

// Nothing that was claimed under another epoch is ours any more.
void ReadinessRun::belongTo(Claimer claimer)
{
    if (claimer_ != claimer)
    {
        checks_->forgetAll();
        ending_.clear();
        claimer_ = claimer;
        strays_ = true;
    }
}

Task<> ReadinessRun::pullOnce()
{
    const auto claimer = surroundings_.claimer();
    if (!claimer)
    {
        co_return;
    }
    belongTo(*claimer);
    if (std::exchange(strays_, false))
    {
        co_await giveBackStrays(*claimer);
    }
    for (const Kind kind : kKindsWithReadiness)
    {
        bool more = true;
        while (more && !stopped_)
        {
            more = co_await pullSome(kind, *claimer);
        }
    }
}

// A start takes back what its predecessor had claimed and not moved; and after a claim of which
// nobody knows whether it was made, what is claimed and not in memory.
Task<> ReadinessRun::giveBackStrays(Claimer claimer)
{
    models::RequestStore &requests = surroundings_.requests();
    std::vector<RequestId> held =
        co_await resumedOn(surroundings_.loop, requests.heldIds(Status::Queued, claimer));
    std::erase_if(held,
                  [this](RequestId id) { return checks_->knows(id) || ending_.contains(id); });
    co_await giveBack(claimer, std::move(held));
}

Task<> ReadinessRun::giveBack(Claimer claimer, std::vector<RequestId> ids)
{
    if (!ids.empty())
    {
        const std::size_t released = co_await resumedOn(
            surroundings_.loop, surroundings_.requests().release(std::move(ids), claimer));
        LOG_INFO << "step=readiness_released rows=" << released;
    }
}

// Those that are ready and find no room before the chain take up memory, too.
std::size_t ReadinessRun::wanted(Kind kind) const
{
    const std::size_t capacity = surroundings_.options.capacity.at(static_cast<std::size_t>(kind));
    const auto ending = static_cast<std::size_t>(std::ranges::count_if(
        ending_, [kind](const auto &each) { return each.second.kind == kind; }));
    const std::size_t here = checks_->snapshot(kind).checking + ending;
    return std::min({kAtATime, checks_->wanted(kind), capacity - std::min(capacity, here)});
}

// True: there may be more.
Task<bool> ReadinessRun::pullSome(Kind kind, Claimer claimer)
{
    const std::size_t most = wanted(kind);
    if (most == 0 || surroundings_.lines->snapshot(kind).waiting == 0)
    {
        co_return false;
    }
    ClaimFloor &floor = floors_.at(static_cast<std::size_t>(kind));
    const ClaimFloor::Start start = floor.next(now());
    const std::vector<models::RequestRow> rows = co_await resumedOn(
        surroundings_.loop,
        surroundings_.requests().claim(kind, Status::Queued, claimer, most, start.after));
    std::vector<std::int64_t> tickets;
    tickets.reserve(rows.size());
    for (const models::RequestRow &row : rows)
    {
        tickets.push_back(row.getValueOfTicket());
        floor.claimed(tickets.back(), now());
    }
    surroundings_.lines->pulled(kind, tickets);
    if (stopped_)
    {
        std::vector<RequestId> ids;
        std::ranges::transform(rows, std::back_inserter(ids),
                               [](const models::RequestRow &row) { return row.getValueOfId(); });
        co_await giveBack(claimer, std::move(ids));
        co_return false;
    }
    take(rows);
    co_return floor.mayBeMore(start, most, rows.size());
}

void ReadinessRun::take(const std::vector<models::RequestRow> &rows)
{
    for (const models::RequestRow &row : rows)
    {
        if (auto request = readinessOf(row))
        {
            if (surroundings_.traceparentOf)
            {
                request->traceparent = surroundings_.traceparentOf(request->id);
            }
            checks_->take(std::move(*request));
            continue;
        }
        const RequestId id = row.getValueOfId();
        const auto kind = core::parseKind(row.getValueOfKind());
        LOG_ERROR << "step=payload_undecodable alert=true request=" << id;
        ending_[id] = {kind.value_or(Kind::PublicDecrypt),
                       {Transition::FailReadiness,
                        core::Failure{FailureCode::Undecodable, "the payload can not be read"}}};
        end(id);
    }
}

// Writes down what was decided; what can not be written now is tried again at the next look.
void ReadinessRun::end(RequestId id)
{
    const auto found = ending_.find(id);
    if (found == ending_.end() || found->second.underWay || stopped_)
    {
        return;
    }
    Ending &ending = found->second;
    const bool passes = ending.verdict.transition == Transition::PassReadiness;
    auto place = passes
                     ? surroundings_.queues->reserve(ending.kind, core::TxQueue::Place::Returning)
                     : std::nullopt;
    if (passes && !place)
    {
        return;  // no room before the chain
    }
    ending.underWay = true;
    models::Step step;
    step.transition = ending.verdict.transition;
    step.id = id;
    step.claimer = claimer_;
    step.failure = ending.verdict.failure;
    write(id, std::move(step), std::move(place));
}

drogon::AsyncTask ReadinessRun::write(RequestId id, models::Step step,
                                      std::optional<TxQueues::Slot> place)
{
    const auto self = shared_from_this();
    const UnderWay writing(underWay_);
    const Transition transition = step.transition;
    const std::optional<Claimer> claimer = step.claimer;
    bool written = false;
    try
    {
        const auto pass = gate_->enter();
        const models::StepResult result = co_await resumedOn(
            surroundings_.loop, surroundings_.requests().applyWithTicket(std::move(step)));
        LOG_DEBUG << "step=readiness_decided id=" << id << " by=" << core::name(transition)
                  << " moved=" << (result.outcome == StepOutcome::Won);
        if (result.outcome == StepOutcome::Won && place)
        {
            surroundings_.queues->accept(std::move(*place), result.ticket);
        }
        written = true;
    }
    catch (const StoreError &error)
    {
        // Whether it was written is not known; if it was, the guard says so the next time.
        LOG_WARN << "step=readiness_not_written id=" << id << " why=" << error.what();
    }
    const auto ending = ending_.find(id);
    if (ending == ending_.end() || claimer != claimer_)
    {
        co_return;  // what is known of this row now is of another epoch
    }
    if (written)
    {
        ending_.erase(ending);
        co_return;
    }
    ending->second.underWay = false;
}

void ReadinessRun::stop()
{
    if (std::exchange(stopped_, true))
    {
        return;
    }
    surroundings_.lines->onWork(nullptr);
    surroundings_.loop->invalidateTimer(timer_);
    std::vector<RequestId> ids = checks_->ids();
    for (const auto &[id, ending] : ending_)
    {
        if (!ending.underWay)
        {
            ids.push_back(id);
        }
    }
    checks_->forgetAll();
    if (claimer_)
    {
        giveBackAll(*claimer_, std::move(ids));
    }
    gate_->close();
    halted_ = true;
}

drogon::AsyncTask ReadinessRun::giveBackAll(Claimer claimer, std::vector<RequestId> ids)
{
    const auto self = shared_from_this();
    const UnderWay givingBack(underWay_);
    try
    {
        const auto pass = gate_->enter();
        co_await giveBack(claimer, std::move(ids));
    }
    catch (const StoreError &error)
    {
        // The next start under our name takes them back.
        LOG_INFO << "step=readiness_not_released why=" << error.what();
    }
}

bool ReadinessRun::ended(std::chrono::milliseconds atMost)
{
    return gate_->waitUntilEmpty(atMost);
}
}  // namespace relayer::plugins
