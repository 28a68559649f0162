// One at a time: who awaits a turn goes on when all who came before have dropped theirs.
//
//     Turn turn(loop, line);
//     co_await turn;
//
// All of a line on one loop.
#pragma once

#include <trantor/net/EventLoop.h>

#include <coroutine>
#include <deque>
#include <memory>
#include <utility>

namespace relayer::plugins
{
class Turn
{
  public:
    struct Line
    {
        bool busy = false;
        std::deque<std::coroutine_handle<>> waiting;
    };

    Turn(trantor::EventLoop *loop, std::shared_ptr<Line> line) : loop_(loop), line_(std::move(line))
    {}
    Turn(const Turn &) = delete;
    Turn &operator=(const Turn &) = delete;
    ~Turn()
    {
        if (!asked_)
        {
            return;
        }
        line_->busy = !line_->waiting.empty();
        if (line_->busy)
        {
            const auto next = line_->waiting.front();
            line_->waiting.pop_front();
            loop_->queueInLoop([next] { next.resume(); });
        }
    }

    [[nodiscard]] bool await_ready()
    {
        asked_ = true;
        return !std::exchange(line_->busy, true);
    }
    void await_suspend(std::coroutine_handle<> caller) { line_->waiting.push_back(caller); }
    void await_resume() const {}

  private:
    trantor::EventLoop *const loop_;
    const std::shared_ptr<Line> line_;
    bool asked_ = false;
};
}  // namespace relayer::plugins
