#include "sim/drain.h"

#include "sim/process.h"
#include "sim/timing.h"

namespace relayer::sim
{
namespace
{
constexpr Time kEachLook = std::chrono::milliseconds(100);
constexpr Time kHandOverFor = std::chrono::seconds(2);
constexpr std::size_t kPage = 5;
}  // namespace

void Drain::begin(Time workFor)
{
    began_ = true;
    workUntil_ = process_.now() + workFor;
    end_ = workUntil_ + kHandOverFor;
    process_.readiness().drain();
    process_.engine().drain();
    look();
}

void Drain::look()
{
    const bool isDone =
        process_.engine().left() == 0 && process_.readiness().left() == 0 && !process_.sweeps();
    if (!isDone && process_.now() < workUntil_)
    {
        process_.later(kEachLook, [this] { look(); });
        return;
    }
    process_.engine().rest();
    handOver();
}

void Drain::handOver()
{
    if (process_.leaves())
    {
        free(LivePlace());
        return;
    }
    notHandedOver();
}

// Who can not hand over in time goes all the same; its leases run out.
void Drain::notHandedOver()
{
    if (process_.now() >= end_)
    {
        process_.world().drained(process_.name(), process_.incarnation());
        return;
    }
    process_.later(kEachLook * 2, [this] { handOver(); });
}

void Drain::free(LivePlace from)
{
    if (process_.enrolledAs() == 0)
    {
        process_.world().drained(process_.name(), process_.incarnation());
        return;
    }
    process_.statement([&world = process_.world(), epoch = process_.enrolledAs(),
                        from] { return world.database().freeAbandoned(epoch, from, kPage); },
                       [this](const Page *page) {
                           if (page == nullptr)
                           {
                               notHandedOver();
                               return;
                           }
                           page->next ? free(*page->next) : leave();
                       });
}

void Drain::leave()
{
    process_.statement(
        [&world = process_.world(), epoch = process_.enrolledAs()] {
            world.database().leave(epoch);
            return true;
        },
        [this](const bool *left) {
            if (left == nullptr)
            {
                notHandedOver();
                return;
            }
            process_.world().drained(process_.name(), process_.incarnation());
        });
}
}  // namespace relayer::sim
