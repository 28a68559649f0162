// The orderly stop. The host of the module begins it when it is told to stop, and quits when it is
// done:
//
//     { "name": "relayer::plugins::Drain",
//       "dependencies": ["relayer::plugins::Settings", "relayer::plugins::Store",
//           "relayer::plugins::Sweeper", "relayer::plugins::StatusWatch",
//           "relayer::plugins::TxThrottler", "relayer::plugins::ReadinessGate",
//           "relayer::plugins::TxEngine"] }
//
//     app().getSharedPlugin<Drain>()->begin([](const Drain::Outcome &) { app().quit(); });
//
// An application that embeds the module calls relayer::Module::drain() instead: there no plugin has
// this name, and this header is not installed.
//
// From then on /healthz says 503, and every answer asks its client to close the connection.
// Requests are taken in and polls answered as before: what comes in now is another instance's, or
// that of the next start. The steps, in drain.cc: who waits for a job is answered, nothing new is
// claimed, what is not signed is given back, what is signed is sent and looked for; then rows,
// lanes, duties and the heartbeat are handed over; then the requests under way are answered.
//
// It ends by `instance.drain_deadline` in any case. What is left then stands in the database, as
// after a kill -9. This plugin never quits: that is the host's to do.
#pragma once

#include "plugins/counted.h"
#include "plugins/drain_run.h"

#include <drogon/plugins/Plugin.h>
#include <drogon/utils/coroutine.h>
#include <trantor/net/EventLoop.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace relayer::plugins
{
class Store;

class Drain : public drogon::Plugin<Drain>
{
  public:
    struct Outcome
    {
        bool complete = false;
        std::string left;  // "transactions=3": stages and how much was left in them; or "nothing"
    };
    using Done = std::function<void(const Outcome &)>;
    using Progress = std::function<void(const std::string &left)>;

    void initAndStart(const Json::Value &config) override;
    void shutdown() override;

    // On any thread. `done` is called once, on Drogon's main loop, at the latest at the deadline;
    // `progress` there, too, whenever what is left has changed. Only the first call counts.
    void begin(Done done, Progress progress = nullptr);

    // What an operator's wish to stop this instance leads to: the host of the module sets it, to
    // what it does when it is told to stop. Without it only begin() is called, and the application
    // stays. To be set before Drogon's loop runs.
    void whenAsked(std::function<void()> stop) { stop_ = std::move(stop); }
    // On any thread.
    void ask();

    // Any thread, from initAndStart on.
    [[nodiscard]] bool draining() const { return *draining_; }
    // What comes in from here on can not be answered any more.
    [[nodiscard]] bool over() const { return over_; }
    [[nodiscard]] std::chrono::milliseconds deadline() const { return deadline_; }
    // To be held while a request is being answered.
    [[nodiscard]] Counted request() const { return Counted(requests_); }

  private:
    // Hands over what is ours until it is done.
    struct HandOver
    {
        bool trying = false;
        bool done = false;
        DrainRun::TimePoint again;
    };
    static drogon::AsyncTask handOver(std::shared_ptr<Store> store,
                                      std::shared_ptr<HandOver> state);

    void run();
    void look();
    [[nodiscard]] std::vector<DrainRun::Step> steps(DrainRun::TimePoint begin);

    // constant after initAndStart
    std::chrono::milliseconds deadline_{0};
    std::chrono::milliseconds pause_{0};
    const Count requests_ = newCount();
    std::function<void()> stop_;

    // Shared with the advice, which outlives this.
    const std::shared_ptr<std::atomic<bool>> draining_ = std::make_shared<std::atomic<bool>>(false);

    std::atomic<bool> over_{false};

    // of the main loop, once it drains
    Done done_;
    Progress progress_;
    std::string told_;
    std::unique_ptr<DrainRun> run_;
    std::shared_ptr<HandOver> handOver_ = std::make_shared<HandOver>();
    trantor::TimerId timer_ = trantor::InvalidTimerId;
};
}  // namespace relayer::plugins
