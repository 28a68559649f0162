// A place in a queue: given back when dropped, unless a request was accepted with it. Keeps the
// queues, so that it may outlive the plugin that has them.
//
// `Queues` has a giveUp(kind) for it, and takes it apart in its accept().
#pragma once

#include "core/lifecycle.h"

#include <memory>
#include <utility>

namespace relayer::plugins
{
template <typename Queues>
class QueueSlot
{
  public:
    QueueSlot(std::shared_ptr<Queues> queues, core::Kind kind)
        : queues_(std::move(queues)), kind_(kind)
    {}
    ~QueueSlot()
    {
        if (queues_)
        {
            queues_->giveUp(kind_);
        }
    }
    QueueSlot(QueueSlot &&other) noexcept = default;
    QueueSlot &operator=(QueueSlot &&other) = delete;
    QueueSlot(const QueueSlot &) = delete;
    QueueSlot &operator=(const QueueSlot &) = delete;

  private:
    friend Queues;
    std::shared_ptr<Queues> queues_;  // none: used
    core::Kind kind_;
};
}  // namespace relayer::plugins
