// Carries decryptions from `queued` to `processing`, or to their end: claims rows in the order of
// their tickets, has them checked, and writes down what came of it.
//
// Rows wait in the database until there is something to ask for them; those that are claimed wait
// in memory, as many as there is room for. Claims first, so that of several instances each row is
// one's. A start gives back what its predecessor had claimed, and asks anew. A request that is
// ready waits here for a place in the queue before the chain.
//
// All state belongs to one loop; wake(), setMaxConcurrency() and snapshots() are for any thread.
#pragma once

#include "models/gate.h"
#include "models/request_store.h"
#include "plugins/claim_floor.h"
#include "plugins/readiness_checks.h"
#include "plugins/readiness_lines.h"
#include "plugins/tx_queues.h"

#include <drogon/utils/coroutine.h>
#include <trantor/net/EventLoop.h>

#include <array>
#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace relayer::plugins
{
class ReadinessRun : public std::enable_shared_from_this<ReadinessRun>
{
  public:
    struct Surroundings
    {
        trantor::EventLoop *loop = nullptr;
        // Throws StoreError while there is no database.
        std::function<models::RequestStore &()> requests;
        std::function<std::optional<models::Claimer>()> claimer;
        std::shared_ptr<TxQueues> queues;
        std::shared_ptr<ReadinessLines> lines;
        std::shared_ptr<chain::rpc::Node> gateway;
        std::map<std::uint64_t, HostChain> hostChains;
        ReadinessOptions options;
        // Of a request that this instance took in; none: of none.
        std::function<std::string(models::RequestId)> traceparentOf = nullptr;
        // How often the database is asked what waits there.
        std::chrono::milliseconds look{1000};
    };

    [[nodiscard]] static std::shared_ptr<ReadinessRun> create(Surroundings surroundings);

    void start();
    // Something was accepted. Returns at once.
    void wake();
    // Begins nothing new, and gives back what it has claimed, but for what is being written down.
    // On the loop.
    void stop();
    // What a stop still waits for: claims, verdicts and givings back that are with the database.
    // Any thread.
    [[nodiscard]] std::size_t left() const { return halted_ ? underWay_.load() : 1; }
    // After that: true when nothing of it uses its surroundings any more. Not on the loop, and not
    // on one of the database.
    [[nodiscard]] bool ended(std::chrono::milliseconds atMost);
    // At least 1.
    void setMaxConcurrency(core::Kind kind, std::size_t most);

    // As of the last look.
    using Snapshots = std::array<ReadinessChecks::Snapshot, core::kKinds>;
    [[nodiscard]] Snapshots snapshots() const;
    // Batches that were asked about, and requests in them. On the loop.
    [[nodiscard]] const ReadinessChecks::Counts &counts() const { return checks_->counts(); }

  private:
    struct Ending
    {
        core::Kind kind = core::Kind::PublicDecrypt;
        ReadinessVerdict verdict;
        bool underWay = false;  // being written down
    };

    // Counted while it is there.
    class UnderWay
    {
      public:
        explicit UnderWay(std::atomic<std::size_t> &count) : count_(count) { ++count_; }
        UnderWay(const UnderWay &) = delete;
        UnderWay &operator=(const UnderWay &) = delete;
        ~UnderWay() { --count_; }

      private:
        std::atomic<std::size_t> &count_;
    };

    explicit ReadinessRun(Surroundings surroundings);
    void look();
    drogon::AsyncTask measure();
    drogon::AsyncTask pull();
    drogon::Task<> pullOnce();
    drogon::Task<bool> pullSome(core::Kind kind, models::Claimer claimer);
    drogon::Task<> giveBackStrays(models::Claimer claimer);
    drogon::Task<> giveBack(models::Claimer claimer, std::vector<models::RequestId> ids);
    drogon::AsyncTask giveBackAll(models::Claimer claimer, std::vector<models::RequestId> ids);
    void belongTo(models::Claimer claimer);
    [[nodiscard]] std::size_t wanted(core::Kind kind) const;
    void take(const std::vector<models::RequestRow> &rows);
    void end(models::RequestId id);
    drogon::AsyncTask write(models::RequestId id, models::Step step,
                            std::optional<TxQueues::Slot> place);
    void publish();

    const Surroundings surroundings_;
    const std::shared_ptr<models::Gate> gate_ = std::make_shared<models::Gate>();
    std::shared_ptr<ReadinessChecks> checks_;
    std::atomic<bool> woken_{false};
    std::atomic<bool> halted_{false};
    std::atomic<std::size_t> underWay_{0};
    mutable std::mutex published_;
    Snapshots snapshots_;

    // of the loop
    std::optional<models::Claimer> claimer_;  // whose rows are in memory
    bool strays_ = true;                      // rows may be claimed that are not
    std::map<models::RequestId, Ending> ending_;
    std::array<ClaimFloor, core::kKinds> floors_;
    bool pulling_ = false;
    bool pullAgain_ = false;
    bool measuring_ = false;
    bool stopped_ = false;
    trantor::TimerId timer_ = trantor::InvalidTimerId;
};
}  // namespace relayer::plugins
