#include "plugins/key_url_poller.h"

#include "chain/rpc/error.h"
#include "plugins/node_text.h"

#include <trantor/utils/Logger.h>

#include <algorithm>
#include <utility>

namespace relayer::plugins
{
namespace
{
// How often in a row it may fail before somebody ought to know.
constexpr std::uint64_t kFailuresUntilUnhealthy = 3;
}  // namespace

void KeyUrlPoller::start()
{
    poll(shared_from_this());
}

void KeyUrlPoller::stop()
{
    stopped_ = true;
    loop_->invalidateTimer(timer_);
    gate_.close();
}

bool KeyUrlPoller::ended(std::chrono::milliseconds atMost)
{
    return gate_.waitUntilEmpty(atMost);
}

drogon::AsyncTask KeyUrlPoller::poll(std::shared_ptr<KeyUrlPoller> self)
{
    if (self->stopped_)
    {
        co_return;
    }
    const auto inside = self->gate_.enter();
    std::string why;
    try
    {
        const auto found = co_await self->reader_->read(self->active_);
        self->keep(found);
    }
    catch (const chain::rpc::RpcError &error)
    {
        why = nodeText(error.what());
    }
    catch (const NoKeyUrl &error)
    {
        why = error.what();
    }
    if (!why.empty())
    {
        self->failed(why);
    }
}

void KeyUrlPoller::keep(const std::optional<KeyUrlReader::Found> &found)
{
    {
        const std::lock_guard lock(mutex_);
        failures_ = 0;
        confirmedAt_ = options_.now();
        if (found)
        {
            body_ = wire::keyUrls(found->publicKey, found->crs);
        }
    }
    if (found)
    {
        active_ = found->active;
        LOG_INFO << "step=keyurl_changed key=" << core::toHex(found->active.key)
                 << " crs=" << core::toHex(found->active.crs)
                 << " context=" << core::toHex(found->active.context);
    }
    pollAfter(options_.interval);
}

void KeyUrlPoller::failed(const std::string &why)
{
    std::uint64_t before = 0;
    {
        const std::lock_guard lock(mutex_);
        before = failures_++;
    }
    if (before == 0)
    {
        LOG_WARN << "step=keyurl_failed why=" << why
                 << (active_ ? "; what was known is told on" : "; it is not known yet");
    }
    auto delay = options_.backOffFirst;
    for (std::uint64_t i = 0; i < before && delay < options_.interval; ++i)
    {
        delay *= 2;
    }
    pollAfter(std::min(delay, options_.interval));
}

void KeyUrlPoller::pollAfter(std::chrono::milliseconds delay)
{
    if (stopped_)
    {
        return;
    }
    timer_ =
        loop_->runAfter(std::chrono::duration<double>(delay).count(), [weak = weak_from_this()] {
            if (auto self = weak.lock())
            {
                poll(std::move(self));
            }
        });
}

std::optional<KeyUrlPoller::Told> KeyUrlPoller::told() const
{
    const std::lock_guard lock(mutex_);
    if (body_.empty())
    {
        return std::nullopt;
    }
    Told told;
    told.body = body_;
    told.age = std::chrono::floor<std::chrono::seconds>(options_.now() - confirmedAt_);
    return told;
}

bool KeyUrlPoller::healthy() const
{
    const std::lock_guard lock(mutex_);
    return !body_.empty() && failures_ < kFailuresUntilUnhealthy;
}
}  // namespace relayer::plugins
