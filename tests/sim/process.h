// One incarnation of an instance: what it has in memory, and with whom it talks. It dies at any
// event, and what it asked for may still happen.
//
// The parts do what the plugins of the same names do, with the decisions and queues of core/.
#pragma once

#include "core/tx_queue.h"
#include "sim/answers.h"
#include "sim/engine.h"
#include "sim/listener.h"
#include "sim/readiness.h"
#include "sim/sweep.h"
#include "sim/world.h"

#include <array>
#include <functional>
#include <utility>
#include <vector>

namespace relayer::sim
{
class Process
{
  public:
    Process(World &world, int name, int incarnation);

    void start();
    void stallUntil(Time time) { stalledUntil_ = time; }
    // A client posts. False: no place.
    using Accepted = std::function<void(bool)>;
    bool post(core::Kind kind, int content, Accepted accepted);
    void pushed(std::vector<Log> logs);

    // For its parts.
    World &world() { return world_; }
    [[nodiscard]] Time now() const { return world_.now(); }
    [[nodiscard]] Epoch epoch() const { return epoch_; }
    [[nodiscard]] bool works() const { return epoch_ > 0; }
    [[nodiscard]] int lane() const { return name_ % world_.lanes(); }
    core::TxQueue &queue(core::Kind kind) { return queues_[static_cast<std::size_t>(kind)]; }
    Engine &engine() { return engine_; }
    Readiness &readiness() { return readiness_; }
    Answers &answers() { return answers_; }

    void later(Time delay, std::function<void()> what)
    {
        world_.after(delay, alive(std::move(what)));
    }
    template <typename Work, typename Then>
    void statement(Work work, Then then)
    {
        world_.statement(std::move(work), answered(std::move(then)));
    }
    template <typename Work, typename Then>
    void call(Work work, Then then)
    {
        world_.call(std::move(work), answered(std::move(then)));
    }
    // Of each queue: who is known stands in order, none twice, and nobody is missing in between.
    void checkPositions();

  private:
    // Runs while this incarnation lives, and not while it stands still.
    std::function<void()> alive(std::function<void()> what);
    template <typename Then>
    auto answered(Then then)
    {
        return [world = &world_, name = name_, incarnation = incarnation_,
                then = std::move(then)](auto *result) {
            Process *const process = world->process(name, incarnation);
            if (process == nullptr)
            {
                return;
            }
            if (process->stalledUntil_ > world->now())
            {
                using Result = std::remove_const_t<std::remove_pointer_t<decltype(result)>>;
                auto kept = result == nullptr ? nullptr : std::make_shared<Result>(*result);
                process->later(Time(0), [kept, then] { then(kept.get()); });
                return;
            }
            then(result);
        };
    }
    void enrol();
    void recover();
    void giveBack(std::size_t which);
    void work();
    void keepAlive();
    void waitForTheName();
    template <typename Tick>
    void each(Time interval, Tick tick)
    {
        later(world_.random().between(Time(1), interval),
              [this, interval, tick] { repeat(interval, tick); });
    }
    template <typename Tick>
    void repeat(Time interval, Tick tick)
    {
        if (works())
        {
            tick();
        }
        later(interval, [this, interval, tick] { repeat(interval, tick); });
    }

    World &world_;
    const int name_;
    const int incarnation_;
    Time stalledUntil_{0};
    bool working_ = false;
    Epoch recovering_ = 0;
    Epoch epoch_ = 0;  // published: whoever works asks for it first
    std::vector<core::TxQueue> queues_;
    Engine engine_;
    Readiness readiness_;
    Listener listener_;
    Answers answers_;
    Sweep sweep_;
};
}  // namespace relayer::sim
