// How late event loops come to what they are given: each is given something once a second, and says
// when it got to it. Asked on Drogon's main loop; counts are written on the loops. Shared with what
// waits on them.
#pragma once

#include "plugins/metric_families.h"
#include "plugins/own_loop.h"

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>

namespace relayer::plugins
{
class LoopLag : public std::enable_shared_from_this<LoopLag>
{
  public:
    LoopLag();

    // As LoopPulse asks them.
    using Loops = std::function<void(const OwnLoop::Visit &)>;
    void ask(const Loops &loops);
    void write(MetricsText &text) const { lag_.write(text); }

  private:
    HistogramFamily lag_;
};
}  // namespace relayer::plugins
