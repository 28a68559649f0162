// One incarnation of an instance: what it has in memory, and with whom it talks. It dies at any
// event, and what it asked for may still happen.
//
// The parts do what the plugins of the same names do, with the decisions and queues of core/.
#pragma once

#include "core/tx_queue.h"
#include "sim/answers.h"
#include "sim/drain.h"
#include "sim/engine.h"
#include "sim/listener.h"
#include "sim/readiness.h"
#include "sim/startup.h"
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
    // It is asked to end, and works on for so long. False: it does already.
    bool drain(Time workFor);
    // A client posts. False: no place.
    using Accepted = std::function<void(bool)>;
    bool post(core::Kind kind, int content, Accepted accepted);
    void pushed(std::vector<Log> logs);

    // For its parts.
    World &world() { return world_; }
    [[nodiscard]] Time now() const { return world_.now(); }
    [[nodiscard]] int name() const { return name_; }
    [[nodiscard]] int incarnation() const { return incarnation_; }
    [[nodiscard]] Epoch epoch() const { return epoch_; }
    [[nodiscard]] bool works() const { return epoch_ > 0; }
    // The enrolment is written, and not yet published; 0: none.
    void enrolled(Epoch epoch) { enrolledAs_ = epoch; }
    [[nodiscard]] Epoch enrolledAs() const { return enrolledAs_; }
    void publish(Epoch epoch);
    [[nodiscard]] bool hasLeft() const;
    // From now on the epoch is nobody's here. False: what there is to hand over is not known yet.
    bool leaves();
    [[nodiscard]] bool sweeps() const { return sweep_.sweeping(); }
    [[nodiscard]] int lane() const { return name_ % world_.lanes(); }
    core::TxQueue &queue(core::Kind kind)
    {
        touchedQueues_[static_cast<std::size_t>(kind)] = true;
        return queues_[static_cast<std::size_t>(kind)];
    }
    [[nodiscard]] const core::TxQueue &seeQueue(core::Kind kind) const
    {
        return queues_[static_cast<std::size_t>(kind)];
    }
    Engine &engine() { return engine_; }
    Readiness &readiness() { return readiness_; }
    Answers &answers() { return answers_; }
    Listener &listener() { return listener_; }

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
    // Of each line that was touched since the last look: who is known stands in order, none twice,
    // and nobody is missing in between.
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
    Epoch enrolledAs_ = 0;
    Epoch epoch_ = 0;  // published: whoever works asks for it first
    std::vector<core::TxQueue> queues_;
    std::array<bool, core::kKinds> touchedQueues_{};
    Startup startup_;
    Drain drain_;
    Engine engine_;
    Readiness readiness_;
    Listener listener_;
    Answers answers_;
    Sweep sweep_;
};

// What begins when the engine rests comes to nothing (models::Gate).
template <typename Work, typename Then>
void Engine::statement(Work work, Then then)
{
    if (!resting_)
    {
        process_.statement(std::move(work), std::move(then));
        return;
    }
    using Result = std::invoke_result_t<Work>;
    process_.later(Time(0),
                   [then = std::move(then)] { then(static_cast<const Result *>(nullptr)); });
}

template <typename Work, typename Then>
void Engine::call(Work work, Then then)
{
    process_.call(std::move(work), std::move(then));
}
}  // namespace relayer::sim
