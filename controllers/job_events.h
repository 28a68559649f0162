// The events of one job for one client, as text. Lives on the loop of the connection; shared by the
// response and the coroutine that writes. When the client goes, or the server does, nothing is left
// behind.
#pragma once

#include "plugins/status_watch.h"

#include <drogon/HttpRequest.h>
#include <drogon/utils/coroutine.h>

#include <memory>
#include <string>

namespace relayer::controllers
{
class JobEvents
{
  public:
    using Self = std::shared_ptr<JobEvents>;

    // Before the job is read.
    JobEvents(drogon::HttpRequestPtr http, plugins::StatusWatch::Place place);

    // The job as it was read. False: the client has seen the end (Last-Event-ID).
    [[nodiscard]] bool begin(plugins::JobViewPtr view);
    // How a stream begins: what the client has not been told yet.
    [[nodiscard]] std::string first();
    // What comes next, in good time a comment that says that nothing did. Empty: the client is
    // gone.
    static drogon::Task<std::string> next(Self self);
    // Nothing comes any more.
    [[nodiscard]] bool over() const { return over_; }
    // Whether `first` has an event.
    [[nodiscard]] bool hasNews() const;

  private:
    using Room = plugins::WaitingRoom;

    [[nodiscard]] std::string event();
    [[nodiscard]] std::string last(const Room::Wake &wake);
    [[nodiscard]] Room::Time untilDue() const;

    const drogon::HttpRequestPtr http_;
    const plugins::StatusWatch::Place place_;
    const std::shared_ptr<Room> room_;
    Room::Asking asking_;
    std::string told_;  // the id of the last event
    Room::Wake known_;  // the job as it is, as far as we know
    Room::Time deadline_{0};
    bool over_ = false;
};
}  // namespace relayer::controllers
