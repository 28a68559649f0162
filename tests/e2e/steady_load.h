// Clients that post one request after the other, each until it is answered 202, at whichever server
// takes it, as if a balancer stood in between. What they see goes to the world.
//
//     SteadyLoad load(world);
//     load.post({&one, &two});
//     ... whatever breaks
//     const auto seen = load.end();
#pragma once

#include "e2e/chain_world.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace relayer::test
{
class SteadyLoad
{
  public:
    using Milliseconds = std::chrono::milliseconds;
    struct Seen
    {
        std::map<int, std::size_t> statuses;
        // With 503 or 429 and no Retry-After, or another label than ours for it.
        std::size_t wrongRefusals = 0;
        // The connection broke, or nothing came for kAnswerWithin: how long it had taken tells
        // which.
        std::size_t unanswered = 0;
        Milliseconds unansweredAfter{0};  // the longest of them
        Milliseconds slowest{0};          // of what was answered

        [[nodiscard]] std::string text() const;
        // Answers are 202, or 503 and 429 with what belongs to them.
        void expectNothingWorseThanUnavailable() const;
    };
    static constexpr Milliseconds kAnswerWithin = std::chrono::seconds(30);

    explicit SteadyLoad(ChainWorld &world, std::size_t clients = 4,
                        Milliseconds pace = Milliseconds(60));
    // No more requests than that in all: while a busy machine brings nothing to its end, clients
    // would pile up work for as long as they are let.
    void atMost(std::uint64_t requests) { most_ = requests; }
    ~SteadyLoad();
    SteadyLoad(const SteadyLoad &) = delete;
    SteadyLoad &operator=(const SteadyLoad &) = delete;

    // From now on at these. Those that are gone are tried too, as long as they are named.
    void postAt(const std::vector<ServerProcess *> &servers);
    // Clients finish what they have begun, and stop.
    Seen end();

  private:
    void postUntilTheEnd(std::size_t client);
    void postUntilAccepted(std::uint64_t number, std::size_t &turn);
    [[nodiscard]] std::uint16_t portFor(std::size_t turn) const;
    void note(const std::optional<HttpReply> &reply, Milliseconds took);
    // False when the load ends.
    bool pause(Milliseconds time);

    ChainWorld &world_;
    const Milliseconds pace_;
    std::atomic<std::uint64_t> next_{0};
    std::atomic<std::uint64_t> most_{std::numeric_limits<std::uint64_t>::max()};

    mutable std::mutex mutex_;
    std::condition_variable wake_;
    bool ending_ = false;                           // under mutex_
    std::chrono::steady_clock::time_point giveUp_;  // under mutex_; once ending_
    std::vector<std::uint16_t> ports_;              // under mutex_
    Seen seen_;                                     // under mutex_
    std::vector<std::thread> clients_;
};
}  // namespace relayer::test
