// Awaits a task and comes back to a loop: plain statements resume their caller on a loop of the
// database, while the state of a plugin belongs to its own. Nor may anything wait there for what is
// not that connection's: the loop ends when its client is replaced.
#pragma once

#include "models/calls_into_loops.h"

#include <drogon/utils/coroutine.h>
#include <trantor/net/EventLoop.h>

#include <coroutine>
#include <exception>
#include <optional>
#include <type_traits>
#include <utility>

namespace relayer::models
{
// co_await OnLoop(loop): what comes behind it runs there; without a loop, where it is.
class OnLoop
{
  public:
    explicit OnLoop(trantor::EventLoop *loop) : loop_(loop) {}

    [[nodiscard]] bool await_ready() const { return loop_ == nullptr || loop_->isInLoopThread(); }
    void await_suspend(std::coroutine_handle<> caller) const
    {
        CallsIntoLoops::call(loop_, [caller] { caller.resume(); });
    }
    void await_resume() const {}

  private:
    trantor::EventLoop *const loop_;
};

template <typename Value>
drogon::Task<Value> resumedOn(trantor::EventLoop *loop, drogon::Task<Value> task)
{
    std::exception_ptr error;
    std::conditional_t<std::is_void_v<Value>, std::optional<bool>, std::optional<Value>> value;
    try
    {
        if constexpr (std::is_void_v<Value>)
        {
            co_await task;
        }
        else
        {
            value.emplace(co_await task);
        }
    }
    catch (...)
    {
        error = std::current_exception();
    }
    const OnLoop there(loop);
    co_await there;
    if (error)
    {
        std::rethrow_exception(error);
    }
    if constexpr (!std::is_void_v<Value>)
    {
        co_return std::move(*value);
    }
}
}  // namespace relayer::models
