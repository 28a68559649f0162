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
#include <string_view>
#include <utility>
#include <vector>

namespace relayer::models
{
class StatusChannel
{
  public:
    enum class About
    {
        Requests,
        Shares,
    };
    // One string, or one for each address of the database.
    StatusChannel(ConnectionsPtr writer, std::vector<std::string> directConnections,
                  About about = About::Requests)
        : writer_(std::move(writer)),
          directConnections_(std::move(directConnections)),
          about_(about)
    {}

    static constexpr std::string_view kName = "relayer_status";
    // PostgreSQL takes less than 8,000 bytes.
    static constexpr std::size_t kLongest = 7'900;
    // Throws StoreError.
    drogon::Task<> say(std::string notice);

    // Where the writer is now: that is where one has to listen.
    [[nodiscard]] std::size_t address() const { return writer_->address(); }
    // Until the listener is let go of, which must not be while its loop handles events: what it
    // is about to handle may be the listener's. Heard on that loop.
    [[nodiscard]] drogon::orm::DbListenerPtr listen(
        trantor::EventLoop *loop, std::size_t address,
        std::function<void(const std::string &notice)> hear) const;

  private:
    const ConnectionsPtr writer_;
    const std::vector<std::string> directConnections_;
    const About about_;
};
}  // namespace relayer::models
