// Whether loops turn: each is asked to answer, and has until the next question. For whoever tells a
// service manager that we are alive; asks nobody by itself. To be used from one thread.
#pragma once

#include "plugins/own_loop.h"

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace relayer::plugins
{
class LoopPulse
{
  public:
    // Calls its argument for each of the loops, none of which goes meanwhile.
    using Loops = std::function<void(const OwnLoop::Visit &)>;
    explicit LoopPulse(Loops loops) : loops_(std::move(loops)) {}

    // Drogon's main loop, those of HTTP, and those of the plugins. Not while Drogon quits.
    static void eachOfTheProgram(const OwnLoop::Visit &visit);

    // The loops that have not answered since the last call; all are asked anew. The first call
    // finds none.
    [[nodiscard]] std::vector<std::string> silent();

  private:
    struct Asked
    {
        std::string name;
        std::shared_ptr<std::atomic<bool>> answered;
    };

    const Loops loops_;
    std::vector<Asked> asked_;
};
}  // namespace relayer::plugins
