#include "plugins/own_loop.h"

#include "models/calls_into_loops.h"

#include <algorithm>
#include <future>
#include <iterator>
#include <memory>
#include <mutex>
#include <sys/prctl.h>
#include <utility>
#include <vector>

namespace relayer::plugins
{
namespace
{
struct Loops
{
    std::mutex mutex;
    std::vector<const OwnLoop *> all;
};

Loops &loops()
{
    // Never destroyed: loops that could not be ended are there until the process is not.
    static auto *const kept = new Loops();
    return *kept;
}

struct Kept
{
    std::mutex mutex;
    std::vector<std::unique_ptr<OwnLoop>> loops;
    std::vector<std::shared_ptr<void>> work;
};
}  // namespace

OwnLoop::OwnLoop(const std::string &name) : name_(name)
{
    // Shared, because the loop is still inside of set_value() when who waits for it goes on.
    using Promise =
        std::promise<std::shared_ptr<trantor::EventLoop>>;  // tidy: allow blocking: main
    const auto made = std::make_shared<Promise>();
    thread_ = std::thread([made, name] {
        prctl(PR_SET_NAME, name.c_str());
        const auto mine = std::make_shared<trantor::EventLoop>();
        mine->queueInLoop([made, mine] { made->set_value(mine); });
        mine->loop();
    });
    loop_ = made->get_future().get();  // tidy: allow blocking: main waits, and runs no loop
    const std::lock_guard lock(loops().mutex);
    loops().all.push_back(this);
}

OwnLoop::~OwnLoop()
{
    {
        const std::lock_guard lock(loops().mutex);
        std::erase(loops().all, this);
    }
    models::CallsIntoLoops::waitUntilOut();
    loop_->quit();
    thread_.join();
}

void OwnLoop::run(const std::function<void()> &work)
{
    // Shared, as above.
    using Promise = std::promise<void>;  // tidy: allow blocking: main waits, and runs no loop
    const auto done = std::make_shared<Promise>();
    get()->runInLoop([&work, done] {
        work();
        done->set_value();
    });
    done->get_future().wait();  // tidy: allow blocking: as above
}

void OwnLoop::each(const Visit &visit)
{
    const std::lock_guard lock(loops().mutex);
    for (const OwnLoop *each : loops().all)
    {
        visit(each->name_, each->get());
    }
}

void keepForGood(std::unique_ptr<OwnLoop> loop, std::vector<std::shared_ptr<void>> work)
{
    static auto *const kept = new Kept();
    const std::lock_guard lock(kept->mutex);
    std::ranges::move(work, std::back_inserter(kept->work));
    if (loop)
    {
        kept->loops.push_back(std::move(loop));
    }
}
}  // namespace relayer::plugins
