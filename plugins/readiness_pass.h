// Moves requests from `queued` to `processing`, in the order of their tickets, as far as the queues
// before the chain have room. Looks at nothing: what readiness means is not asked yet.
//
// Claims rows first, so that of several instances each row is one's. One run at a time; the row is
// the truth: a run that breaks off anywhere leaves rows that the next one, here or elsewhere,
// finds.
#pragma once

#include "core/lifecycle.h"
#include "models/gate.h"
#include "models/request_store.h"
#include "plugins/tx_queues.h"

#include <drogon/utils/coroutine.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>

namespace relayer::plugins
{
class ReadinessPass : public std::enable_shared_from_this<ReadinessPass>
{
  public:
    struct Surroundings
    {
        // Throws StoreError while there is no database.
        std::function<models::RequestStore &()> requests;
        std::function<std::optional<models::Claimer>()> claimer;
        std::shared_ptr<TxQueues> queues;
    };
    explicit ReadinessPass(Surroundings surroundings);

    // There may be something to do. Returns at once; any thread. A run that is on its way looks
    // again when it is done.
    void wake();
    // No run begins any more, and the one that is on its way ends after what it has claimed.
    void stop();
    // Stops, and waits for the run that is on its way: true when nothing of it uses its
    // surroundings any more. Not on a loop of the database, which the run may need.
    [[nodiscard]] bool finish(std::chrono::milliseconds atMost);

    // What a run does: how many it moved. For the tests; not beside a run.
    drogon::Task<std::size_t> runOnce();

  private:
    enum class State : std::uint8_t
    {
        Idle,
        Running,
        RunningAndAskedAgain,
        Stopped,
    };

    static drogon::AsyncTask keepRunning(std::shared_ptr<ReadinessPass> self);
    bool mayRest();
    [[nodiscard]] bool stopped() const { return state_.load() == State::Stopped; }
    drogon::Task<std::size_t> passSome(core::Kind kind, models::Claimer claimer);
    drogon::Task<> giveBackLeftovers(models::Claimer claimer);

    const Surroundings surroundings_;
    std::atomic<State> state_{State::Idle};
    models::Gate gate_;  // a run is inside
    // Of the run; it may go on in another thread after each statement.
    std::optional<models::Claimer> tidyFor_;  // whose leftovers were given back
};
}  // namespace relayer::plugins
