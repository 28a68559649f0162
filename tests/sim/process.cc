#include "sim/process.h"

#include "sim/timing.h"

#include <algorithm>
#include <utility>

namespace relayer::sim
{
using core::Kind;

namespace
{
constexpr Epoch kReplaced = -1;
constexpr Epoch kLeft = -2;
constexpr core::TxQueue::Limits kQueueLimits{20, 64, 60};
constexpr Time kSecond = std::chrono::seconds(1);
}  // namespace

Process::Process(World &world, int name, int incarnation)
    : world_(world),
      name_(name),
      incarnation_(incarnation),
      startup_(*this),
      drain_(*this),
      engine_(*this),
      readiness_(*this),
      listener_(*this),
      answers_(*this),
      sweep_(*this)
{
    for (std::size_t kind = 0; kind < core::kKinds; ++kind)
    {
        queues_.emplace_back(kQueueLimits, world.now());
    }
}

std::function<void()> Process::alive(std::function<void()> what)
{
    return [world = &world_, name = name_, incarnation = incarnation_, what = std::move(what)] {
        Process *const process = world->process(name, incarnation);
        if (process == nullptr)
        {
            return;
        }
        if (process->stalledUntil_ > world->now())
        {
            world->after(process->stalledUntil_ - world->now(), process->alive(what));
            return;
        }
        what();
    };
}

void Process::start()
{
    startup_.begin();
}

void Process::publish(Epoch epoch)
{
    if (hasLeft())
    {
        return;
    }
    world_.recovered(epoch);
    epoch_ = epoch;
    if (std::exchange(working_, true))
    {
        readiness_.belongToAnother();
        return;
    }
    work();
}

bool Process::hasLeft() const
{
    return epoch_ == kLeft;
}

bool Process::drain(Time workFor)
{
    if (drain_.began())
    {
        return false;
    }
    alive([this, workFor] { drain_.begin(workFor); })();
    return true;
}

// As Store::leave. Who has our name has all that was ours.
bool Process::leaves()
{
    if (std::exchange(epoch_, kLeft) == kReplaced)
    {
        enrolledAs_ = 0;
        return true;
    }
    return enrolledAs_ != 0;
}

void Process::work()
{
    each(timing::kBeat, [this] { keepAlive(); });
    each(timing::kEngineTick, [this] { engine_.tick(); });
    each(kSecond, [this] { engine_.measure(); });
    each(kSecond, [this] { readiness_.tick(); });
    each(kSecond, [this] { listener_.tick(); });
    each(kSecond, [this] { answers_.tick(); });
    each(timing::kSweep, [this] {
        if (!drain_.began())
        {
            sweep_.tick();
        }
    });
}

// An enrolment that was given up and happens late takes the name away from the one that works. It
// stops, with an alert, until whoever has the name is silent. (Here that is nobody who lives.)
void Process::keepAlive()
{
    statement([&world = world_, epoch = epoch_] { return world.database().beat(epoch); },
              [this](const bool *enrolled) {
                  if (enrolled != nullptr && !*enrolled && works())
                  {
                      epoch_ = kReplaced;
                      engine_.belongToNobody();
                      world_.had(Fault::Replaced);
                      waitForTheName();
                  }
              });
}

void Process::waitForTheName()
{
    statement([&world = world_,
               name = name_] { return world.database().isSilent(name, timing::kInstanceLease); },
              [this](const bool *silent) {
                  if (silent != nullptr && *silent)
                  {
                      startup_.begin();
                      return;
                  }
                  later(timing::kBeat, [this] { waitForTheName(); });
              });
}

bool Process::post(Kind kind, int content, Accepted accepted)
{
    const bool waitsForTheChain = core::initialStatus(kind) == core::Status::Processing;
    const bool place = waitsForTheChain
                           ? queue(kind).reserve(core::TxQueue::Place::New)
                           : readiness_.line(kind).reserve(core::WaitingLine::Place::New);
    if (!place)
    {
        return false;
    }
    statement([&world = world_, kind, content] { return world.database().admit(kind, content); },
              [this, kind, waitsForTheChain,
               accepted = std::move(accepted)](const FakeDatabase::Admission *admission) {
                  core::WaitingLine &line = readiness_.line(kind);
                  const bool fresh = admission != nullptr && admission->fresh;
                  if (waitsForTheChain)
                  {
                      fresh ? queue(kind).accept(admission->ticket) : queue(kind).giveUp();
                  }
                  else if (fresh)
                  {
                      line.accept(admission->ticket);
                  }
                  else
                  {
                      line.giveUp();
                  }
                  accepted(admission != nullptr);
              });
    return true;
}

void Process::pushed(std::vector<Log> logs)
{
    if (works())
    {
        alive([this, logs = std::move(logs)] { listener_.pushed(logs); })();
    }
}

void Process::checkPositions()
{
    // From the newest back to the one at the head.
    const auto walk = [newest = world_.database().lastTicket()](const auto &line) {
        const std::size_t waiting = line.waiting();
        std::optional<std::size_t> last;
        std::size_t known = 0;
        for (std::int64_t ticket = newest; ticket > 0 && waiting > 0 && last != 0U; --ticket)
        {
            const auto position = line.position(ticket);
            require(!position || *position < waiting, "a position lies beyond the end of its line");
            require(!position || !last || *position + 1 == *last,
                    "a position is not the count of those before it");
            known += position ? 1 : 0;
            last = position ? position : last;
        }
        require(known <= waiting, "more are known to wait than wait");
    };
    for (const Kind kind : core::kAllKinds)
    {
        if (std::exchange(touchedQueues_[static_cast<std::size_t>(kind)], false))
        {
            walk(seeQueue(kind));
        }
        if (readiness_.wasTouched(kind))
        {
            walk(readiness_.seeLine(kind));
        }
    }
}
}  // namespace relayer::sim
