// Keeps where the keys of the day are, as it was when the chain was last asked; and keeps it while
// the chain is away.
//
// Works on the loop of its reader's node. told() may be asked by any thread, also after the end.
#pragma once

#include "models/gate.h"
#include "plugins/key_url_reader.h"

#include <drogon/utils/coroutine.h>
#include <trantor/net/EventLoop.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

namespace relayer::plugins
{
class KeyUrlPoller : public std::enable_shared_from_this<KeyUrlPoller>
{
  public:
    using Clock = std::chrono::steady_clock;
    struct Options
    {
        std::chrono::milliseconds interval{12'000};
        // After a failure sooner, if that is sooner; twice as long after each in a row.
        std::chrono::milliseconds backOffFirst{500};
        std::function<Clock::time_point()> now = Clock::now;
    };
    // The answer to a client.
    struct Told
    {
        std::string body;
        std::chrono::seconds age{0};  // since the chain last said so
    };

    KeyUrlPoller(trantor::EventLoop *loop, std::unique_ptr<KeyUrlReader> reader, Options options)
        : loop_(loop), reader_(std::move(reader)), options_(std::move(options))
    {}

    void start();
    // On the loop. Nothing begins after this.
    void stop();
    // Not on the loop: whether what was under way has ended.
    [[nodiscard]] bool ended(std::chrono::milliseconds atMost);
    // On the loop, when all has ended: the node goes, what is known stays.
    void letGo() { reader_.reset(); }

    // Nothing: the chain has not said it yet.
    [[nodiscard]] std::optional<Told> told() const;
    // Known, and not failed repeatedly since.
    [[nodiscard]] bool healthy() const;

  private:
    static drogon::AsyncTask poll(std::shared_ptr<KeyUrlPoller> self);
    void keep(const std::optional<KeyUrlReader::Found> &found);
    void failed(const std::string &why);
    void pollAfter(std::chrono::milliseconds delay);

    trantor::EventLoop *const loop_;
    std::unique_ptr<KeyUrlReader> reader_;
    const Options options_;
    models::Gate gate_;

    // Of the loop.
    std::optional<KeyUrlReader::Active> active_;
    trantor::TimerId timer_ = 0;
    bool stopped_ = false;

    mutable std::mutex mutex_;
    std::string body_;  // empty: not known
    Clock::time_point confirmedAt_;
    std::uint64_t failures_ = 0;  // in a row
};
}  // namespace relayer::plugins
