#include "plugins/responses_handler.h"

#include "plugins/resumed_on.h"

#include <trantor/utils/Logger.h>

#include <algorithm>
#include <map>
#include <utility>
#include <variant>

namespace relayer::plugins
{
using core::Kind;
using drogon::Task;
using models::EventId;
using models::PendingEvent;
using models::RequestId;

namespace
{
constexpr std::size_t kRemembered = 100'000;

double seconds(std::chrono::milliseconds duration)
{
    return std::chrono::duration<double>(duration).count();
}

}  // namespace

ResponseHandler::ResponseHandler(Context context, ResponseOptions options)
    : context_(std::move(context)), options_(options)
{}

void ResponseHandler::start()
{
    const auto weak = weak_from_this();
    ticker_ = context_.loop->runEvery(seconds(options_.tick), [weak] {
        if (const auto self = weak.lock())
        {
            self->tick();
        }
    });
    expirer_ = context_.loop->runEvery(seconds(options_.expireEvery), [weak] {
        if (const auto self = weak.lock(); self && !self->stopped_)
        {
            expire(self);
        }
    });
    wake();
}

void ResponseHandler::stop()
{
    stopped_ = true;
    context_.loop->invalidateTimer(ticker_);
    context_.loop->invalidateTimer(expirer_);
    gate_.close();
}

bool ResponseHandler::ended(std::chrono::milliseconds atMost)
{
    return gate_.waitUntilEmpty(atMost);
}

void ResponseHandler::wake()
{
    context_.loop->queueInLoop([weak = weak_from_this()] {
        if (const auto self = weak.lock())
        {
            self->lastActive_ = std::chrono::steady_clock::now();
            self->passSoon();
        }
    });
}

ResponseCounts ResponseHandler::counts() const
{
    return {counters_.handled,    counters_.ended,    counters_.settled, counters_.waiting,
            counters_.unreadable, counters_.replaced, counters_.expired};
}

void ResponseHandler::tick()
{
    ++ticks_;
    ticked_ = true;
    passSoon();
}

void ResponseHandler::passSoon()
{
    if (stopped_)
    {
        return;
    }
    if (passing_)
    {
        again_ = true;
        return;
    }
    pass(shared_from_this());
}

drogon::AsyncTask ResponseHandler::pass(std::shared_ptr<ResponseHandler> self)
{
    const models::Gate::Pass inside = self->gate_.enter();
    self->passing_ = true;
    do
    {
        self->again_ = false;
        self->passFailed_ = false;
        const bool ticked = std::exchange(self->ticked_, false);
        const bool active =
            std::chrono::steady_clock::now() - self->lastActive_ < self->options_.activeFor;
        // While nothing happens, each tick asks the database one thing, in turn.
        const std::uint64_t turn = self->ticks_ % (core::kKinds + 1);
        try
        {
            if (active || turn == core::kKinds)
            {
                co_await self->handleInbox(ticked);
            }
            for (const Kind kind : core::kAllKinds)
            {
                if (ticked && (active || turn == static_cast<std::size_t>(kind)))
                {
                    co_await self->settle(kind);
                }
            }
        }
        catch (const std::exception &error)
        {
            self->failed(error);
        }
        if (!self->passFailed_ && std::exchange(self->failing_, false))
        {
            LOG_INFO << "step=responses_again";
        }
        // After a failure the next tick tries again.
    }
    while (self->again_ && !self->passFailed_ && !self->stopped_);
    self->passing_ = false;
}

void ResponseHandler::failed(const std::exception &error)
{
    passFailed_ = true;
    if (!std::exchange(failing_, true))
    {
        LOG_WARN << "step=responses_wait why=" << error.what();
    }
}

Task<> ResponseHandler::handleInbox(bool ticked)
{
    // When many wait for a threshold, only a tick looks at all of them again.
    EventId after = counters_.waiting > options_.page && !ticked ? lastSeen_ : 0;
    std::uint64_t waiting = after == 0 ? 0 : counters_.waiting.load();
    while (!stopped_ && !passFailed_)
    {
        auto events =
            co_await resumedOn(context_.loop, context_.inbox().pending(after, options_.page));
        if (events.empty())
        {
            break;
        }
        const bool last = events.size() < options_.page;
        after = events.back().id;
        lastSeen_ = std::max(lastSeen_, after);
        lastActive_ = std::chrono::steady_clock::now();
        const std::size_t count = events.size();
        const auto page = std::make_shared<const Events>(std::move(events));
        Ids done = co_await handle(page);
        waiting += count - done.size();
        const std::size_t handled = done.size();
        if (handled > 0)
        {
            co_await resumedOn(context_.loop, context_.inbox().markHandled(std::move(done)));
        }
        counters_.handled += handled;
        if (last)
        {
            break;
        }
    }
    counters_.waiting = waiting;
}

Task<ResponseHandler::Ids> ResponseHandler::handle(std::shared_ptr<const Events> page)
{
    // Thresholds first, one statement for each request, not for each of its shares.
    std::map<RequestId, Task<RequestId>> wanted;
    for (const PendingEvent &pending : *page)
    {
        const bool known = thresholdKnown_.contains(pending.requestId);
        if (pending.event.kind != Kind::UserDecrypt || pending.event.request || known ||
            core::isTerminal(pending.status))
        {
            continue;
        }
        const auto event = decoded(pending);
        if (const auto *share = event ? std::get_if<chain::ShareArrived>(&*event) : nullptr)
        {
            wanted.try_emplace(pending.requestId, findThreshold(&pending, share->extraData));
        }
    }
    std::vector<Task<RequestId>> thresholds;
    thresholds.reserve(wanted.size());
    for (auto &[request, task] : wanted)
    {
        thresholds.push_back(std::move(task));
    }
    // Both are found again by asking, and by keeping once more what is kept already.
    if (thresholdKnown_.size() > kRemembered)
    {
        thresholdKnown_.clear();
    }
    if (shareKept_.size() > kRemembered)
    {
        shareKept_.clear();
    }
    // By value: what the awaiter refers to does not outlive the line.
    const std::vector<RequestId> found = co_await drogon::when_all(std::move(thresholds));
    thresholdKnown_.insert(found.begin(), found.end());
    // Request events one by one, in their order: of two for one transaction the later one holds.
    Ids done;
    std::vector<Task<EventId>> answers;
    answers.reserve(page->size());
    for (const PendingEvent &pending : *page)
    {
        if (pending.event.request)
        {
            done.push_back(co_await noteRequest(&pending));
            continue;
        }
        answers.push_back(keep(&pending));
    }
    const Ids kept = co_await drogon::when_all(std::move(answers));
    done.insert(done.end(), kept.begin(), kept.end());
    std::erase(done, 0);
    co_return done;
}

Task<> ResponseHandler::settle(core::Kind kind)
{
    std::size_t ended = 0;
    do
    {
        ended = co_await resumedOn(context_.loop,
                                   context_.requests().settleWaiting(kind, options_.settleLimit));
        counters_.settled += ended;
        if (ended > 0)
        {
            lastActive_ = std::chrono::steady_clock::now();
        }
    }
    while (ended == options_.settleLimit && !stopped_);
}

drogon::AsyncTask ResponseHandler::expire(std::shared_ptr<ResponseHandler> self)
{
    const models::Gate::Pass inside = self->gate_.enter();
    try
    {
        std::size_t gone = 0;
        do
        {
            gone = co_await resumedOn(self->context_.loop,
                                      self->context_.inbox().expire(self->options_.keepHandled,
                                                                    self->options_.expireLimit));
            self->counters_.expired += gone;
        }
        while (gone == self->options_.expireLimit && !self->stopped_);
    }
    catch (const std::exception &error)
    {
        LOG_DEBUG << "step=expiry_failed why=" << error.what() << "; tried again later";
    }
}
}  // namespace relayer::plugins
