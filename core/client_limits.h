// How often each client may ask for something new. For each one a single moment is kept: the one at
// which it has used up nothing (the generic cell rate algorithm), so an idle client costs nothing
// that could not be forgotten, and nothing is rounded away.
//
// Bounded: when there are too many clients, the one that was not heard of for longest is forgotten,
// which can only be to its advantage. Time comes in as a duration since any fixed moment.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <list>
#include <string>
#include <string_view>
#include <unordered_map>

namespace relayer::core
{
class ClientLimits
{
  public:
    using Time = std::chrono::nanoseconds;

    struct Rules
    {
        std::uint64_t perMinute = 60;  // 1 to 1,000,000
        std::uint64_t burst = 60;      // at least 1
        std::size_t mostClients = 100'000;
    };

    struct Verdict
    {
        bool allowed = true;
        std::uint64_t limit = 0;      // in one burst
        std::uint64_t remaining = 0;  // right now, after this one
        Time untilNext{0};            // zero: at once
        Time untilFull{0};
    };

    explicit ClientLimits(const Rules &rules);

    [[nodiscard]] Verdict take(std::string_view name, Time now);
    // What was taken and not needed after all.
    void giveBack(std::string_view name, Time now);

    // Other rules from now on. Who has used up half of its burst has used up half of the new one.
    void change(std::uint64_t perMinute, std::uint64_t burst, Time now);

    [[nodiscard]] const Rules &rules() const { return rules_; }
    [[nodiscard]] std::size_t clients() const { return byName_.size(); }

  private:
    struct Client
    {
        std::string name;
        Time unused;  // when nothing of its burst is used
    };
    using Clients = std::list<Client>;  // who was heard of last stands first

    Client &find(std::string_view name, Time now);
    [[nodiscard]] Verdict verdictOn(const Client &client, Time now) const;

    Rules rules_;
    Time each_;  // what one request uses
    Clients clients_;
    std::unordered_map<std::string_view, Clients::iterator> byName_;  // views into clients_
};
}  // namespace relayer::core
