#include "plugins/repeated_check.h"

#include "chain/rpc/error.h"

#include <trantor/utils/Logger.h>

#include <algorithm>

namespace relayer::plugins
{
namespace
{
constexpr std::chrono::milliseconds kAfterFirstNo{100};
// At the start: what is missing then may be about to come.
constexpr std::uint64_t kNoesUntilMissed = 5;
}  // namespace

void RepeatedCheck::start()
{
    run(shared_from_this());
}

void RepeatedCheck::stop()
{
    stopped_ = true;
    loop_->invalidateTimer(timer_);
    gate_.close();
}

bool RepeatedCheck::ended(std::chrono::milliseconds atMost)
{
    return gate_.waitUntilEmpty(atMost);
}

drogon::AsyncTask RepeatedCheck::run(std::shared_ptr<RepeatedCheck> self)
{
    if (self->stopped_)
    {
        co_return;
    }
    const auto inside = self->gate_.enter();
    bool ok = false;
    try
    {
        ok = co_await self->ask_();
    }
    catch (const chain::rpc::RpcError &)
    {
        // Its text is in the log of whoever needs the node for more than this.
        ok = false;
    }
    self->found(ok);
}

// At the start everything is missing for a moment; nobody should have to wait for the next round.
std::chrono::milliseconds RepeatedCheck::untilNext(bool ok)
{
    noes_ = ok ? 0 : noes_ + 1;
    if (ok)
    {
        return interval_;
    }
    auto delay = kAfterFirstNo;
    for (std::uint64_t i = 1; i < noes_ && delay < interval_; ++i)
    {
        delay *= 2;
    }
    return std::min(delay, interval_);
}

void RepeatedCheck::found(bool ok)
{
    const bool before = ok_.exchange(ok);
    const auto delay = untilNext(ok);
    if (ok && !before)
    {
        LOG_INFO << "step=dependency_found name=" << name_;
    }
    if (before ? !ok : noes_ == kNoesUntilMissed)
    {
        LOG_WARN << "step=dependency_missing name=" << name_;
    }
    if (!stopped_)
    {
        const double seconds = std::chrono::duration<double>(delay).count();
        timer_ = loop_->runAfter(seconds, [weak = weak_from_this()] {
            if (auto self = weak.lock())
            {
                run(std::move(self));
            }
        });
    }
}
}  // namespace relayer::plugins
