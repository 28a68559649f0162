// What TxEngine is measured against: a loop that asks the same node for the same things, with as
// many requests at a time, and remembers nothing.
#pragma once

#include "bench/bare_sender.h"

#include <future>

namespace relayer::bench
{
class BareLoop
{
  public:
    BareLoop(chain::rpc::NodeOptions node, std::shared_ptr<const chain::Signer> signer,
             plugins::TxOptions options, std::size_t window)
        : window_(window), sender_(std::move(node), std::move(signer), std::move(options))
    {}

    // Seconds from the first estimate to the last receipt. Throws when a transaction failed.
    double run(std::vector<GatewayCall> calls)
    {
        calls_ = std::move(calls);
        next_ = 0;
        error_.clear();
        std::promise<void> done;
        done_ = &done;
        const auto start = Clock::now();
        sender_.loop()->queueInLoop([this] { begin(this); });
        done.get_future().wait();
        const double seconds = secondsSince(start);
        if (!error_.empty())
        {
            throw std::runtime_error("the bare loop: " + error_);
        }
        return seconds;
    }

  private:
    static drogon::AsyncTask begin(BareLoop *self)
    {
        try
        {
            co_await self->sender_.begin();
        }
        catch (const chain::rpc::RpcError &error)
        {
            self->error_ = error.what();
            self->done_->set_value();
            co_return;
        }
        self->working_ = self->window_;
        for (std::size_t i = 0; i < self->window_; ++i)
        {
            work(self);
        }
    }

    static drogon::AsyncTask work(BareLoop *self)
    {
        try
        {
            while (self->next_ < self->calls_.size() && self->error_.empty())
            {
                GatewayCall call = self->calls_[self->next_++];
                co_await self->sender_.send(std::move(call));
            }
        }
        catch (const std::exception &error)
        {
            self->error_ = error.what();
        }
        if (--self->working_ == 0)
        {
            self->done_->set_value();
        }
    }

    const std::size_t window_;

    // of a run, on the loop
    std::vector<GatewayCall> calls_;
    std::size_t next_ = 0;
    std::size_t working_ = 0;
    std::string error_;
    std::promise<void> *done_ = nullptr;

    BareSender sender_;  // last: its loop uses all of the above
};
}  // namespace relayer::bench
