// Asks for many decryptions whether they are ready, until each has a verdict: first the ACLs of
// the host chains of its handles, then the gateway for the ciphertexts.
//
// What may be in the air at the same time is bounded for each kind; a request that waits for its
// next try waits on a timer wheel, and holds nothing but its place in memory. Requests whose try is
// due at about the same time share a call. Of the tries of one question, the last decides; a clean
// no of an ACL is final.
//
// All state belongs to one loop, and all calls are made there. Nothing is lost with it: the row is
// the truth, and whoever starts anew asks anew, from the first try.
#pragma once

#include "core/check_line.h"
#include "core/timer_wheel.h"
#include "models/gate.h"
#include "plugins/readiness_calls.h"
#include "plugins/readiness_questions.h"

#include <trantor/net/EventLoop.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

namespace relayer::plugins
{
struct ReadinessCheckOptions
{
    std::size_t maxAttempts = 1;
    std::chrono::milliseconds interval{1000};
    std::size_t maxBatch = 100;
};

struct ReadinessOptions
{
    ReadinessCheckOptions hostAcl{3, std::chrono::milliseconds(1000), 100};
    ReadinessCheckOptions gwCiphertext{75, std::chrono::milliseconds(3000), 100};
    core::Address decryption{};
    std::array<std::size_t, core::kKinds> maxConcurrency{250, 250, 250};
    std::array<std::size_t, core::kKinds> capacity{11000, 11000, 11000};
};

class ReadinessChecks : public std::enable_shared_from_this<ReadinessChecks>
{
  public:
    struct Surroundings
    {
        trantor::EventLoop *loop = nullptr;
        std::shared_ptr<chain::rpc::Node> gateway;
        std::map<std::uint64_t, HostChain> hostChains;
        // Once for each request that was taken, unless it is forgotten before. Not from within
        // take().
        std::function<void(models::RequestId, core::Kind, ReadinessVerdict)> decided;
        // Less is due than nodes could be asked.
        std::function<void()> hungry;
        // Whoever waits for an answer is inside.
        std::shared_ptr<models::Gate> gate;
    };

    ReadinessChecks(Surroundings surroundings, const ReadinessOptions &options);

    void take(ReadinessRequest request);
    [[nodiscard]] bool knows(models::RequestId id) const { return requests_.contains(id); }
    [[nodiscard]] std::vector<models::RequestId> ids() const;
    // How many more may come now: enough to keep the nodes busy, and no more than there is room
    // for in memory.
    [[nodiscard]] std::size_t wanted(core::Kind kind) const;
    // Asks no more about these, and says nothing of them.
    void forgetAll();
    void setMaxConcurrency(core::Kind kind, std::size_t most);

    struct Snapshot
    {
        std::size_t checking = 0;  // in memory, without a verdict
        std::size_t due = 0;
        std::size_t inTheAir = 0;
        std::size_t maxConcurrency = 0;
    };
    [[nodiscard]] Snapshot snapshot(core::Kind kind) const;

    // Calls that were made, of which so many requests each: for the tests.
    struct Counts
    {
        std::size_t rounds = 0;
        std::size_t asked = 0;
    };
    [[nodiscard]] const Counts &counts() const { return counts_; }

  private:
    using Time = std::chrono::nanoseconds;
    using Batch = core::CheckLine::Batch;
    struct Later
    {
        models::RequestId id = 0;
        core::CheckTarget target;
    };
    struct Smaller
    {
        std::size_t batch = 0;
        Time until{0};
    };

    [[nodiscard]] core::CheckLine &line(core::Kind kind);
    [[nodiscard]] const core::CheckLine &line(core::Kind kind) const;
    [[nodiscard]] const ReadinessCheckOptions &optionsOf(const core::CheckTarget &target) const;
    [[nodiscard]] std::size_t largest(const core::CheckTarget &target) const;
    void pump(core::Kind kind);
    void pumpSoon(core::Kind kind);
    [[nodiscard]] std::string traceparentOf(const std::vector<models::RequestId> &asked) const;
    drogon::AsyncTask askHostChain(core::Kind kind, Batch batch);
    drogon::AsyncTask askGateway(core::Kind kind, Batch batch);
    void landed(core::Kind kind, const Batch &batch);
    void settle(ReadinessRequest &request, ReadinessRequest::Part &part, const AclAnswer &answer);
    void settle(ReadinessRequest &request, const CiphertextAnswer &answer);
    void hostChainsAnswered(ReadinessRequest &request);
    void again(const ReadinessRequest &request, const core::CheckTarget &target);
    void decide(models::RequestId id, ReadinessVerdict verdict);
    void arm();
    void ring();

    const Surroundings surroundings_;
    const ReadinessOptions options_;
    std::unordered_map<models::RequestId, ReadinessRequest> requests_;
    std::array<std::size_t, core::kKinds> sizes_{};
    std::array<bool, core::kKinds> pumpingSoon_{};
    std::array<core::CheckLine, core::kKinds> lines_;
    core::TimerWheel<Later> wheel_;
    std::map<std::uint64_t, Smaller> smaller_;  // host chains that do not take large calls
    std::optional<Time> armedFor_;
    std::uint64_t generation_ = 0;  // of what was not forgotten
    Counts counts_;
};
}  // namespace relayer::plugins
