// What an instance does with the events of its inbox (plugins/responses_handler.h).
#pragma once

#include "sim/fake_database.h"
#include "sim/types.h"

#include <cstddef>
#include <memory>
#include <vector>

namespace relayer::sim
{
class Process;

class Answers
{
  public:
    explicit Answers(Process &process) : process_(process) {}

    void tick();
    void wake();

  private:
    struct Page
    {
        std::vector<PendingEvent> events;
        std::size_t next = 0;
        std::size_t underWay = 0;
        std::vector<std::int64_t> done;
    };
    using PagePtr = std::shared_ptr<Page>;

    void pass();
    void noteRequests(const PagePtr &page);
    void compareReceipts(const PagePtr &page, const PendingEvent &pending);
    void replaceReceipt(const PagePtr &page, const PendingEvent &pending);
    void keepAll(const PagePtr &page);
    void keep(const PagePtr &page, const PendingEvent &pending);
    void keepShare(const PagePtr &page, const PendingEvent &pending);
    void settle(const PagePtr &page, const PendingEvent &pending);
    void landed(const PagePtr &page, std::int64_t doneWith);
    void settleWaiting(core::Kind kind);
    void passed();

    Process &process_;
    bool passing_ = false;
    bool again_ = false;
};
}  // namespace relayer::sim
