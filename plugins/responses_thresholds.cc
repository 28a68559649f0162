#include "plugins/responses_thresholds.h"

#include "chain/contract_views.h"
#include "plugins/resumed_on.h"

#include <trantor/utils/Logger.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace relayer::plugins
{
using core::Hash32;
using drogon::Task;

struct ThresholdResolver::Answer
{
    Known *known;

    [[nodiscard]] bool await_ready() const noexcept { return !known->asking; }
    void await_suspend(std::coroutine_handle<> caller) const { known->waiting.push_back(caller); }
    void await_resume() const noexcept {}
};

ThresholdResolver::ThresholdResolver(trantor::EventLoop *loop,
                                     std::shared_ptr<chain::rpc::Node> node,
                                     ThresholdOptions options,
                                     std::function<Clock::time_point()> now)
    : loop_(loop), node_(std::move(node)), options_(options), now_(std::move(now))
{}

Task<std::optional<std::int32_t>> ThresholdResolver::resolve(Hash32 context)
{
    if (context == Hash32{} || !node_)
    {
        co_return options_.current;
    }
    makeRoom();
    // Entries that somebody waits for are not dropped, so this stays where it is.
    Known &known = byContext_[context];
    if (known.asking)
    {
        const Answer others{&known};
        co_await others;
        co_return byContext_.contains(context) ? byContext_[context].threshold : std::nullopt;
    }
    if (now_() < known.until)
    {
        co_return known.threshold;
    }
    known.asking = true;
    known.threshold = co_await ask(context);
    known.asking = false;
    if (known.threshold)
    {
        known.failures = 0;
        known.until = now_() + options_.timeToLive;
    }
    else
    {
        auto pause = options_.backOffFirst;
        for (std::uint64_t i = 0; i < known.failures && pause < options_.backOffMost; ++i)
        {
            pause *= 2;
        }
        known.until = now_() + std::min(pause, options_.backOffMost);
        if (known.failures++ == 0)
        {
            LOG_WARN << "step=threshold_unknown context=" << core::toHex(context)
                     << "; its shares are kept and wait";
        }
    }
    const auto threshold = known.threshold;
    for (const std::coroutine_handle<> caller : std::exchange(known.waiting, {}))
    {
        loop_->queueInLoop([caller] { caller.resume(); });
    }
    co_return threshold;
}

Task<std::optional<std::int32_t>> ThresholdResolver::ask(Hash32 context)
{
    chain::rpc::Call call;
    call.to = options_.protocolConfig;
    call.input = chain::userDecryptionThresholdFor(context);
    try
    {
        const std::string latest = "latest";
        const core::Bytes answer = co_await resumedOn(loop_, node_->call(std::move(call), latest));
        const auto threshold = chain::uint32Answer(answer);
        if (threshold && *threshold > 0 &&
            *threshold <= static_cast<std::uint32_t>(std::numeric_limits<std::int32_t>::max()))
        {
            co_return static_cast<std::int32_t>(*threshold);
        }
    }
    catch (const chain::rpc::RpcError &)
    {
        // A contract that does not know the context says so by a revert; it may yet learn of it.
        co_return std::nullopt;
    }
    co_return std::nullopt;
}

void ThresholdResolver::makeRoom()
{
    while (byContext_.size() >= options_.capacity)
    {
        const auto oldest = std::min_element(
            byContext_.begin(), byContext_.end(), [](const auto &left, const auto &right) {
                return std::make_pair(left.second.asking, left.second.until) <
                       std::make_pair(right.second.asking, right.second.until);
            });
        if (oldest->second.asking || !oldest->second.waiting.empty())
        {
            return;
        }
        byContext_.erase(oldest);
    }
}
}  // namespace relayer::plugins
