// Wakes who waits for a request to change its status: long-polls and event streams.
//
//     { "name": "relayer::plugins::StatusWatch",
//       "dependencies": ["relayer::plugins::Settings", "relayer::plugins::Store"] }
//
// It learns of changes from our own commits at once, from those of other instances by notices
// through PostgreSQL, and of everything else by comparing what is waited for with its rows, in one
// statement each two seconds for up to 10,000 requests. Only the last has to work.
//
// Runs on Drogon's main loop; the room may be entered from any. Holds nothing but callers: when the
// process dies, their connections break, and they ask again.
#pragma once

#include "models/status_news.h"
#include "plugins/channel_ear.h"
#include "plugins/counted.h"
#include "plugins/status_relay.h"
#include "plugins/waiting_room.h"

#include <drogon/plugins/Plugin.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>

namespace relayer::plugins
{
class StatusWatch : public drogon::Plugin<StatusWatch>
{
  public:
    // That of one long-poll or one event stream, until it is dropped.
    using Place = Counted;

    void initAndStart(const Json::Value &config) override;
    void shutdown() override;

    [[nodiscard]] const std::shared_ptr<WaitingRoom> &room() const { return room_; }
    // Nothing: there are as many as may be.
    [[nodiscard]] std::optional<Place> placeForPoll() { return take(polls_, mostPolls_); }
    [[nodiscard]] std::optional<Place> placeForStream() { return take(streams_, mostStreams_); }
    [[nodiscard]] std::size_t polls() const { return polls_->load(); }
    [[nodiscard]] std::size_t streams() const { return streams_->load(); }

    // Called on Drogon's main loop when an instance says that operators have changed something. To
    // be set before the loop runs; an empty one ends it.
    void onSettings(std::function<void()> hear) { *settingsChanged_ = std::move(hear); }

    // Everybody who waits is answered now, and nobody waits from now on. To be called before Drogon
    // quits, which closes all connections before it stops its plugins.
    void drain();

  private:
    [[nodiscard]] static std::optional<Place> take(const Count &taken, std::size_t most);

    // constant after initAndStart
    std::shared_ptr<WaitingRoom> room_;
    std::shared_ptr<StatusRelay> relay_;
    std::size_t mostPolls_ = 0;
    std::size_t mostStreams_ = 0;

    const Count polls_ = newCount();
    const Count streams_ = newCount();
    // Of the main loop; shared with the listener.
    const std::shared_ptr<std::function<void()>> settingsChanged_ =
        std::make_shared<std::function<void()>>();
    std::shared_ptr<models::StatusNews> news_;
    std::unique_ptr<ChannelEar> ear_;  // of the main loop
    trantor::TimerId timer_{0};
};
}  // namespace relayer::plugins
