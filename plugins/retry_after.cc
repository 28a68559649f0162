#include "plugins/retry_after.h"

#include "config/backoff.h"
#include "models/store_error.h"
#include "plugins/part.h"
#include "plugins/published.h"
#include "plugins/queue_levels.h"
#include "plugins/settings.h"

#include <drogon/HttpAppFramework.h>
#include <trantor/utils/Logger.h>

#include <algorithm>
#include <chrono>
#include <utility>

namespace relayer::plugins
{
using core::Kind;
using core::Stage;
using core::Status;

namespace
{
constexpr std::uint64_t kMsPerSecond = 1000;
constexpr double kEachSecond = 1.0;
// An estimate above this is for ever.
constexpr std::uint64_t kMostMs = 1'000'000'000;

core::RetryAfterSettings settingsFrom(const config::RetryAfterSettings &given)
{
    core::RetryAfterSettings settings;
    settings.minSeconds = given.minSeconds;
    settings.maxSeconds = given.maxSeconds;
    settings.marginMillionths = given.safetyMarginMillionths;
    settings.backoff = config::parseBackoff(given.backoff).value_or(core::standardBackoff());
    settings.inputProofMs = given.nominal.inputProofSeconds * kMsPerSecond;
    settings.publicDecryptMs = given.nominal.publicDecryptSeconds * kMsPerSecond;
    settings.userDecryptMs = given.nominal.userDecryptSeconds * kMsPerSecond;
    settings.readinessCheckMs = given.nominal.readinessCheckSeconds * kMsPerSecond;
    settings.txConfirmationMs = given.nominal.txConfirmationMs;
    return settings;
}

// Never destroyed: asked for while Drogon quits, too.
Published<core::RetryAfterSettings> &current()
{
    static auto &settings = *new Published<core::RetryAfterSettings>();
    return settings;
}

core::StatusWaiters::Time steadyNow()
{
    return std::chrono::steady_clock::now().time_since_epoch();
}

RetryAfterCalibration::Time millis(core::StatusWaiters::Time time)
{
    return std::chrono::floor<RetryAfterCalibration::Time>(time);
}

// How many have to go before one more fits.
template <typename Snapshot>
std::size_t excessOf(const Snapshot &queue)
{
    const std::size_t withOneMore = queue.waiting + queue.reserved + 1;
    return withOneMore - std::min(withOneMore, queue.softLimit);
}
}  // namespace

void RetryAfter::initAndStart(const Json::Value &)
{
    const auto &configured = part<Settings>()->values().http.retryAfter;
    current().store(settingsFrom(configured));
    beforeTheChain_ = sharedPart<TxThrottler>();
    readiness_ = sharedPart<ReadinessGate>();
    const bool learns = configured.estimator == "measured";
    if (learns || part<Settings>()->values().metrics.count)
    {
        calibration_ = std::make_unique<RetryAfterCalibration>();
    }
    if (learns)
    {
        learner_ = std::make_shared<Learner>(*current().load());
        lookTimer_ = drogon::app().getLoop()->runEvery(
            kEachSecond, [weak = std::weak_ptr<Learner>(learner_),
                          queues = beforeTheChain_->queues(), lines = readiness_->lines()] {
                if (const auto learner = weak.lock())
                {
                    lookAtQueues(*learner, *queues, *lines);
                }
            });
    }
    if (part<Settings>()->values().gateway.isOn())
    {
        return;
    }
    timer_ = drogon::app().getLoop()->runEvery(
        kEachSecond, [busy = std::make_shared<bool>(false), store = sharedPart<Store>(),
                      queues = beforeTheChain_->queues(),
                      lines = readiness_->lines()] { levelQueues(busy, store, queues, lines); });
}

void RetryAfter::change(const config::RetryAfterSettings &settings)
{
    const core::RetryAfterSettings next = settingsFrom(settings);
    if (learner_)
    {
        const std::lock_guard lock(learner_->mutex);
        learner_->estimator.change(next);
    }
    current().store(next);
}

// The queues stay: requests that are still being answered ask on.
void RetryAfter::shutdown()
{
    drogon::app().getLoop()->invalidateTimer(timer_);
    drogon::app().getLoop()->invalidateTimer(lookTimer_);
}

drogon::AsyncTask RetryAfter::levelQueues(std::shared_ptr<bool> busy, std::shared_ptr<Store> store,
                                          std::shared_ptr<TxQueues> queues,
                                          std::shared_ptr<ReadinessLines> lines)
{
    if (std::exchange(*busy, true))
    {
        co_return;
    }
    auto *const loop = drogon::app().getLoop();
    try
    {
        for (const Kind kind : core::kAllKinds)
        {
            co_await levelFromDatabase(loop, &store->requests(), queues, kind, Status::Processing);
            if (kind != Kind::InputProof)
            {
                co_await levelFromDatabase(loop, &store->requests(), lines, kind, Status::Queued);
            }
        }
    }
    catch (const models::StoreError &error)
    {
        LOG_DEBUG << "step=queues_not_measured why=" << error.what();
    }
    *busy = false;
}

core::Standing RetryAfter::standingOf(const Job &job, Read read) const
{
    core::Standing standing;
    standing.kind = job.kind;
    standing.inState = std::chrono::floor<std::chrono::milliseconds>(steadyNow() - job.since);
    const bool waits = job.status == Status::Queued || job.status == Status::Processing;
    const auto beforeTheChain =
        waits ? beforeTheChain_->outlook(job.kind, job.ticket) : TxThrottler::Outlook();
    standing.txQueueLength = beforeTheChain.waiting;
    standing.txPerSecond = beforeTheChain.perSecond;
    switch (job.status)
    {
        case Status::Queued:
        {
            const auto spot = readiness_->spot(job.kind, job.ticket);
            const bool waitsForCheck = !job.claimed && (spot.known || read == Read::Now);
            standing.stage = waitsForCheck ? Stage::InReadiness : Stage::BetweenQueues;
            standing.position = spot.ahead;
            standing.readinessConcurrency = readiness_->maxConcurrency(job.kind);
            break;
        }
        case Status::Processing:
            // Who is claimed has had its token: nobody is in front of it any more.
            standing.stage = Stage::InTxQueue;
            standing.position = job.claimed ? 0 : beforeTheChain.ahead;
            break;
        case Status::TxInFlight: standing.stage = Stage::TxInFlight; break;
        case Status::ReceiptReceived: standing.stage = Stage::AwaitsAnswer; break;
        default: standing.stage = Stage::Over; break;
    }
    return standing;
}

std::int64_t RetryAfter::secondsAt(const core::Standing &standing, const core::JobId &job) const
{
    if (!learner_)
    {
        return static_cast<std::int64_t>(core::retryAfterSeconds(*current().load(), standing));
    }
    const std::lock_guard lock(learner_->mutex);
    return static_cast<std::int64_t>(learner_->estimator.seconds(standing, job));
}

std::int64_t RetryAfter::seconds(const Job &job, Read read) const
{
    return secondsAt(standingOf(job, read), job.jobId);
}

std::int64_t RetryAfter::tellPost(const Job &job)
{
    const core::Standing standing = standingOf(job, Read::Now);
    const std::int64_t seconds = secondsAt(standing, job.jobId);
    if (calibration_ && !core::isTerminal(job.status))
    {
        remember(job, standing, seconds);
        const auto raw = std::min(core::estimateMs(*current().load(), standing), kMostMs);
        calibration_->estimated(job.kind, std::chrono::milliseconds(raw));
    }
    return seconds;
}

void RetryAfter::told(const Job &job, std::int64_t seconds)
{
    if (calibration_ && !core::isTerminal(job.status))
    {
        // Where it stands matters to who learns only.
        remember(job, learner_ ? standingOf(job, Read::Now) : core::Standing(), seconds);
    }
}

void RetryAfter::remember(const Job &job, const core::Standing &standing, std::int64_t seconds)
{
    const auto now = steadyNow();
    calibration_->told(job.jobId, {standing, millis(now), std::chrono::seconds(seconds)});
    if (!learner_)
    {
        return;
    }
    const std::lock_guard lock(learner_->mutex);
    if (standing.stage == Stage::InTxQueue)
    {
        learner_->estimator.beforeTheChain(job.kind).offer(job.ticket, standing.position, now);
    }
    else if (standing.stage == Stage::InReadiness)
    {
        learner_->estimator.beforeReadiness(job.kind).offer(job.ticket, standing.position, now);
    }
}

void RetryAfter::fetched(const Job &job)
{
    if (!calibration_)
    {
        return;
    }
    const auto ready = millis(job.since);
    const auto kept = calibration_->fetched(job.jobId, job.kind, ready, millis(steadyNow()));
    // One that timed out says nothing of how long an answer takes.
    if (!kept || !learner_ || job.status != Status::Completed)
    {
        return;
    }
    const std::lock_guard lock(learner_->mutex);
    learner_->estimator.learn(kept->first.standing, ready - kept->first.at);
    if (kept->times > 1)
    {
        learner_->estimator.learn(kept->last.standing, ready - kept->last.at);
    }
}

void RetryAfter::write(MetricsText &text) const
{
    if (calibration_)
    {
        calibration_->write(text);
    }
}

void RetryAfter::lookAtQueues(Learner &learner, const TxQueues &queues, const ReadinessLines &lines)
{
    const auto now = steadyNow();
    const std::lock_guard lock(learner.mutex);
    for (const Kind kind : core::kAllKinds)
    {
        core::DrainRate &chain = learner.estimator.beforeTheChain(kind);
        if (const auto ticket = chain.watched())
        {
            chain.look(now, queues.outlook(kind, *ticket).ahead);
        }
        core::DrainRate &readiness = learner.estimator.beforeReadiness(kind);
        if (const auto ticket = readiness.watched())
        {
            readiness.look(now, lines.spot(kind, *ticket).ahead);
        }
    }
}

// What leaves the readiness line goes into the queue before the chain, so that one sets the pace.
std::int64_t RetryAfter::secondsUntilPlace(Kind kind) const
{
    const auto beforeTheChain = beforeTheChain_->snapshot(kind);
    std::size_t excess = excessOf(beforeTheChain);
    if (kind != Kind::InputProof)
    {
        excess = std::max(excess, excessOf(readiness_->snapshot(kind).line));
    }
    return static_cast<std::int64_t>(
        core::secondsUntilRoom(*current().load(), excess, beforeTheChain.perSecond));
}

std::int64_t RetryAfter::secondsUntilAnybodyKnows()
{
    core::Standing standing;
    standing.stage = Stage::AwaitsAnswer;
    return static_cast<std::int64_t>(core::retryAfterSeconds(*current().load(), standing));
}
}  // namespace relayer::plugins
