#include "plugins/status_watch.h"

#include "plugins/job_view.h"
#include "plugins/part.h"
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
    const auto &settings = part<Settings>()->values().http;
    const StorePtr store = sharedPart<Store>();
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
    ear_ = std::make_unique<ChannelEar>(
        loop, store->channel(),
        [relay = relay_, settings = settingsChanged_](const std::string &notice) {
            if (notice != core::kSettingsNotice)
            {
                relay->hear(notice);
            }
            else if (*settings)
            {
                (*settings)();
            }
        });
    timer_ = loop->runEvery(kTick, [this] {
        room_->tick();
        relay_->tick();
        if (ear_)
        {
            ear_->tick();
        }
    });
}

void StatusWatch::shutdown()
{
    drain();
    drogon::app().getLoop()->invalidateTimer(timer_);
    news_->listen({});
    ear_.reset();
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
