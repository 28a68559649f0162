// Where all that is logged goes: to a descriptor, by a thread of its own. Who logs hands a line
// over and goes on, however slow the other end is. What waits is bounded; lines that find no room
// are left out, and their number is told once there is room again.
//
// One for a program, for its whole life; an application that embeds the module has a log of its own
// and may have this one. Any thread. A process that is killed loses the lines of its last moment.
#pragma once

#include "core/log_line.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace relayer::plugins
{
class LogSink
{
  public:
    struct Options
    {
        core::LogFormat format = core::LogFormat::Text;
        std::size_t maxWaiting = std::size_t{4} * 1024 * 1024;  // bytes
        int descriptor = 1;
    };

    explicit LogSink(Options options);
    // Writes what waits; to be destroyed when nobody logs any more.
    ~LogSink();
    LogSink(const LogSink &) = delete;
    LogSink &operator=(const LogSink &) = delete;

    // Makes one that takes what trantor's LOG writes from now on, and is never destroyed. What
    // waits when the program exits is written then.
    static void install(Options options);
    // Of the installed one, as below; for whoever ends the process without exit().
    static void flushInstalled();
    [[nodiscard]] static std::uint64_t droppedByInstalled();

    void take(const char *text, std::size_t length);
    // Waits until all that was taken before is written, but not for ever.
    void flush(std::chrono::milliseconds atMost = kPatience);
    [[nodiscard]] std::uint64_t dropped() const { return dropped_.load(); }

  private:
    static constexpr std::chrono::milliseconds kPatience{1000};

    struct Batch
    {
        std::string text;
        std::vector<std::size_t> ends;  // of its lines
    };

    void work();
    void write(const Batch &batch);
    void writeOut(const std::string &text) const;

    const Options options_;

    std::atomic<std::uint64_t> dropped_{0};
    std::mutex mutex_;
    std::condition_variable wake_;
    std::condition_variable written_;
    Batch waiting_;            // under mutex_, as are those below
    std::uint64_t taken_ = 0;  // batches
    std::uint64_t done_ = 0;
    std::uint64_t told_ = 0;  // of the dropped ones
    bool stopping_ = false;

    std::thread thread_;
};
}  // namespace relayer::plugins
