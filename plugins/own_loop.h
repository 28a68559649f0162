// An event loop on a thread of its own, for a plugin whose state belongs to that loop.
#pragma once

#include <trantor/net/EventLoopThread.h>

#include <functional>
#include <future>
#include <memory>
#include <string>

namespace relayer::plugins
{
class OwnLoop
{
  public:
    explicit OwnLoop(const std::string &name) : thread_(name) { thread_.run(); }

    [[nodiscard]] trantor::EventLoop *get() const { return thread_.getLoop(); }

    // Work that is done on the loop when this returns. For a plugin's start and stop, which are on
    // the main thread; never from the loop itself.
    void run(const std::function<void()> &work)
    {
        // Shared, because the loop is still inside of set_value() when the main thread goes on.
        using Promise = std::promise<void>;  // tidy: allow blocking: main waits, and runs no loop
        const auto done = std::make_shared<Promise>();
        get()->runInLoop([&work, done] {
            work();
            done->set_value();
        });
        done->get_future().wait();  // tidy: allow blocking: as above
    }

  private:
    trantor::EventLoopThread thread_;
};
}  // namespace relayer::plugins
