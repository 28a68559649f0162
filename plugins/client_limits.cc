#include "plugins/client_limits.h"

#include "plugins/part.h"
#include "plugins/settings.h"

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
    standing.limit = verdict_->limit;
    standing.remaining = verdict_->remaining + (isGivenBack() ? 1 : 0);
    standing.untilNext = wholeSeconds(verdict_->untilNext);
    standing.untilFull = wholeSeconds(verdict_->untilFull);
    return standing;
}

void ClientLimits::initAndStart(const Json::Value &)
{
    const auto &settings = part<Settings>()->values().http.clientLimits;
    keyHeader_ = settings.keyHeader;
    mostClients_ = settings.maxClients;
    change(settings.requestsPerMinute, settings.burst);
}

void ClientLimits::change(std::uint64_t requestsPerMinute, std::uint64_t burst)
{
    const std::lock_guard lock(mutex_);
    if (requestsPerMinute == 0)
    {
        table_.reset();
    }
    else if (table_)
    {
        table_->change(requestsPerMinute, burst, now());
    }
    else
    {
        core::ClientLimits::Rules rules;
        rules.perMinute = requestsPerMinute;
        rules.burst = burst;
        rules.mostClients = mostClients_;
        table_.emplace(rules);
    }
}

std::optional<core::ClientLimits::Verdict> ClientLimits::take(std::string_view client)
{
    const std::lock_guard lock(mutex_);
    return table_ ? std::optional(table_->take(client, now())) : std::nullopt;
}

void ClientLimits::giveBack(std::string_view client)
{
    const std::lock_guard lock(mutex_);
    if (table_)
    {
        table_->giveBack(client, now());
    }
}
}  // namespace relayer::plugins
