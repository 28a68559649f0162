// Tells the other instances which requests our commits have moved, and hears it from them. A notice
// is said no more often than `tick` is called, one at a time, and not at all while we are alone: on
// a busy day that is ten small statements a second, however much moves. What is lost on the way is
// found by the comparison of the WaitingRoom.
//
// Any thread; shared with notices that are on their way.
#pragma once

#include "core/status_notices.h"
#include "models/request_types.h"

#include <drogon/utils/coroutine.h>

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>

namespace relayer::plugins
{
class StatusRelay : public std::enable_shared_from_this<StatusRelay>
{
  public:
    struct Surroundings
    {
        std::function<std::optional<models::Claimer>()> self;  // nothing: not enrolled
        std::function<bool()> alone;
        std::function<drogon::Task<>(std::string notice)> say;  // may throw StoreError
        // What others said.
        std::function<void(std::span<const models::RequestId>)> moved;
        std::function<void()> muchMoved;
    };

    explicit StatusRelay(Surroundings surroundings) : around_(std::move(surroundings)) {}

    // By our own commits.
    void tell(std::span<const models::RequestId> ids);
    void tick();
    void hear(const std::string &text);

  private:
    static drogon::AsyncTask say(std::shared_ptr<StatusRelay> self, std::string notice);

    const Surroundings around_;
    std::atomic<bool> saying_{false};
    std::mutex mutex_;
    core::StatusNotices notices_;
};
}  // namespace relayer::plugins
