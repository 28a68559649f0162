// Where a coroutine may be resumed later: the loop of this thread, if it runs.
#pragma once

#include <trantor/net/EventLoop.h>

namespace relayer::models
{
// A thread may own a loop that it does not run (Drogon makes one for the main thread); what is
// queued there waits for ever.
[[nodiscard]] inline trantor::EventLoop *runningLoopOfThisThread()
{
    trantor::EventLoop *loop = trantor::EventLoop::getEventLoopOfCurrentThread();
    return loop != nullptr && loop->isRunning() ? loop : nullptr;
}
}  // namespace relayer::models
