#include "plugins/tx_throttler.h"

#include "plugins/part.h"
#include "plugins/settings.h"

#include <drogon/HttpAppFramework.h>
#include <trantor/net/EventLoop.h>
#include <trantor/utils/Logger.h>

#include <utility>

namespace relayer::plugins
{
using core::Kind;

namespace
{
core::TxQueue::Limits limitsFrom(const config::QueueSettings &settings)
{
    core::TxQueue::Limits limits;
    limits.perSecond = settings.perSecond;
    limits.capacity = settings.capacity;
    limits.softLimit = settings.capacity - settings.safetyMargin;
    return limits;
}

TxQueues::Clock clockOf(trantor::EventLoop *loop)
{
    TxQueues::Clock clock;
    clock.now = [] {
        return std::chrono::duration_cast<TxQueues::Time>(
            std::chrono::steady_clock::now().time_since_epoch());
    };
    clock.after = [loop](TxQueues::Time delay, std::function<void()> call) {
        if (delay <= TxQueues::Time::zero())
        {
            loop->queueInLoop(std::move(call));
            return;
        }
        // trantor cuts off below a microsecond, and would come before the token.
        const auto micros = std::chrono::ceil<std::chrono::microseconds>(delay);
        loop->runAfter(std::chrono::duration<double>(micros).count(), std::move(call));
    };
    return clock;
}
}  // namespace

void TxThrottler::initAndStart(const Json::Value &)
{
    const auto &settings = part<Settings>()->values().txThrottler;
    TxQueues::Limits limits;
    limits.at(static_cast<std::size_t>(Kind::InputProof)) = limitsFrom(settings.inputProof);
    limits.at(static_cast<std::size_t>(Kind::PublicDecrypt)) = limitsFrom(settings.publicDecrypt);
    limits.at(static_cast<std::size_t>(Kind::UserDecrypt)) = limitsFrom(settings.userDecrypt);
    queues_ = std::make_shared<TxQueues>(limits, clockOf(drogon::app().getLoop()));
}

void TxThrottler::shutdown()
{
    // Places that are still reserved keep the queues; nobody is woken any more.
    queues_->stop();
}

std::optional<TxThrottler::Slot> TxThrottler::reserve(Kind kind, Place place)
{
    return queues_->reserve(kind, place);
}

void TxThrottler::accept(Slot slot, const RequestRef &request)
{
    LOG_DEBUG << "step=tx_queued kind=" << core::name(request.kind) << " id=" << request.id;
    queues_->accept(std::move(slot), request.ticket);
}

std::optional<std::uint64_t> TxThrottler::position(Kind kind, std::int64_t ticket) const
{
    return queues_->position(kind, ticket);
}

TxThrottler::Outlook TxThrottler::outlook(Kind kind, std::int64_t ticket) const
{
    return queues_->outlook(kind, ticket);
}

TxThrottler::Snapshot TxThrottler::snapshot(Kind kind) const
{
    return queues_->snapshot(kind);
}

bool TxThrottler::setRate(Kind kind, std::uint64_t perSecond)
{
    return queues_->setRate(kind, perSecond);
}

void TxThrottler::onWork(TxQueues::Wake wake)
{
    queues_->onWork(std::move(wake));
}

std::size_t TxThrottler::takeTokens(Kind kind, std::size_t atMost)
{
    return queues_->takeTokens(kind, atMost);
}

void TxThrottler::returnTokens(Kind kind, std::size_t tokens)
{
    queues_->returnTokens(kind, tokens);
}

void TxThrottler::pulled(Kind kind, std::span<const std::int64_t> tickets)
{
    queues_->pulled(kind, tickets);
}

void TxThrottler::level(Kind kind, std::optional<std::int64_t> head, std::size_t waiting)
{
    queues_->level(kind, head, waiting);
}

void TxThrottler::drain()
{
    queues_->stop();
}
}  // namespace relayer::plugins
