// Host chains and a gateway as a readiness check sees them, scripted; and a run of the checks
// between a database and them, as a server would have it.
#pragma once

#include "core/decrypt.h"
#include "plugins/own_loop.h"
#include "plugins/readiness_run.h"
#include "support/fake_node.h"
#include "support/test_store.h"

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace relayer::test
{
// The ACL contract of a host chain behind a node.
class FakeAcl
{
  public:
    FakeAcl();

    void deny(const core::Hash32 &handle);
    // Calls with more questions fail, as some nodes' doubles have it.
    void takesAtMost(std::size_t questions);
    // Leaves the last answer out where more than one question was asked.
    void answersShort(bool yes);
    FakeNode &node() { return node_; }
    // Of each call so far, how many questions it had.
    [[nodiscard]] std::vector<std::size_t> calls();

  private:
    [[nodiscard]] FakeNode::Reply answer(const Json::Value &params);

    std::mutex mutex_;
    std::set<core::Hash32> denied_;
    std::size_t most_ = 10'000;
    bool short_ = false;
    std::vector<std::size_t> calls_;
    FakeNode node_;  // last: its threads use all of the above
};

// The Decryption contract of the gateway behind a node.
class FakeCiphertexts
{
  public:
    FakeCiphertexts();

    void hide(const core::Hash32 &handle, bool hidden = true);
    void hideAll(bool hidden);
    // What is said about a handle at its nth question, from 1; nothing: as otherwise.
    using Script =
        std::function<std::optional<FakeNode::Reply>(const core::Hash32 &handle, std::size_t nth)>;
    void script(Script script);
    FakeNode &node() { return node_; }
    [[nodiscard]] std::size_t asked(const core::Hash32 &handle);
    [[nodiscard]] static FakeNode::Reply says(bool ready);

  private:
    [[nodiscard]] FakeNode::Reply answer(const Json::Value &params);

    std::mutex mutex_;
    std::set<core::Hash32> hidden_;
    bool allHidden_ = false;
    std::map<core::Hash32, std::size_t> asked_;
    Script script_;
    FakeNode node_;  // last: its threads use all of the above
};

inline constexpr std::uint64_t kHostChain = 8009;
inline constexpr std::uint64_t kOtherChain = 9001;

// Of a public decryption with that number; all handles of one request are of one chain here.
[[nodiscard]] core::Hash32 handleOf(std::uint64_t number, std::uint64_t chain = kHostChain);
[[nodiscard]] models::NewRequest publicDecryptOf(const std::vector<core::Hash32> &handles,
                                                 std::uint64_t job);

struct ReadinessWorldOptions
{
    models::Claimer claimer = 7;
    plugins::ReadinessOptions checks;
    core::TxQueue::Limits before{20, 11000, 10000};  // the queues before the chain
};

// Impatient, so that a test need not be.
[[nodiscard]] plugins::ReadinessOptions impatientChecks();

class ReadinessWorld
{
  public:
    using Milliseconds = std::chrono::milliseconds;
    static constexpr Milliseconds kPatience = std::chrono::seconds(60);

    ReadinessWorld(const TestDatabase &database, FakeAcl &acl, FakeCiphertexts &ciphertexts,
                   ReadinessWorldOptions options = {}, FakeAcl *otherChain = nullptr);
    ~ReadinessWorld();
    ReadinessWorld(const ReadinessWorld &) = delete;
    ReadinessWorld &operator=(const ReadinessWorld &) = delete;

    void start() { run_->start(); }
    void stop();
    TestStore &store() { return store_; }
    [[nodiscard]] plugins::TxQueues &queues() { return *queues_; }
    [[nodiscard]] plugins::ReadinessLines &lines() { return *lines_; }
    [[nodiscard]] plugins::ReadinessRun &run() { return *run_; }
    [[nodiscard]] plugins::ReadinessChecks::Counts counts();

    // As a server takes it in: with a place first, and told of afterwards.
    models::Admission takeIn(models::NewRequest request);
    // Whether that many rows come to be so.
    bool becomes(const std::string &where, std::size_t count, Milliseconds atMost = kPatience);
    // status and error_code and error_detail of a row.
    [[nodiscard]] std::string endOf(const models::Admission &admission);

  private:
    const TestDatabase &database_;
    TestStore store_;
    std::unique_ptr<plugins::OwnLoop> loop_;
    std::shared_ptr<plugins::TxQueues> queues_;
    std::shared_ptr<plugins::ReadinessLines> lines_;
    std::shared_ptr<plugins::ReadinessRun> run_;
};
}  // namespace relayer::test
