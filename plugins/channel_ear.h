// Listens to one channel of notices, at the address where the database is written. To be told now
// and then that time goes by, since that address may change. Of one loop, which must outlive it.
#pragma once

#include "models/status_channel.h"

#include <drogon/orm/DbListener.h>
#include <trantor/net/EventLoop.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>

namespace relayer::plugins
{
class ChannelEar
{
  public:
    using Hear = std::function<void(const std::string &notice)>;

    // Weak: the store waits for those who hold its channels.
    ChannelEar(trantor::EventLoop *loop, const std::shared_ptr<models::StatusChannel> &channel,
               Hear hear)
        : loop_(loop), channel_(channel), hear_(std::move(hear))
    {
        listen(*channel, channel->address());
    }

    void tick()
    {
        const auto channel = channel_.lock();
        if (channel && channel->address() != listeningAt_)
        {
            listen(*channel, channel->address());
        }
    }

  private:
    void listen(const models::StatusChannel &channel, std::size_t address)
    {
        if (listener_)
        {
            loop_->queueInLoop([old = std::move(listener_)] {});
        }
        listeningAt_ = address;
        listener_ = channel.listen(loop_, address, hear_);
    }

    trantor::EventLoop *const loop_;
    const std::weak_ptr<models::StatusChannel> channel_;
    const Hear hear_;
    drogon::orm::DbListenerPtr listener_;
    std::size_t listeningAt_ = 0;
};
}  // namespace relayer::plugins
