// Notices between the instances on one database: what one says, all hear, itself included, as long
// as they are connected. Nothing is kept for who is away, so a notice can only ever make somebody
// look sooner.
//
// Speaks through the pool. Listens on a connection of its own, straight to the server
// (`database.direct_url` where there is a pooler, which would not keep it), and connects again by
// itself, with growing pauses up to 10 s.
#pragma once

#include "models/connections.h"

#include <drogon/orm/DbListener.h>
#include <drogon/utils/coroutine.h>

#include <cstddef>
#include <functional>
#include <string>
#include <utility>

namespace relayer::models
{
class StatusChannel
{
  public:
    StatusChannel(ConnectionsPtr writer, std::string directConnection)
        : writer_(std::move(writer)), directConnection_(std::move(directConnection))
    {}

    // PostgreSQL takes less than 8,000 bytes.
    static constexpr std::size_t kLongest = 7'900;
    // Throws StoreError.
    drogon::Task<> say(std::string notice);

    // Until the listener is let go of, which must not be on its loop. Heard on that loop.
    [[nodiscard]] drogon::orm::DbListenerPtr listen(
        trantor::EventLoop *loop, std::function<void(const std::string &notice)> hear) const;

  private:
    const ConnectionsPtr writer_;
    const std::string directConnection_;
};
}  // namespace relayer::models
