#include "sim/answers.h"

#include "core/attempt_steps.h"
#include "sim/process.h"
#include "sim/timing.h"

#include <algorithm>

namespace relayer::sim
{
using core::Kind;

void Answers::tick()
{
    wake();
    for (const Kind kind : core::kAllKinds)
    {
        settleWaiting(kind);
    }
}

void Answers::wake()
{
    if (passing_)
    {
        again_ = true;
        return;
    }
    pass();
}

void Answers::pass()
{
    passing_ = true;
    again_ = false;
    World &world = process_.world();
    process_.statement([&world] { return world.database().pending(); },
                       [this](const std::vector<PendingEvent> *events) {
                           if (events == nullptr || events->empty())
                           {
                               passed();
                               return;
                           }
                           auto page = std::make_shared<Page>();
                           page->events = *events;
                           noteRequests(page);
                       });
}

void Answers::passed()
{
    passing_ = false;
    if (again_)
    {
        pass();
    }
}

// One by one, in their order: of two for one transaction the later one holds.
void Answers::noteRequests(const PagePtr &page)
{
    while (page->next < page->events.size())
    {
        const PendingEvent &pending = page->events[page->next++];
        if (!pending.event.log.request)
        {
            continue;
        }
        switch (core::meaningOfRequestEvent(pending.status))
        {
            case core::RequestEventMeans::LookForReceipt:
                process_.engine().lookFor(pending.event.log.txHash);
                break;
            case core::RequestEventMeans::Nothing: break;
            case core::RequestEventMeans::CompareReceipts: compareReceipts(page, pending); return;
        }
        page->done.push_back(pending.event.id);
    }
    keepAll(page);
}

void Answers::compareReceipts(const PagePtr &page, const PendingEvent &pending)
{
    World &world = process_.world();
    process_.statement(
        [&world, log = pending.event.log] {
            return world.database().rowOf(log.kind, log.gatewayId);
        },
        [this, page, pending](const std::optional<Row> *row) {
            if (row == nullptr)
            {
                noteRequests(page);
                return;
            }
            if (*row && (*row)->id == pending.request && (*row)->txHash == pending.event.log.txHash)
            {
                page->done.push_back(pending.event.id);  // what the receipt said
                noteRequests(page);
                return;
            }
            replaceReceipt(page, pending);
        });
}

void Answers::replaceReceipt(const PagePtr &page, const PendingEvent &pending)
{
    World &world = process_.world();
    process_.statement(
        [&world, request = pending.request, log = pending.event.log] {
            return world.database().replaceReceipt(request, log.txHash, log.gatewayId);
        },
        [this, &world, page, pending](const bool *replaced) {
            if (replaced == nullptr || !*replaced)
            {
                if (replaced != nullptr)
                {
                    page->done.push_back(pending.event.id);
                }
                noteRequests(page);
                return;
            }
            process_.statement(
                [&world, log = pending.event.log] {
                    return world.database().settle(log.kind, log.gatewayId).has_value();
                },
                [this, page, id = pending.event.id](const bool *settled) {
                    if (settled != nullptr)
                    {
                        page->done.push_back(id);
                    }
                    noteRequests(page);
                });
        });
}

void Answers::keepAll(const PagePtr &page)
{
    page->underWay = 1;
    for (const PendingEvent &pending : page->events)
    {
        if (!pending.event.log.request)
        {
            ++page->underWay;
            keep(page, pending);
        }
    }
    landed(page, 0);
}

void Answers::keep(const PagePtr &page, const PendingEvent &pending)
{
    World &world = process_.world();
    if (pending.event.log.kind != Kind::UserDecrypt)
    {
        process_.statement(
            [&world, log = pending.event.log] {
                world.database().keepAnswer(log);
                return true;
            },
            [this, page, pending](const bool *kept) {
                kept == nullptr ? landed(page, 0) : settle(page, pending);
            });
        return;
    }
    process_.statement(
        [&world, request = pending.request] {
            world.database().resolveThreshold(request, kThreshold);
            return true;
        },
        [this, page, pending](const bool *resolved) {
            resolved == nullptr ? landed(page, 0) : keepShare(page, pending);
        });
}

void Answers::keepShare(const PagePtr &page, const PendingEvent &pending)
{
    World &world = process_.world();
    process_.statement(
        [&world, log = pending.event.log] {
            world.database().keepShare(log);
            return true;
        },
        [this, page, pending](const bool *kept) {
            kept == nullptr ? landed(page, 0) : settle(page, pending);
        });
}

void Answers::settle(const PagePtr &page, const PendingEvent &pending)
{
    World &world = process_.world();
    process_.statement(
        [&world, log = pending.event.log] {
            return world.database().settle(log.kind, log.gatewayId).has_value();
        },
        [this, page, id = pending.event.id](const bool *settled) {
            landed(page, settled == nullptr ? 0 : id);
        });
}

// Handled when its effects are committed.
void Answers::landed(const PagePtr &page, std::int64_t doneWith)
{
    if (doneWith != 0)
    {
        page->done.push_back(doneWith);
    }
    if (--page->underWay > 0)
    {
        return;
    }
    World &world = process_.world();
    process_.statement(
        [&world, done = page->done] {
            world.database().markHandled(done);
            return true;
        },
        [this](const bool *) { passed(); });
}

// The level-triggered pass, for those whose bringer died between two commits.
void Answers::settleWaiting(Kind kind)
{
    constexpr std::size_t kAtATime = 8;
    World &world = process_.world();
    process_.statement(
        [&world, kind] { return world.database().answered(kind, kAtATime); },
        [this, &world, kind](const std::vector<GatewayId> *answered) {
            if (answered == nullptr)
            {
                return;
            }
            for (const GatewayId id : *answered)
            {
                process_.statement(
                    [&world, kind, id] { return world.database().settle(kind, id).has_value(); },
                    [](const bool *) {});
            }
        });
}
}  // namespace relayer::sim
