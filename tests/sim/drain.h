// How an instance ends when it is asked to (plugins/drain.cc, Store::leave): it takes nothing more,
// gives back what it has claimed and not signed, carries on what is on its way for a while, then
// hands over all it holds, and its lane, and goes.
#pragma once

#include "sim/fake_database.h"
#include "sim/types.h"

namespace relayer::sim
{
class Process;

class Drain
{
  public:
    explicit Drain(Process &process) : process_(process) {}

    void begin(Time workFor);
    [[nodiscard]] bool began() const { return began_; }

  private:
    void look();
    void handOver();
    void free(LivePlace from);
    void leave();
    void notHandedOver();

    Process &process_;
    bool began_ = false;
    Time workUntil_{0};
    Time end_{0};
};
}  // namespace relayer::sim
