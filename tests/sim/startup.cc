#include "sim/startup.h"

#include "core/overdue.h"
#include "sim/process.h"
#include "sim/timing.h"

#include <utility>

namespace relayer::sim
{
using core::Status;

namespace
{
constexpr std::size_t kPage = 5;

// What was in flight, who waits for answers whoever has it, and the rest.
constexpr std::size_t kReset = 0;
constexpr std::size_t kLetGo = 1;
constexpr std::size_t kFirstGivenBack = 2;
constexpr std::size_t kStages = kFirstGivenBack + core::kGivenBackByAStart.size();

Page pageOf(FakeDatabase &database, std::size_t stage, Epoch epoch, LivePlace from)
{
    switch (stage)
    {
        case kReset: return database.recoverHeld(epoch, from, kPage);
        case kLetGo: return database.release(epoch, Status::ReceiptReceived, from, kPage);
        default:
            return database.release(epoch, core::kGivenBackByAStart.at(stage - kFirstGivenBack),
                                    from, kPage);
    }
}
}  // namespace

void Startup::again()
{
    process_.later(timing::kBeat, [this] { begin(); });
}

void Startup::begin()
{
    if (process_.hasLeft())
    {
        return;
    }
    process_.statement([&world = process_.world(),
                        name = process_.name()] { return world.database().lastEpochOf(name); },
                       [this](const std::optional<Epoch> *last) {
                           if (last == nullptr)
                           {
                               again();
                               return;
                           }
                           if (*last)
                           {
                               recover(**last, [this] { enrol(); });
                               return;
                           }
                           enrol();
                       });
}

void Startup::recover(Epoch epoch, std::function<void()> then)
{
    auto way = std::make_shared<Walk>();
    way->epoch = epoch;
    way->then = std::move(then);
    way->stage = process_.world().mutation() == Mutation::ForgetReset ? kLetGo : kReset;
    walk(way);
}

void Startup::walk(const WalkPtr &way)
{
    if (way->stage == kStages)
    {
        way->then();
        return;
    }
    process_.statement([&world = process_.world(), stage = way->stage, epoch = way->epoch,
                        from = way->from] { return pageOf(world.database(), stage, epoch, from); },
                       [this, way](const Page *page) {
                           if (page == nullptr)
                           {
                               again();
                               return;
                           }
                           way->stage += page->next ? 0 : 1;
                           way->from = page->next.value_or(LivePlace());
                           walk(way);
                       });
}

void Startup::enrol()
{
    process_.statement([&world = process_.world(),
                        name = process_.name()] { return world.database().enrol(name); },
                       [this](const Enrolment *enrolment) {
                           if (enrolment == nullptr)
                           {
                               again();
                               return;
                           }
                           process_.enrolled(enrolment->epoch);
                           if (const auto predecessor = enrolment->previous)
                           {
                               process_.later(timing::kInstanceLease, [this, epoch = *predecessor] {
                                   freeLeftovers(epoch, LivePlace());
                               });
                           }
                           recover(enrolment->epoch,
                                   [this, epoch = enrolment->epoch] { process_.publish(epoch); });
                       });
}

// A claim of the predecessor that was late, and came behind all that.
void Startup::freeLeftovers(Epoch predecessor, LivePlace from)
{
    process_.statement([&world = process_.world(), predecessor,
                        from] { return world.database().freeAbandoned(predecessor, from, kPage); },
                       [this, predecessor](const Page *page) {
                           if (page == nullptr)
                           {
                               process_.later(timing::kTryAgain, [this, predecessor] {
                                   freeLeftovers(predecessor, LivePlace());
                               });
                           }
                           else if (page->next)
                           {
                               freeLeftovers(predecessor, *page->next);
                           }
                       });
}
}  // namespace relayer::sim
