// What share_scheduler.h starts: the parts of the share scheduler, put together, on one loop.
#pragma once

#include "config/settings.h"
#include "models/gate.h"
#include "plugins/channel_ear.h"
#include "plugins/prover_process.h"
#include "plugins/share_intake.h"
#include "plugins/share_metrics.h"
#include "plugins/share_run.h"
#include "plugins/vote_chain.h"
#include "plugins/vote_tree.h"

#include <trantor/net/EventLoop.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace relayer::plugins
{
class ShareService : public std::enable_shared_from_this<ShareService>
{
  public:
    struct Surroundings
    {
        trantor::EventLoop *loop = nullptr;
        config::ShareSchedulerSettings settings;
        std::chrono::milliseconds lease{30'000};  // of an instance that is silent
        std::shared_ptr<models::ShareStore> shares;
        std::shared_ptr<models::StatusChannel> channel;
        std::function<std::optional<models::Claimer>()> claimer;
        std::function<bool()> alone;  // whether there is no other instance
        std::shared_ptr<ShareMetrics> metrics;
    };
    // On the loop, as are start() and letGo(). Throws LibraryError.
    explicit ShareService(Surroundings surroundings);
    void start();

    // Any thread.
    [[nodiscard]] bool ready() const { return ready_.load(); }
    drogon::Task<ShareIntake::Outcome> take(wire::ShareRequest request);
    drogon::Task<bool> confirmed(core::Hash32 round, core::Hash32 nullifier);
    drogon::Task<std::optional<CommitmentTree::Status>> tree();
    drogon::Task<std::vector<models::RoundShares>> counts();

    // Takes no share to the chain any more and gives back what it holds; any thread. Those that
    // are posted are still taken in.
    void stop();
    // Shares that are held, and a cycle that is under way; any thread.
    [[nodiscard]] std::size_t left() const { return left_.load(); }
    // Answers nobody any more. Whether nobody is being answered, after this time at the most.
    [[nodiscard]] bool close(std::chrono::milliseconds atMost);
    // Drops what belongs to the loop. When nothing is left, and it is closed.
    void letGo();

  private:
    [[nodiscard]] ShareRun::Surroundings runsIn();
    void setAlarm(std::chrono::microseconds wait);
    // A share is due at this second (0: now).
    void changed(std::int64_t submitAt);
    void tellOthers();
    static drogon::AsyncTask say(std::shared_ptr<models::StatusChannel> channel,
                                 std::string notice);
    void look();

    const Surroundings around_;
    models::Gate gate_;  // of those who are being answered
    std::shared_ptr<const ShareLibrary> library_;
    std::shared_ptr<ProverProcess> prover_;
    std::shared_ptr<VoteChain> chain_;
    std::shared_ptr<VoteTree> tree_;
    std::shared_ptr<ShareAttemptContext> context_;
    std::shared_ptr<ShareIntake> intake_;
    std::shared_ptr<ShareRun> run_;
    std::atomic<bool> ready_{false};
    std::atomic<bool> closed_{false};
    std::atomic<std::size_t> left_{0};

    // of the loop
    std::unique_ptr<ChannelEar> ear_;
    trantor::TimerId alarm_ = trantor::InvalidTimerId;
    std::chrono::steady_clock::time_point alarmAt_;
    bool telling_ = false;
    bool untold_ = false;  // who came since we last looked for others does not know all
};
}  // namespace relayer::plugins
