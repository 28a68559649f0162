// One round of what must happen to requests when nobody does anything (models/sweep_store.h): frees
// what instances held that do not come back; and, each sixth time, ends what is overdue and forgets
// what is old.
//
// Of several instances one does it at a time. A round that breaks off anywhere is taken up by the
// next, here or elsewhere; nothing of it is kept but where the search for old requests stands, and
// how many rows a statement takes.
#pragma once

#include "core/adaptive_batch.h"
#include "models/instance_registry.h"
#include "models/sweep_store.h"

#include <drogon/utils/coroutine.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <set>

namespace relayer::plugins
{
struct SweepOptions
{
    using Times = std::array<std::chrono::milliseconds, core::kKinds>;

    Times responseTimeout{};
    std::chrono::milliseconds queued{0};
    std::chrono::milliseconds processing{0};
    std::chrono::milliseconds txInFlight{0};
    models::SweepStore::Keep keep{};
    std::chrono::milliseconds keepForeign{0};
    // When the rows of an instance that is not heard of are anybody's.
    std::chrono::milliseconds instanceLease{0};
    // Of the duty to sweep.
    std::chrono::milliseconds dutyLease{0};
    std::size_t rowsAtATime = 500;
};

class SweepPass
{
  public:
    struct Surroundings
    {
        std::shared_ptr<models::SweepStore> sweeps;
        std::shared_ptr<models::InstanceRegistry> instances;
        std::function<std::optional<models::Claimer>()> claimer;
        // Until it is so, nobody is told that no answer came: it may stand on the chain, unread.
        // Asked in each round, so that it is known when there were none.
        std::function<bool()> silenceMeansNoAnswer = [] { return true; };
    };
    // Since the start.
    struct Counts
    {
        bool leads = false;
        std::size_t timedOut = 0;
        std::size_t failed = 0;
        std::size_t takenOver = 0;
        std::size_t purged = 0;
        std::size_t rowsAtATime = 0;
    };

    SweepPass(Surroundings surroundings, SweepOptions options);

    // Throws StoreError when the database would not; then the next round does what is left.
    drogon::Task<> runOnce();
    // Leaves the duty to another instance at once.
    drogon::Task<> resign();
    // Any thread, also during a round.
    [[nodiscard]] Counts counts() const;

  private:
    drogon::Task<> endOverdue(bool silenceMeansNoAnswer);
    drogon::Task<> endOverdue(core::Kind kind, core::Status status);
    drogon::Task<> takeOver(models::Claimer own);
    drogon::Task<> purge();
    drogon::Task<> purgeUnowned();
    [[nodiscard]] std::chrono::milliseconds patienceWith(core::Kind kind,
                                                         core::Status status) const;
    [[nodiscard]] bool keepsAll() const;

    const Surroundings surroundings_;
    const SweepOptions options_;
    core::AdaptiveBatch batch_;
    models::RequestId purgedUpTo_ = 0;
    std::set<models::Claimer> emptied_;  // the silent that hold nothing, as of the last search
    bool unownedLeft_ = false;           // the last round did not come to the end of it
    int untilSearch_ = 0;  // rounds before what is overdue and what is old is looked for again
    // Written by the round alone.
    std::atomic<bool> leads_{false};
    std::atomic<std::size_t> timedOut_{0};
    std::atomic<std::size_t> failed_{0};
    std::atomic<std::size_t> takenOver_{0};
    std::atomic<std::size_t> purged_{0};
    std::atomic<std::size_t> rowsAtATime_{0};
};
}  // namespace relayer::plugins
