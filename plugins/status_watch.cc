#include "plugins/status_watch.h"

#include "plugins/job_view.h"
#include "plugins/settings.h"
#include "plugins/store.h"

#include <drogon/HttpAppFramework.h>
#include <trantor/utils/Logger.h>

#include <utility>

namespace relayer::plugins
{
using drogon::Task;

namespace
{
// Deadlines are kept, and notices said, this exactly.
constexpr double kTick = 0.1;

// Kept by who may still be reading while Drogon drops its plugins; it answers with errors then.
using StorePtr = std::shared_ptr<Store>;

WaitingRoom::Time steadyNow()
{
    return std::chrono::steady_clock::now().time_since_epoch();
}

Task<std::vector<WaitingRoom::Found>> readJobs(StorePtr store, std::vector<models::RequestId> ids)
{
    std::vector<models::Poll> polls = co_await store->requests().pollAll(std::move(ids));
    std::vector<WaitingRoom::Found> found;
    found.reserve(polls.size());
    for (models::Poll &poll : polls)
    {
        WaitingRoom::Found each;
        each.job = jobOf(poll, steadyNow());
        if (core::isTerminal(each.job.status))
        {
            each.ended = co_await viewOf(store, std::move(poll));
        }
        found.push_back(std::move(each));
    }
    co_return found;
}

Task<WaitingRoom::Statuses> statusesOf(StorePtr store, std::vector<models::RequestId> ids)
{
    co_return co_await store->requests().statusesOf(std::move(ids));
}

core::StatusWaiters::Limits limitsFrom(const config::HttpSettings &settings)
{
    core::StatusWaiters::Limits limits;
    limits.waiters = settings.longPoll.maxWaiters + settings.events.maxStreams;
    limits.jobs = 2 * limits.waiters;
    return limits;
}

WaitingRoom::Surroundings roomOf(const StorePtr &store)
{
    WaitingRoom::Surroundings around;
    around.now = steadyNow;
    around.soon = [](std::function<void()> call) {
        drogon::app().getLoop()->queueInLoop(std::move(call));
    };
    around.read = [store](std::vector<models::RequestId> ids) {
        return readJobs(store, std::move(ids));
    };
    around.statuses = [store](std::vector<models::RequestId> ids) {
        return statusesOf(store, std::move(ids));
    };
    return around;
}

StatusRelay::Surroundings relayOf(const StorePtr &store, const std::shared_ptr<WaitingRoom> &room)
{
    StatusRelay::Surroundings around;
    around.self = [store] { return store->epoch(); };
    around.alone = [store] { return store->alone(); };
    // The channel is the store's to let go of; it is asked for on the main loop only, as the store
    // is shut down.
    around.say = [store](std::string notice) { return store->channel()->say(std::move(notice)); };
    around.moved = [room](std::span<const models::RequestId> ids) { room->changed(ids); };
    around.muchMoved = [room] { room->compareAll(); };
    return around;
}
}  // namespace

void StatusWatch::initAndStart(const Json::Value &)
{
    const auto &settings = drogon::app().getPlugin<Settings>()->values().http;
    const StorePtr store = drogon::app().getSharedPlugin<Store>();
    mostPolls_ = settings.longPoll.maxWaiters;
    mostStreams_ = settings.events.maxStreams;
    room_ = std::make_shared<WaitingRoom>(limitsFrom(settings), roomOf(store));
    relay_ = std::make_shared<StatusRelay>(relayOf(store, room_));
    news_ = store->news();
    news_->listen([room = room_, relay = relay_](std::span<const models::RequestId> ids) {
        room->changed(ids);
        relay->tell(ids);
    });
    trantor::EventLoop *const loop = drogon::app().getLoop();
    const auto here = store->channel();
    listen(*here, here->address());
    // Weak: the store waits for its stores, and a timer that was taken back is kept for a moment.
    timer_ = loop->runEvery(kTick, [this, weak = std::weak_ptr(here)] {
        room_->tick();
        relay_->tick();
        const auto channel = weak.lock();
        if (channel && channel->address() != listeningAt_)
        {
            listen(*channel, channel->address());
        }
    });
}

void StatusWatch::listen(const models::StatusChannel &channel, std::size_t address)
{
    trantor::EventLoop *const loop = drogon::app().getLoop();
    if (listener_)
    {
        loop->queueInLoop([old = std::move(listener_)] {});
    }
    listeningAt_ = address;
    listener_ = channel.listen(
        loop, address, [relay = relay_](const std::string &notice) { relay->hear(notice); });
}

void StatusWatch::shutdown()
{
    drain();
    drogon::app().getLoop()->invalidateTimer(timer_);
    news_->listen({});
    listener_.reset();
}

std::optional<StatusWatch::Place> StatusWatch::take(const Count &taken, std::size_t most)
{
    auto place = std::optional<Place>(std::in_place, taken);
    if (taken->load() > most)
    {
        place.reset();
    }
    return place;
}

void StatusWatch::drain()
{
    room_->close();
}
}  // namespace relayer::plugins
