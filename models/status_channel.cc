#include "models/status_channel.h"

#include "models/execute.h"

namespace relayer::models
{
namespace
{
constexpr const char *kChannel = "relayer_status";
}  // namespace

drogon::Task<> StatusChannel::say(std::string notice)
{
    static const std::string text = "SELECT pg_notify('" + std::string(kChannel) + "', $1::text)";
    co_await execute(writer_, &text, std::move(notice));
}

drogon::orm::DbListenerPtr StatusChannel::listen(
    trantor::EventLoop *loop, std::size_t address,
    std::function<void(const std::string &notice)> hear) const
{
    auto listener = drogon::orm::DbListener::newPgListener(
        directConnections_[address % directConnections_.size()], loop);
    listener->listen(kChannel,
                     [heard = std::move(hear)](const std::string &, const std::string &notice) {
                         heard(notice);
                     });
    return listener;
}
}  // namespace relayer::models
