#include "sim/runs.h"

#include "sim/world.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <sstream>
#include <thread>
#include <vector>

namespace relayer::sim
{
using core::Status;

namespace
{
template <typename See>
void forEachEdge(See see)
{
    for (const core::Edge &edge : core::kEdges)
    {
        for (const Status from : core::kAllStatuses)
        {
            if (edge.from.contains(from))
            {
                see(edge, from);
            }
        }
    }
}

std::uint64_t taken(const Coverage &coverage, const core::Edge &edge, Status from)
{
    return coverage.edges.at(static_cast<std::size_t>(edge.kind))
        .at(static_cast<std::size_t>(edge.transition))
        .at(static_cast<std::size_t>(from));
}

std::string edgeName(const core::Edge &edge, Status from)
{
    return std::string(core::name(edge.kind)) + ": " + std::string(core::name(from)) + " " +
           std::string(core::name(edge.transition));
}

class Workers
{
  public:
    explicit Workers(const Plan &plan) : plan_(plan) {}

    Outcome work()
    {
        const unsigned wanted =
            plan_.threads != 0 ? plan_.threads : std::max(1U, std::thread::hardware_concurrency());
        std::vector<std::thread> threads;
        threads.reserve(wanted);
        for (unsigned i = 0; i < wanted; ++i)
        {
            threads.emplace_back([this] { runSome(); });
        }
        std::ranges::for_each(threads, [](std::thread &each) { each.join(); });
        return std::move(outcome_);
    }

  private:
    void runSome()
    {
        Coverage sum;
        for (;;)
        {
            const std::uint64_t number = next_.fetch_add(1);
            if (number >= plan_.runs || number >= stopAt_.load())
            {
                break;
            }
            runOne(number, sum);
        }
        const std::lock_guard lock(mutex_);
        outcome_.coverage.add(sum);
    }

    void runOne(std::uint64_t number, Coverage &sum)
    {
        const std::uint64_t seed = plan_.firstSeed + number;
        World world(seed, plan_.mutation);
        try
        {
            world.run();
            sum.add(world.coverage());
        }
        catch (const std::exception &error)
        {
            const std::lock_guard lock(mutex_);
            if (!outcome_.failure || seed < outcome_.failure->seed)
            {
                outcome_.failure = Failure{seed, world.steps(), error.what(), world.story()};
                stopAt_ = number;
            }
        }
    }

    const Plan plan_;
    std::atomic<std::uint64_t> next_{0};
    std::atomic<std::uint64_t> stopAt_{UINT64_MAX};
    std::mutex mutex_;
    Outcome outcome_;
};
}  // namespace

Outcome runAll(const Plan &plan)
{
    return Workers(plan).work();
}

std::string summaryOf(const Coverage &coverage)
{
    std::ostringstream text;
    text << "# simulated: " << coverage.runs << " runs, " << coverage.steps << " steps, "
         << coverage.requests << " requests, " << coverage.instances << " instances, "
         << coverage.allFaults() << " faults; the least of a run: " << coverage.leastSteps
         << " steps, " << coverage.leastRequests << " requests, " << coverage.leastFaults
         << " faults\n";
    forEachEdge([&](const core::Edge &edge, Status from) {
        text << "#   " << edgeName(edge, from) << " " << taken(coverage, edge, from) << "\n";
    });
    for (std::size_t fault = 0; fault < kFaults; ++fault)
    {
        text << "#   fault: " << name(static_cast<Fault>(fault)) << " " << coverage.faults[fault]
             << "\n";
    }
    text << "#   ended by the answer to another, after a reorg gave its id twice: "
         << coverage.crossed << "; timed out although answered, after a reorg: " << coverage.unheard
         << "\n";
    return text.str();
}

std::string whatNeverHappened(const Coverage &coverage)
{
    std::string missing;
    forEachEdge([&](const core::Edge &edge, Status from) {
        if (taken(coverage, edge, from) == 0)
        {
            missing += edgeName(edge, from) + "\n";
        }
    });
    for (std::size_t fault = 0; fault < kFaults; ++fault)
    {
        if (coverage.faults[fault] == 0)
        {
            missing += std::string(name(static_cast<Fault>(fault))) + "\n";
        }
    }
    return missing;
}
}  // namespace relayer::sim
