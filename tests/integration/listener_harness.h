// Listener sources on a database of their own, in front of fake nodes.
#pragma once

#include "integration/listener_chain.h"
#include "models/inbox_store.h"
#include "plugins/gateway_listener_source.h"
#include "plugins/own_loop.h"
#include "support/eventually.h"
#include "support/test_store.h"

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace relayer::test
{
// An attempt of each kind whose gateway id is not known yet: so that every answer may be ours.
void openAttempts(const TestDatabase &database);

class ListenerHarness
{
  public:
    explicit ListenerHarness(const TestDatabase &database);
    ~ListenerHarness();
    ListenerHarness(const ListenerHarness &) = delete;
    ListenerHarness &operator=(const ListenerHarness &) = delete;

    plugins::ListenerOptions options;  // change before the first source

    std::shared_ptr<plugins::ListenerSource> poll(const std::string &name, FakeNode *node);
    // Subscribes at the one and reads from the others.
    std::shared_ptr<plugins::ListenerSource> subscribe(const std::string &name, FakeNode *node,
                                                       const std::vector<FakeNode *> &readers);
    // As a process that ends: what was not committed is gone.
    void stopAll();

    [[nodiscard]] std::size_t events() const;  // in the inbox, whatever became of them
    [[nodiscard]] std::int64_t cursor(const std::string &name) const;
    [[nodiscard]] std::vector<std::int64_t> reorgs() const;
    [[nodiscard]] std::size_t wakes() const { return wakes_; }
    // How often a source said so.
    [[nodiscard]] std::size_t readToHead() const { return readToHead_; }
    [[nodiscard]] models::InboxStore &inbox() { return *inbox_; }
    // From here on the inbox is, or is not, to be reached.
    void databaseAway(bool away) { away_ = away; }
    [[nodiscard]] trantor::EventLoop *loop() { return loop_.get(); }

  private:
    std::shared_ptr<plugins::ListenerSource> start(plugins::ListenerSource::Context context);
    [[nodiscard]] plugins::ListenerSource::Context contextFor(
        const std::string &name, const std::vector<FakeNode *> &readers);

    const TestDatabase &database_;
    TestStore store_;
    std::unique_ptr<models::InboxStore> inbox_;
    plugins::OwnLoop loop_{"listener"};
    std::vector<std::shared_ptr<plugins::ListenerSource>> sources_;
    std::atomic<std::size_t> wakes_{0};
    std::atomic<std::size_t> readToHead_{0};
    std::atomic<bool> away_{false};
    mutable std::mutex mutex_;
    std::vector<std::int64_t> reorgs_;
};
}  // namespace relayer::test
