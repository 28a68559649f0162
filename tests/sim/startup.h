// How an instance begins (plugins/store.cc, startup_recovery.cc): what its predecessor held is
// freed page by page while the database still knows that epoch, then the name is taken, then what
// came over with it is looked at; only then anybody learns of the epoch. What comes to nothing
// begins from the front with the next heartbeat.
#pragma once

#include "sim/fake_database.h"
#include "sim/types.h"

#include <functional>
#include <memory>

namespace relayer::sim
{
class Process;

class Startup
{
  public:
    explicit Startup(Process &process) : process_(process) {}

    void begin();

  private:
    struct Walk
    {
        Epoch epoch = 0;
        std::size_t stage = 0;
        LivePlace from;
        std::function<void()> then;
    };
    using WalkPtr = std::shared_ptr<Walk>;

    void recover(Epoch epoch, std::function<void()> then);
    void walk(const WalkPtr &way);
    void enrol();
    void again();
    void freeLeftovers(Epoch predecessor, LivePlace from);

    Process &process_;
};
}  // namespace relayer::sim
