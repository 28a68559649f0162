// Calls into a loop from other threads, and the end of a loop. trantor wakes a loop after it has
// queued the call: the loop may have run it by then, whoever waited for that may end the loop, and
// the caller would write to a descriptor that is closed or, worse, somebody else's by now. So who
// calls into a loop that may end does it in here, and who ends one waits for those first. Any
// thread.
#pragma once

#include <trantor/net/EventLoop.h>

#include <functional>
#include <mutex>
#include <shared_mutex>
#include <utility>

namespace relayer::models
{
class CallsIntoLoops
{
  public:
    static void call(trantor::EventLoop *loop, std::function<void()> work)
    {
        const std::shared_lock inside(callers());
        loop->queueInLoop(std::move(work));
    }

    // Back when all are out who have called so far. What they called has run before, or never will.
    static void waitUntilOut() { const std::unique_lock all(callers()); }

  private:
    static std::shared_mutex &callers()
    {
        static std::shared_mutex mutex;
        return mutex;
    }
};
}  // namespace relayer::models
