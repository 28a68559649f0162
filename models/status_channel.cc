#include "models/status_channel.h"

#include "models/execute.h"

namespace relayer::models
{
namespace
{
constexpr std::string_view kShares = "relayer_shares";

// Text lives as long as the program, because Drogon keeps views of it.
std::string sayingOn(std::string_view channel)
{
    return "SELECT pg_notify('" + std::string(channel) + "', $1::text)";
}
}  // namespace

drogon::Task<> StatusChannel::say(std::string notice)
{
    static const std::string ofRequests = sayingOn(StatusChannel::kName);
    static const std::string ofShares = sayingOn(kShares);
    co_await execute(writer_, about_ == About::Shares ? &ofShares : &ofRequests, std::move(notice));
}

drogon::orm::DbListenerPtr StatusChannel::listen(
    trantor::EventLoop *loop, std::size_t address,
    std::function<void(const std::string &notice)> hear) const
{
    auto listener = drogon::orm::DbListener::newPgListener(
        directConnections_[address % directConnections_.size()], loop);
    listener->listen(std::string(about_ == About::Shares ? kShares : kName),
                     [heard = std::move(hear)](const std::string &, const std::string &notice) {
                         heard(notice);
                     });
    return listener;
}
}  // namespace relayer::models
