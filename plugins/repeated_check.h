// Whether something that we need is there, asked again and again in the background, so that whoever
// wants to know need not wait.
//
// Works on its loop. ok() may be asked by any thread.
#pragma once

#include "models/gate.h"

#include <drogon/utils/coroutine.h>
#include <trantor/net/EventLoop.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>

namespace relayer::plugins
{
class RepeatedCheck : public std::enable_shared_from_this<RepeatedCheck>
{
  public:
    // Asked each interval, and sooner after a no. Comes back on the loop, within a bounded time.
    // What it throws is an RpcError, and means no.
    using Ask = std::function<drogon::Task<bool>()>;

    RepeatedCheck(trantor::EventLoop *loop, std::string name, std::chrono::milliseconds interval,
                  Ask ask)
        : loop_(loop), name_(std::move(name)), interval_(interval), ask_(std::move(ask))
    {}

    [[nodiscard]] const std::string &name() const { return name_; }
    // What was found last; before that, no.
    [[nodiscard]] bool ok() const { return ok_; }

    // On the loop.
    void start();
    void stop();
    // Not on the loop, after stop(): whether what was under way has ended.
    [[nodiscard]] bool ended(std::chrono::milliseconds atMost);
    // On the loop, when all has ended: what the question holds goes.
    void letGo() { ask_ = nullptr; }

  private:
    static drogon::AsyncTask run(std::shared_ptr<RepeatedCheck> self);
    void found(bool ok);
    [[nodiscard]] std::chrono::milliseconds untilNext(bool ok);

    trantor::EventLoop *const loop_;
    const std::string name_;
    const std::chrono::milliseconds interval_;
    Ask ask_;
    models::Gate gate_;
    std::atomic<bool> ok_{false};

    // Of the loop.
    std::uint64_t noes_ = 0;  // in a row
    bool stopped_ = false;
    trantor::TimerId timer_ = 0;
};
}  // namespace relayer::plugins
