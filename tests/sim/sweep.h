// What an instance does for all of them when it has the duty to (plugins/sweep_pass.h).
#pragma once

#include "core/adaptive_batch.h"
#include "sim/fake_database.h"
#include "sim/types.h"

#include <cstddef>
#include <set>
#include <vector>

namespace relayer::sim
{
class Process;

class Sweep
{
  public:
    explicit Sweep(Process &process);

    void tick();
    [[nodiscard]] bool sweeping() const { return sweeping_; }

  private:
    void takeOver(std::vector<Epoch> silent, LivePlace from);
    void endOverdue(std::size_t which);
    void over(bool went);

    Process &process_;
    core::AdaptiveBatch batch_;
    bool sweeping_ = false;
    int untilSearch_ = 0;
    bool silenceMeansNoAnswer_ = false;
    std::set<Epoch> emptied_;  // since the last search
};
}  // namespace relayer::sim
