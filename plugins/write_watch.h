// Whether the database takes writes, and what is done about it when it does not. Part of store.h.
//
// A database that was demoted, or told to, takes no writes, on connections that it leaves open. The
// one that took over may be at another address; and what a session was told at its start holds for
// that session until its end. So a pool whose sessions were begun at different times may hold some
// that write and some that never will, and which of them a statement gets is up to the pool: what
// one session says of itself tells nothing of the others. Such a pool is begun anew.
#pragma once

#include "models/connections.h"
#include "models/instance_registry.h"

#include <drogon/utils/coroutine.h>

#include <atomic>
#include <cstddef>
#include <memory>
#include <vector>

namespace relayer::plugins
{
class WriteWatch
{
  public:
    using TimePoint = models::Connections::Clock::time_point;

    // `movable`: what goes on to the next address when there are no writes here; the writer, and
    // the reader where there is a next address.
    WriteWatch(std::shared_ptr<models::InstanceRegistry> instances, models::ConnectionsPtr writer,
               std::vector<models::ConnectionsPtr> movable);

    // With each heartbeat, on the main loop: whether the last one was refused.
    static void look(const std::shared_ptr<WriteWatch> &watch, TimePoint now, bool beatRefused);
    // Any thread.
    [[nodiscard]] bool readOnly() const { return readOnly_.load(); }

  private:
    static drogon::AsyncTask ask(std::shared_ptr<WriteWatch> watch);

    const std::shared_ptr<models::InstanceRegistry> instances_;
    const models::ConnectionsPtr writer_;
    const std::vector<models::ConnectionsPtr> movable_;
    std::atomic<bool> readOnly_{false};
    // main loop
    TimePoint renewedAt_;
    std::size_t refusalsSeen_ = 0;
    std::size_t looksWithRefusals_ = 0;  // in a row, while heartbeats were not refused
};
}  // namespace relayer::plugins
