#include "plugins/log_sink.h"

#include <trantor/utils/Date.h>
#include <trantor/utils/Logger.h>

#include <cerrno>
#include <cstdlib>
#include <poll.h>
#include <unistd.h>
#include <utility>

namespace relayer::plugins
{
namespace
{
std::atomic<LogSink *> installed{nullptr};

// As trantor would begin it.
std::string lineAbout(std::uint64_t dropped)
{
    return trantor::Date::now().toCustomFormattedString("%Y%m%d %H:%M:%S", true) + " UTC " +
           std::to_string(gettid()) +
           " WARN  step=log_lines_dropped count=" + std::to_string(dropped) + " - log_sink.cc:0\n";
}
}  // namespace

LogSink::LogSink(Options options) : options_(options), thread_([this] { work(); }) {}

LogSink::~LogSink()
{
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    wake_.notify_one();
    thread_.join();
}

void LogSink::install(Options options)
{
    installed = new LogSink(options);
    trantor::Logger::setOutputFunction(
        [](const char *text, std::uint64_t length) { installed.load()->take(text, length); },
        [] {});
    static_cast<void>(std::atexit(flushInstalled));
}

void LogSink::flushInstalled()
{
    if (LogSink *const sink = installed)
    {
        sink->flush();
    }
}

std::uint64_t LogSink::droppedByInstalled()
{
    const LogSink *const sink = installed;
    return sink == nullptr ? 0 : sink->dropped();
}

void LogSink::take(const char *text, std::size_t length)
{
    bool first = false;
    {
        const std::lock_guard lock(mutex_);
        if (waiting_.text.size() + length > options_.maxWaiting)
        {
            ++dropped_;
            return;
        }
        first = waiting_.ends.empty();
        taken_ += first ? 1 : 0;
        waiting_.text.append(text, length);
        waiting_.ends.push_back(waiting_.text.size());
    }
    if (first)
    {
        wake_.notify_one();
    }
}

void LogSink::flush(std::chrono::milliseconds atMost)
{
    std::unique_lock lock(mutex_);
    written_.wait_for(lock, atMost, [this, wanted = taken_] { return done_ >= wanted; });
}

void LogSink::work()
{
    std::unique_lock lock(mutex_);
    for (;;)
    {
        wake_.wait(lock, [this] { return stopping_ || !waiting_.ends.empty(); });
        if (waiting_.ends.empty())
        {
            return;
        }
        const Batch batch = std::exchange(waiting_, {});
        const std::uint64_t dropped = dropped_;
        const std::uint64_t untold = dropped - std::exchange(told_, dropped);
        lock.unlock();
        write(batch);
        if (untold != 0)
        {
            writeOut(core::formatLogLine(lineAbout(untold), options_.format));
        }
        lock.lock();
        ++done_;
        written_.notify_all();
    }
}

void LogSink::write(const Batch &batch)
{
    std::string out;
    std::size_t begin = 0;
    for (const std::size_t end : batch.ends)
    {
        out += core::formatLogLine(std::string_view(batch.text).substr(begin, end - begin),
                                   options_.format);
        begin = end;
    }
    writeOut(out);
}

void LogSink::writeOut(const std::string &text) const
{
    std::size_t done = 0;
    while (done < text.size())
    {
        const ssize_t count = ::write(options_.descriptor, text.data() + done, text.size() - done);
        if (count > 0)
        {
            done += static_cast<std::size_t>(count);
            continue;
        }
        if (count < 0 && errno == EAGAIN)
        {
            pollfd ready{options_.descriptor, POLLOUT, 0};
            static_cast<void>(::poll(&ready, 1, -1));
            continue;
        }
        if (count < 0 && errno == EINTR)
        {
            continue;
        }
        // Nobody reads any more, or the disk is full: there is nowhere to say so.
        return;
    }
}
}  // namespace relayer::plugins
