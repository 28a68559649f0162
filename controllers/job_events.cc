#include "controllers/job_events.h"

#include "controllers/job_rows.h"
#include "controllers/plugin_for.h"
#include "filters/request_id.h"
#include "plugins/settings.h"
#include "wire/events.h"

#include <algorithm>
#include <utility>

namespace relayer::controllers
{
using plugins::WaitingRoom;
using Why = WaitingRoom::Wake::Why;

namespace
{
const config::EventSettings &settings()
{
    return plugins::Settings::lastStarted().http.events;
}
}  // namespace

JobEvents::JobEvents(drogon::HttpRequestPtr http, plugins::StatusWatch::Place place)
    : http_(std::move(http)),
      place_(std::move(place)),
      room_(pluginFor<plugins::StatusWatch>().room()),
      asking_(room_),
      told_(http_->getHeader("last-event-id")),
      deadline_(room_->now() + settings().maxDuration)
{}

bool JobEvents::begin(plugins::JobViewPtr view)
{
    known_.job = waitedFor(*view);
    over_ = core::isTerminal(known_.job.status);
    known_.ended = over_ ? std::move(view) : nullptr;
    return hasNews() || !over_;
}

bool JobEvents::hasNews() const
{
    return told_ != core::name(known_.job.status);
}

std::string JobEvents::first()
{
    return wire::streamOpening(secondsUntilMore(known_.job)) + (hasNews() ? event() : "");
}

std::string JobEvents::event()
{
    told_ = core::name(known_.job.status);
    return wire::statusEvent(known_.job.status, shown(filters::requestIdOf(http_), known_).body);
}

WaitingRoom::Time JobEvents::untilDue() const
{
    return std::min<WaitingRoom::Time>(settings().keepAlive, deadline_ - room_->now());
}

drogon::Task<std::string> JobEvents::next(Self self)
{
    auto change = self->room_->wait(self->asking_, self->known_.job, self->untilDue(),
                                    [http = self->http_] { return http->connected(); });
    const WaitingRoom::Wake wake = co_await change;
    self->asking_.seen(wake);
    if (wake.why == Why::Changed)
    {
        self->known_ = wake;
        self->over_ = wake.ended != nullptr;
        co_return self->event();
    }
    if (wake.why == Why::Overdue && self->room_->now() < self->deadline_)
    {
        co_return wire::streamComment("keep-alive");
    }
    self->over_ = true;
    co_return self->last(wake);
}

std::string JobEvents::last(const WaitingRoom::Wake &wake)
{
    switch (wake.why)
    {
        case Why::Overdue: return wire::streamComment("come back");
        case Why::Missing: return wire::streamComment("the job is gone");
        case Why::NotHeld:
        case Why::Closing: return wire::streamComment("the server is closing");
        default: return "";
    }
}
}  // namespace relayer::controllers
