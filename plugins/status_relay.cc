#include "plugins/status_relay.h"

#include <trantor/utils/Logger.h>

namespace relayer::plugins
{
void StatusRelay::tell(std::span<const models::RequestId> ids)
{
    if (around_.alone())
    {
        return;
    }
    const std::lock_guard lock(mutex_);
    notices_.add(ids);
}

void StatusRelay::tick()
{
    const auto self = around_.self();
    if (!self || saying_.load())
    {
        return;
    }
    std::string notice;
    {
        const std::lock_guard lock(mutex_);
        if (notices_.empty())
        {
            return;
        }
        notice = notices_.take(*self);
    }
    saying_.store(true);
    say(shared_from_this(), std::move(notice));
}

drogon::AsyncTask StatusRelay::say(std::shared_ptr<StatusRelay> self, std::string notice)
{
    try
    {
        co_await self->around_.say(std::move(notice));
    }
    catch (const std::exception &e)
    {
        LOG_DEBUG << "step=notice_not_said why=" << e.what();
    }
    self->saying_.store(false);
}

void StatusRelay::hear(const std::string &text)
{
    const auto notice = core::parseStatusNotice(text);
    if (!notice || notice->speaker == around_.self())
    {
        return;
    }
    notice->all ? around_.muchMoved() : around_.moved(notice->ids);
}
}  // namespace relayer::plugins
