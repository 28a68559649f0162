#include "core/client_limits.h"

#include <algorithm>

namespace relayer::core
{
namespace
{
constexpr std::uint64_t kMostPerMinute = 1'000'000;
constexpr std::uint64_t kLargestBurst = 1'000'000;

ClientLimits::Rules within(ClientLimits::Rules rules)
{
    rules.perMinute = std::clamp<std::uint64_t>(rules.perMinute, 1, kMostPerMinute);
    rules.burst = std::clamp<std::uint64_t>(rules.burst, 1, kLargestBurst);
    rules.mostClients = std::max<std::size_t>(rules.mostClients, 1);
    return rules;
}

ClientLimits::Time eachOf(const ClientLimits::Rules &rules)
{
    return ClientLimits::Time(std::chrono::minutes(1)) / static_cast<std::int64_t>(rules.perMinute);
}
}  // namespace

ClientLimits::ClientLimits(const Rules &rules) : rules_(within(rules)), each_(eachOf(rules_)) {}

void ClientLimits::change(std::uint64_t perMinute, std::uint64_t burst, Time now)
{
    const auto all = [this] {
        return static_cast<double>(each_.count()) * static_cast<double>(rules_.burst);
    };
    const double before = all();
    rules_ = within({perMinute, burst, rules_.mostClients});
    each_ = eachOf(rules_);
    const double factor = all() / before;
    for (Client &client : clients_)
    {
        const Time used = std::max(client.unused - now, Time(0));
        client.unused =
            now + Time(static_cast<Time::rep>(static_cast<double>(used.count()) * factor));
    }
}

ClientLimits::Client &ClientLimits::find(std::string_view name, Time now)
{
    if (const auto known = byName_.find(name); known != byName_.end())
    {
        clients_.splice(clients_.begin(), clients_, known->second);
        return clients_.front();
    }
    if (clients_.size() >= rules_.mostClients)
    {
        byName_.erase(clients_.back().name);
        clients_.pop_back();
    }
    clients_.push_front({std::string(name), now});
    byName_.emplace(clients_.front().name, clients_.begin());
    return clients_.front();
}

ClientLimits::Verdict ClientLimits::verdictOn(const Client &client, Time now) const
{
    const Time used = std::max(client.unused - now, Time(0));
    const Time all = each_ * static_cast<std::int64_t>(rules_.burst);
    const Time left = std::max(all - used, Time(0));
    Verdict verdict;
    verdict.limit = rules_.burst;
    verdict.remaining = static_cast<std::uint64_t>(left / each_);
    verdict.untilNext = verdict.remaining > 0 ? Time(0) : each_ - left;
    verdict.untilFull = used;
    return verdict;
}

ClientLimits::Verdict ClientLimits::take(std::string_view name, Time now)
{
    Client &client = find(name, now);
    client.unused = std::max(client.unused, now);
    const Verdict before = verdictOn(client, now);
    if (before.remaining == 0)
    {
        Verdict refused = before;
        refused.allowed = false;
        return refused;
    }
    client.unused += each_;
    return verdictOn(client, now);
}

void ClientLimits::giveBack(std::string_view name, Time now)
{
    if (const auto known = byName_.find(name); known != byName_.end())
    {
        Client &client = *known->second;
        client.unused = std::max(client.unused - each_, now);
    }
}
}  // namespace relayer::core
