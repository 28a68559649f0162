#include "sim/process.h"

#include "core/overdue.h"
#include "sim/timing.h"

#include <algorithm>
#include <utility>

namespace relayer::sim
{
using core::Kind;

namespace
{
constexpr std::size_t kPage = 5;
constexpr Epoch kReplaced = -1;
constexpr core::TxQueue::Limits kQueueLimits{20, 64, 60};
constexpr Time kSecond = std::chrono::seconds(1);
}  // namespace

Process::Process(World &world, int name, int incarnation)
    : world_(world),
      name_(name),
      incarnation_(incarnation),
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
    enrol();
}

void Process::enrol()
{
    statement([&world = world_, name = name_] { return world.database().enrol(name); },
              [this](const Epoch *epoch) {
                  if (epoch == nullptr)
                  {
                      enrol();
                      return;
                  }
                  recovering_ = *epoch;
                  recover();
              });
}

// As plugins/startup_recovery.cc: before anybody learns of the new epoch.
void Process::recover()
{
    if (world_.mutation() == Mutation::ForgetReset)
    {
        giveBack(0);
        return;
    }
    statement([&world = world_,
               epoch = recovering_] { return world.database().recoverHeld(epoch, kPage); },
              [this](const std::size_t *rows) {
                  if (rows == nullptr || *rows == kPage)
                  {
                      recover();
                      return;
                  }
                  giveBack(0);
              });
}

void Process::giveBack(std::size_t which)
{
    if (which == core::kGivenBackByAStart.size())
    {
        world_.recovered(recovering_);
        epoch_ = recovering_;
        if (std::exchange(working_, true))
        {
            readiness_.belongToAnother();
            return;
        }
        work();
        return;
    }
    statement(
        [&world = world_, epoch = recovering_, which] {
            return world.database().giveBack(epoch, core::kGivenBackByAStart.at(which), kPage);
        },
        [this, which](const std::size_t *rows) {
            giveBack(rows == nullptr || *rows == kPage ? which : which + 1);
        });
}

void Process::work()
{
    each(timing::kBeat, [this] { keepAlive(); });
    each(timing::kEngineTick, [this] { engine_.tick(); });
    each(kSecond, [this] { engine_.measure(); });
    each(kSecond, [this] { readiness_.tick(); });
    each(kSecond, [this] { listener_.tick(); });
    each(kSecond, [this] { answers_.tick(); });
    each(timing::kSweep, [this] { sweep_.tick(); });
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
                      enrol();
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
    const std::int64_t lastTicket = world_.database().lastTicket();
    const auto walk = [lastTicket](const auto &line, std::size_t waiting) {
        std::optional<std::size_t> last;
        std::size_t known = 0;
        for (std::int64_t ticket = 1; ticket <= lastTicket && waiting > 0; ++ticket)
        {
            const auto position = line.position(ticket);
            require(!position || !last || *position == *last + 1,
                    "a position is not the count of those before it");
            known += position ? 1 : 0;
            last = position ? position : last;
        }
        require(!last || *last < waiting, "a position lies beyond the end of its line");
        require(known <= waiting, "more are known to wait than wait");
    };
    for (const Kind kind : core::kAllKinds)
    {
        walk(queue(kind), queue(kind).snapshot(now()).waiting);
        walk(readiness_.line(kind), readiness_.line(kind).waiting());
    }
}
}  // namespace relayer::sim
