// Runs a coroutine from a test's thread and waits for its value.
#pragma once

#include <drogon/utils/coroutine.h>
#include <trantor/net/EventLoop.h>

#include <future>
#include <memory>
#include <utility>

namespace relayer::test
{
template <typename Value>
drogon::AsyncTask deliver(drogon::Task<Value> task, std::shared_ptr<std::promise<Value>> promise)
{
    try
    {
        if constexpr (std::is_void_v<Value>)
        {
            co_await task;
            promise->set_value();
        }
        else
        {
            promise->set_value(co_await task);
        }
    }
    catch (...)
    {
        promise->set_exception(std::current_exception());
    }
}

// Starts it now; the value comes through the future.
template <typename Value>
std::future<Value> start(drogon::Task<Value> task)
{
    auto promise = std::make_shared<std::promise<Value>>();
    auto future = promise->get_future();
    deliver(std::move(task), promise);
    return future;
}

template <typename Value>
Value await(drogon::Task<Value> task)
{
    return start(std::move(task)).get();
}

template <typename Value>
drogon::Task<Value> startedOn(trantor::EventLoop *loop, drogon::Task<Value> work)
{
    co_await drogon::switchThreadCoro(loop);
    co_return co_await work;
}

// The same, run on that loop.
template <typename Value>
Value awaitOn(trantor::EventLoop *loop, drogon::Task<Value> work)
{
    return await(startedOn(loop, std::move(work)));
}
}  // namespace relayer::test
