#include "plugins/client_limits.h"

#include "plugins/settings.h"

#include <drogon/HttpAppFramework.h>

#include <chrono>
#include <utility>

namespace relayer::plugins
{
namespace
{
core::ClientLimits::Time now()
{
    return std::chrono::steady_clock::now().time_since_epoch();
}

std::int64_t wholeSeconds(core::ClientLimits::Time time)
{
    return std::chrono::ceil<std::chrono::seconds>(time).count();
}
}  // namespace

ClientLimits::Charge::Charge(ClientLimits &limits, std::string client)
    : limits_(limits), client_(std::move(client)), verdict_(limits.take(client_))
{}

ClientLimits::Charge::~Charge()
{
    if (isGivenBack())
    {
        limits_.giveBack(client_);
    }
}

std::optional<ClientLimits::Charge::Standing> ClientLimits::Charge::standing() const
{
    if (!verdict_)
    {
        return std::nullopt;
    }
    Standing standing;
    standing.limit = limits_.table_->rules().burst;
    standing.remaining = verdict_->remaining + (isGivenBack() ? 1 : 0);
    standing.untilNext = wholeSeconds(verdict_->untilNext);
    standing.untilFull = wholeSeconds(verdict_->untilFull);
    return standing;
}

void ClientLimits::initAndStart(const Json::Value &)
{
    const auto &settings = drogon::app().getPlugin<Settings>()->values().http.clientLimits;
    keyHeader_ = settings.keyHeader;
    if (settings.requestsPerMinute > 0)
    {
        core::ClientLimits::Rules rules;
        rules.perMinute = settings.requestsPerMinute;
        rules.burst = settings.burst;
        rules.mostClients = settings.maxClients;
        table_ = std::make_unique<core::ClientLimits>(rules);
    }
}

std::optional<core::ClientLimits::Verdict> ClientLimits::take(std::string_view client)
{
    if (!table_)
    {
        return std::nullopt;
    }
    const std::lock_guard lock(mutex_);
    return table_->take(client, now());
}

void ClientLimits::giveBack(std::string_view client)
{
    if (table_)
    {
        const std::lock_guard lock(mutex_);
        table_->giveBack(client, now());
    }
}
}  // namespace relayer::plugins
