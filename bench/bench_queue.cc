// What a position costs with ten tickets in the queue up to a million, beside a tree of nodes
// (the order-statistics tree that comes with GCC), and what the queue does in a second.
#include "bench/measure.h"
#include "core/fifo_positions.h"
#include "core/tx_queue.h"

#include <cstdint>
#include <ext/pb_ds/assoc_container.hpp>
#include <ext/pb_ds/tree_policy.hpp>
#include <functional>
#include <random>

namespace relayer::bench
{
namespace
{
using Ticket = core::FifoPositions::Ticket;
using Tree = __gnu_pbds::tree<Ticket, __gnu_pbds::null_type, std::less<>, __gnu_pbds::rb_tree_tag,
                              __gnu_pbds::tree_order_statistics_node_update>;

constexpr std::size_t kAsked = 1'000'000;

// A third of the tickets is of one kind: the three kinds share a sequence.
std::vector<Ticket> tickets(std::size_t count)
{
    std::mt19937_64 random(1);
    std::vector<Ticket> made;
    Ticket next = 0;
    for (std::size_t i = 0; i < count; ++i)
    {
        next += 1 + static_cast<Ticket>(random() % 5);
        made.push_back(next);
    }
    return made;
}

double nanosecondsEach(const std::vector<Ticket> &there, auto ask)
{
    std::mt19937_64 random(2);
    std::vector<Ticket> questions;
    for (std::size_t i = 0; i < kAsked; ++i)
    {
        questions.push_back(there[random() % there.size()]);
    }
    std::vector<double> rounds;
    std::size_t sum = 0;
    for (int round = 0; round < 5; ++round)
    {
        const auto start = Clock::now();
        for (const Ticket ticket : questions)
        {
            sum += ask(ticket);
        }
        rounds.push_back(secondsSince(start) * 1e9 / static_cast<double>(kAsked));
    }
    if (sum == 0)
    {
        throw std::runtime_error("no position was found");
    }
    return median(rounds);
}

struct Cost
{
    double runs = 0;
    double tree = 0;
};

Cost costOfAPosition(std::size_t count)
{
    const auto made = tickets(count);
    core::FifoPositions positions(count);
    Tree tree;
    for (const Ticket ticket : made)
    {
        positions.insert(ticket);
        tree.insert(ticket);
    }
    Cost cost;
    cost.runs = nanosecondsEach(
        made, [&](Ticket ticket) { return positions.position(ticket).value_or(0) + 1; });
    cost.tree = nanosecondsEach(made, [&](Ticket ticket) { return tree.order_of_key(ticket) + 1; });
    return cost;
}

// One in at the end, one out at the head, a position in between: what a queue does all day.
double costOfAStep(std::size_t count)
{
    const auto made = tickets(count + kAsked);
    core::FifoPositions positions(count + 1);
    for (std::size_t i = 0; i < count; ++i)
    {
        positions.insert(made[i]);
    }
    std::size_t sum = 0;
    const auto start = Clock::now();
    for (std::size_t i = 0; i < kAsked; ++i)
    {
        positions.insert(made[count + i]);
        sum += positions.position(made[i + count / 2]).value_or(0);
        positions.erase(made[i]);
    }
    const double each = secondsSince(start) * 1e9 / static_cast<double>(kAsked);
    if (sum == 0 && count > 1)
    {
        throw std::runtime_error("no position was found");
    }
    return each;
}

double costOfARequest()
{
    using Place = core::TxQueue::Place;
    core::TxQueue queue({1000, 11000, 10000}, std::chrono::nanoseconds(0));
    const auto start = Clock::now();
    for (std::size_t i = 0; i < kAsked; ++i)
    {
        const std::chrono::nanoseconds now(static_cast<std::int64_t>(i) * 1'000'000);
        const Ticket ticket[] = {static_cast<Ticket>(i)};
        queue.reserve(Place::New);
        queue.accept(ticket[0]);
        static_cast<void>(queue.wakeAt(now));
        queue.told();
        queue.takeTokens(1, now);
        queue.pulled(ticket);
    }
    return secondsSince(start) * 1e9 / static_cast<double>(kAsked);
}
}  // namespace
}  // namespace relayer::bench

int main()
{
    using namespace relayer::bench;
    Cost few;
    Cost many;
    std::printf("position, ns each   sorted runs (ours)   tree of nodes\n");
    for (const std::size_t size : {10, 100, 1'000, 10'000, 100'000, 1'000'000})
    {
        const Cost cost = costOfAPosition(size);
        many = cost;
        few = size == 10 ? cost : few;
        std::printf("  %8zu tickets  %12.1f        %12.1f\n", size, cost.runs, cost.tree);
        record({"Position lookup", std::to_string(size) + " tickets", cost.runs, "ns",
                "a tree of nodes", cost.tree, cost.runs / cost.tree});
    }
    std::printf("  the last to the first  %6.1f        %12.1f\n", many.runs / few.runs,
                many.tree / few.tree);
    const double stepFew = costOfAStep(10);
    const double stepMany = costOfAStep(1'000'000);
    std::printf("in, position, out: %.1f ns with 10 tickets, %.1f with 1,000,000, ratio %.1f\n",
                stepFew, stepMany, stepMany / stepFew);
    record({"Position lookup", "in, position, out; 1000000 tickets", stepMany, "ns",
            "with 10 tickets", stepFew, stepMany / stepFew});
    const double request = costOfARequest();
    std::printf("a request through the queue, without the database: %.0f ns\n", request);
    record({"Position lookup", "a request through the queue", request, "ns"});
    return 0;
}
