// An event loop on a thread of its own, for a plugin whose state belongs to that loop.
#pragma once

#include <trantor/net/EventLoop.h>

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace relayer::plugins
{
class OwnLoop
{
  public:
    // How long a plugin that is shut down waits for calls that are on their way.
    static constexpr std::chrono::milliseconds kLastAnswers{3000};

    explicit OwnLoop(const std::string &name);
    // To be called when nothing waits on it any more. Waits for those who were just calling into
    // it.
    ~OwnLoop();
    OwnLoop(const OwnLoop &) = delete;
    OwnLoop &operator=(const OwnLoop &) = delete;

    [[nodiscard]] trantor::EventLoop *get() const { return loop_.get(); }

    // Work that is done on the loop when this returns. For a plugin's start and stop, which are on
    // the main thread; never from the loop itself.
    void run(const std::function<void()> &work);

    // Calls this for each loop that there is; none of them goes meanwhile. Any thread.
    using Visit = std::function<void(const std::string &name, trantor::EventLoop *loop)>;
    static void each(const Visit &visit);

  private:
    const std::string name_;
    // Not trantor's EventLoopThread, so that the thread sanitizer looks at how ours end
    // (tests/tsan.supp). Shared with the thread: whoever tells the loop to end still touches it.
    std::shared_ptr<trantor::EventLoop> loop_;
    std::thread thread_;
};

// The end of a plugin whose calls did not come back by then: what they would come back to stays, as
// it is, until the process ends. What lives on a loop goes with it, or it would be dropped off its
// loop. No loop: the work is on those of others.
void keepForGood(std::unique_ptr<OwnLoop> loop, std::vector<std::shared_ptr<void>> work);
}  // namespace relayer::plugins
