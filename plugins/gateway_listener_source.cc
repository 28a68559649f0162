#include "plugins/gateway_listener_source.h"

#include "plugins/resumed_on.h"

#include <trantor/utils/Logger.h>

#include <algorithm>
#include <utility>

namespace relayer::plugins
{
using chain::rpc::RpcError;
using models::InboxEvent;
using models::StoreError;
using std::chrono::milliseconds;

namespace
{
// Blocks that pushes took back, while the database is away.
constexpr std::size_t kMostRemoved = 4096;

double seconds(milliseconds duration)
{
    return std::chrono::duration<double>(duration).count();
}

milliseconds backOff(const ListenerOptions &options, std::uint64_t failures)
{
    milliseconds delay = options.backOffFirst;
    for (std::uint64_t i = 1; i < failures && delay < options.backOffMost; ++i)
    {
        delay *= 2;
    }
    return std::min(delay, options.backOffMost);
}

const char *nameOf(RpcError::Kind kind)
{
    switch (kind)
    {
        case RpcError::Kind::Transport: return "node_transport";
        case RpcError::Kind::Timeout: return "node_timeout";
        case RpcError::Kind::Rpc: return "node_refused";
        case RpcError::Kind::Undecodable: return "node_undecodable";
        case RpcError::Kind::Busy: return "node_busy";
    }
    return "node";
}
}  // namespace

ListenerSource::ListenerSource(Context context, const ListenerOptions &options)
    : name_(context.name),
      options_(options),
      context_(std::move(context)),
      loop_(context_.reader.loop),
      intake_(loop_, context_.reader.inbox, options_, &current_, context_.stored),
      reader_(context_.reader, options_, &intake_, &current_)
{
    current_.name = name_;
    current_.subscription = static_cast<bool>(context_.subscribe);
    publish();
}

void ListenerSource::start()
{
    if (context_.subscribe)
    {
        subscribe();
    }
    readSoon();
}

void ListenerSource::stop()
{
    stopped_ = true;
    loop_->invalidateTimer(readTimer_);
    if (subscription_)
    {
        subscription_->stop();
        subscription_.reset();
    }
    gate_.close();
}

bool ListenerSource::ended(milliseconds atMost)
{
    return gate_.waitUntilEmpty(atMost);
}

SourceState ListenerSource::state() const
{
    const std::lock_guard lock(mutex_);
    return published_;
}

void ListenerSource::publish()
{
    const std::lock_guard lock(mutex_);
    published_ = current_;
}

void ListenerSource::subscribe()
{
    chain::rpc::LogSubscription::Events events;
    const std::weak_ptr<ListenerSource> weak = weak_from_this();
    events.subscribed = [weak] {
        if (const auto self = weak.lock())
        {
            LOG_INFO << "step=subscribed source=" << self->name_;
            self->current_.connected = true;
            ++self->current_.connects;
            self->current_.lastHeard = std::chrono::steady_clock::now();
            self->publish();
            // What happened while nobody listened.
            self->readSoon();
        }
    };
    events.broken = [weak](const std::string &why) {
        if (const auto self = weak.lock())
        {
            if (std::exchange(self->current_.connected, false))
            {
                LOG_WARN << "step=subscription_broken source=" << self->name_ << " why=" << why;
            }
            // Until it is back, it is read as an endpoint that is polled.
            self->readAfter(self->options_.pollInterval);
            self->publish();
        }
    };
    events.head = [weak](std::uint64_t number) {
        if (const auto self = weak.lock())
        {
            self->current_.head =
                std::max(self->current_.head.value_or(0), static_cast<std::int64_t>(number));
            self->current_.lastHeard = std::chrono::steady_clock::now();
            self->publish();
        }
    };
    events.logs = [weak](const std::vector<chain::Log> &logs, std::size_t skipped) {
        if (const auto self = weak.lock())
        {
            self->pushed(logs, skipped);
        }
    };
    subscription_ = context_.subscribe(std::move(events));
    subscription_->start();
}

bool ListenerSource::isSubscribed() const
{
    return subscription_ && subscription_->state().subscribed;
}

void ListenerSource::pushed(const std::vector<chain::Log> &logs, std::size_t skipped)
{
    if (stopped_)
    {
        return;
    }
    current_.skipped += skipped;
    current_.lastHeard = std::chrono::steady_clock::now();
    std::vector<chain::Log> added;
    for (const chain::Log &log : logs)
    {
        if (log.removed)
        {
            takeBack(log);
            continue;
        }
        added.push_back(log);
    }
    if (!removed_.empty())
    {
        deliverPushed(shared_from_this());
    }
    if (options_.confirmations > 0)
    {
        return;  // it does not count yet; the reader sees when it does
    }
    std::vector<InboxEvent> events = intake_.select(added);
    if (pushed_.size() + events.size() > options_.maxLive)
    {
        current_.dropped += events.size();
        readSoon();
        return;
    }
    std::move(events.begin(), events.end(), std::back_inserter(pushed_));
    deliverPushed(shared_from_this());
}

drogon::AsyncTask ListenerSource::deliverPushed(std::shared_ptr<ListenerSource> self)
{
    if (self->delivering_ || self->stopped_)
    {
        co_return;
    }
    const models::Gate::Pass inside = self->gate_.enter();
    self->delivering_ = true;
    bool failed = false;
    while (!(self->pushed_.empty() && self->removed_.empty()) && !self->stopped_ && !failed)
    {
        try
        {
            if (!self->removed_.empty())
            {
                co_await self->removeBlocks();
                continue;
            }
            // They stay in the queue until they are committed.
            self->inFlight_ = std::min(self->pushed_.size(), self->options_.eventsPerCommit);
            const auto count = static_cast<std::ptrdiff_t>(self->inFlight_);
            std::vector<InboxEvent> batch(self->pushed_.begin(), self->pushed_.begin() + count);
            co_await self->intake_.deliver(std::move(batch), std::nullopt);
            self->pushed_.erase(self->pushed_.begin(), self->pushed_.begin() + count);
            self->deliverFailures_ = 0;
        }
        catch (const std::exception &error)
        {
            failed = true;
            if (self->deliverFailures_++ == 0)
            {
                LOG_WARN << "step=events_wait source=" << self->name_ << " why=" << error.what();
            }
        }
        self->inFlight_ = 0;
        self->publish();
    }
    self->delivering_ = false;
    if (failed)
    {
        self->deliverAfter(backOff(self->options_, self->deliverFailures_));
    }
}

void ListenerSource::deliverAfter(milliseconds delay)
{
    loop_->runAfter(seconds(delay), [weak = weak_from_this()] {
        if (const auto self = weak.lock())
        {
            deliverPushed(self);
        }
    });
}

void ListenerSource::takeBack(const chain::Log &log)
{
    if (std::find(removed_.begin(), removed_.end(), log.blockHash) != removed_.end())
    {
        return;
    }
    if (removed_.size() >= kMostRemoved)
    {
        readSoon();  // which compares hashes, and finds the rest
        return;
    }
    const auto number = static_cast<std::int64_t>(log.blockNumber);
    lowestRemoved_ = removed_.empty() ? number : std::min(lowestRemoved_, number);
    removed_.push_back(log.blockHash);
    const auto waiting = pushed_.begin() + static_cast<std::ptrdiff_t>(inFlight_);
    pushed_.erase(
        std::remove_if(waiting, pushed_.end(),
                       [&](const InboxEvent &event) { return event.blockHash == log.blockHash; }),
        pushed_.end());
}

drogon::Task<> ListenerSource::removeBlocks()
{
    const std::vector<core::Hash32> hashes = removed_;
    const std::int64_t lowest = lowestRemoved_;
    intake_.forgetWhatWasStored();
    co_await resumedOn(loop_, context_.reader.inbox().removeBlocks(hashes));
    LOG_WARN << "step=blocks_removed source=" << name_ << " from=" << lowest
             << " blocks=" << hashes.size();
    removed_.erase(removed_.begin(), removed_.begin() + static_cast<std::ptrdiff_t>(hashes.size()));
    if (!stopped_)
    {
        context_.reader.reorganised(lowest);
        readSoon();
    }
}

void ListenerSource::readSoon()
{
    if (stopped_)
    {
        return;
    }
    if (reading_)
    {
        readAgain_ = true;
        return;
    }
    if (current_.failures == 0)  // else it is to be tried again anyway, after its pause
    {
        readAfter(milliseconds(0));
    }
}

void ListenerSource::readAfter(milliseconds delay)
{
    const auto at = std::chrono::steady_clock::now() + delay;
    // Never later than it was to be, or those who keep asking would put it off for ever.
    if (reading_ || stopped_ || (readAt_ && *readAt_ <= at))
    {
        return;
    }
    loop_->invalidateTimer(readTimer_);
    readAt_ = at;
    readTimer_ = loop_->runAfter(seconds(delay), [weak = weak_from_this()] {
        if (const auto self = weak.lock(); self && !self->stopped_ && !self->reading_)
        {
            read(self);
        }
    });
}

drogon::AsyncTask ListenerSource::read(std::shared_ptr<ListenerSource> self)
{
    const models::Gate::Pass inside = self->gate_.enter();
    self->reading_ = true;
    self->readAgain_ = false;
    self->readAt_.reset();
    std::string error;
    try
    {
        while (!self->stopped_ && co_await self->reader_.advance())
        {
            self->publish();
        }
    }
    catch (const RpcError &failure)
    {
        error = nameOf(failure.kind());
        self->reader_.changeNode();
    }
    catch (const StoreError &)
    {
        error = "database";
    }
    catch (const std::exception &failure)
    {
        error = failure.what();
    }
    self->reading_ = false;
    self->finishedReading(error);
}

void ListenerSource::finishedReading(const std::string &error)
{
    if (error != current_.lastError)
    {
        if (error.empty())
        {
            LOG_INFO << "step=reading source=" << name_ << " after_failures=" << current_.failures;
        }
        else
        {
            LOG_WARN << "step=reading_failed source=" << name_ << " why=" << error;
        }
        current_.lastError = error;
    }
    current_.failures = error.empty() ? 0 : current_.failures + 1;
    if (error.empty())
    {
        current_.lastHeard = std::chrono::steady_clock::now();
        if (const auto progress = reader_.progress(); progress != BlockReader::Progress::None)
        {
            context_.read(progress == BlockReader::Progress::ToTheHead);
        }
    }
    if (!context_.subscribe)
    {
        current_.connected = error.empty();
    }
    publish();
    if (!error.empty())
    {
        readAfter(backOff(options_, current_.failures));
        return;
    }
    if (std::exchange(readAgain_, false))
    {
        readAfter(milliseconds(0));
        return;
    }
    const bool pushComes = isSubscribed() && options_.confirmations == 0;
    readAfter(pushComes ? options_.coverInterval : options_.pollInterval);
}
}  // namespace relayer::plugins
