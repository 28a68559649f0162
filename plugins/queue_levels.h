// What the database says of a queue, handed to who keeps its places: the smallest ticket, how many
// wait, and, when some of them came in elsewhere, which ones.
#pragma once

#include "core/lifecycle.h"
#include "models/request_store.h"
#include "plugins/resumed_on.h"

#include <drogon/utils/coroutine.h>
#include <trantor/net/EventLoop.h>

#include <memory>

namespace relayer::plugins
{
// Queues: TxQueues or ReadinessLines. Resumed on the loop. Throws StoreError.
template <typename Queues>
drogon::Task<models::QueueHead> levelFromDatabase(trantor::EventLoop *loop,
                                                  models::RequestStore *requests,
                                                  std::shared_ptr<Queues> queues, core::Kind kind,
                                                  core::Status status)
{
    const std::size_t capacity = queues->snapshot(kind).capacity;
    const models::QueueHead head =
        co_await resumedOn(loop, requests->queueHead(kind, status, capacity));
    queues->level(kind, head.ticket, head.waiting);
    if (queues->wantsList(kind))
    {
        const auto tickets =
            co_await resumedOn(loop, requests->queueTickets(kind, status, capacity));
        queues->list(kind, tickets);
    }
    co_return head;
}
}  // namespace relayer::plugins
