#include "plugins/readiness_pass.h"

#include "models/store_error.h"

#include <trantor/utils/Logger.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace relayer::plugins
{
using core::Kind;
using core::Status;
using core::Transition;
using drogon::Task;
using models::StepOutcome;
using models::StepResult;

namespace
{
// What one claim takes at the most: the rows come with their payloads.
constexpr std::size_t kAtATime = 64;
constexpr std::array kKindsWithReadiness = {Kind::PublicDecrypt, Kind::UserDecrypt};

// Lost when nothing is known: then the row is found again.
Task<StepResult> passOne(models::RequestStore *requests, models::RequestId id,
                         models::Claimer claimer)
{
    models::Step step;
    step.transition = Transition::PassReadiness;
    step.id = id;
    step.claimer = claimer;
    try
    {
        co_return co_await requests->applyWithTicket(std::move(step));
    }
    catch (const models::StoreError &error)
    {
        LOG_WARN << "step=pass_failed id=" << id << " why=" << error.what();
    }
    co_return StepResult{};
}
}  // namespace

ReadinessPass::ReadinessPass(Surroundings surroundings) : surroundings_(std::move(surroundings)) {}

void ReadinessPass::wake()
{
    State seen = state_.load();
    for (;;)
    {
        const State next = seen == State::Idle      ? State::Running
                           : seen == State::Running ? State::RunningAndAskedAgain
                                                    : seen;
        if (state_.compare_exchange_weak(seen, next))
        {
            break;
        }
    }
    if (seen == State::Idle)
    {
        keepRunning(shared_from_this());
    }
}

void ReadinessPass::stop()
{
    state_ = State::Stopped;
}

bool ReadinessPass::finish(std::chrono::milliseconds atMost)
{
    stop();
    gate_.close();
    return gate_.waitUntilEmpty(atMost);
}

// False: asked again meanwhile.
bool ReadinessPass::mayRest()
{
    State seen = State::Running;
    if (state_.compare_exchange_strong(seen, State::Idle) || seen == State::Stopped)
    {
        return true;
    }
    seen = State::RunningAndAskedAgain;
    state_.compare_exchange_strong(seen, State::Running);
    return seen == State::Stopped;
}

drogon::AsyncTask ReadinessPass::keepRunning(std::shared_ptr<ReadinessPass> self)
{
    do
    {
        try
        {
            const auto inside = self->gate_.enter();
            const std::size_t moved = co_await self->runOnce();
            if (moved > 0)
            {
                LOG_DEBUG << "step=readiness_passed rows=" << moved;
            }
        }
        catch (const models::StoreError &error)
        {
            // The timer comes again. What was claimed is given back first, next time.
            self->tidyFor_.reset();
            LOG_DEBUG << "step=readiness_waits why=" << error.what();
        }
    }
    while (!self->mayRest());
}

Task<std::size_t> ReadinessPass::runOnce()
{
    const auto claimer = surroundings_.claimer();
    if (!claimer)
    {
        co_return 0;
    }
    if (tidyFor_ != claimer)
    {
        co_await giveBackLeftovers(*claimer);
        tidyFor_ = claimer;
    }
    std::size_t sum = 0;
    for (const Kind kind : kKindsWithReadiness)
    {
        std::size_t moved = 1;
        while (moved > 0 && !stopped())
        {
            moved = co_await passSome(kind, *claimer);
            sum += moved;
        }
    }
    co_return sum;
}

// A start takes back what its predecessor had claimed and not moved, and so does a run after one
// that broke off; a claim only finds what is nobody's.
Task<> ReadinessPass::giveBackLeftovers(models::Claimer claimer)
{
    models::RequestStore &requests = surroundings_.requests();
    const std::size_t released =
        co_await requests.releaseHeld(std::nullopt, Status::Queued, claimer);
    if (released > 0)
    {
        LOG_INFO << "step=readiness_released rows=" << released;
    }
}

Task<std::size_t> ReadinessPass::passSome(Kind kind, models::Claimer claimer)
{
    std::vector<TxQueues::Slot> places;
    while (places.size() < kAtATime)
    {
        auto place = surroundings_.queues->reserve(kind, core::TxQueue::Place::Returning);
        if (!place)
        {
            break;
        }
        places.push_back(std::move(*place));
    }
    if (places.empty())
    {
        co_return 0;
    }
    models::RequestStore &requests = surroundings_.requests();
    const auto rows = co_await requests.claim(kind, Status::Queued, claimer, places.size());
    std::vector<Task<StepResult>> steps;
    steps.reserve(rows.size());
    for (const auto &row : rows)
    {
        steps.push_back(passOne(&requests, row.getValueOfId(), claimer));
    }
    if (steps.empty())
    {
        co_return 0;
    }
    auto all = drogon::when_all(std::move(steps));
    const std::vector<StepResult> results = co_await all;
    std::size_t moved = 0;
    for (const StepResult &result : results)
    {
        if (result.outcome == StepOutcome::Won)
        {
            surroundings_.queues->accept(std::move(places[moved]), result.ticket);
            ++moved;
        }
    }
    if (moved < results.size())
    {
        tidyFor_.reset();
    }
    co_return moved;
}
}  // namespace relayer::plugins
