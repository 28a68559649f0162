#include "plugins/log_sink.h"

#include "plugins/log_level.h"

#include <gtest/gtest.h>
#include <trantor/utils/Logger.h>

#include <array>
#include <fcntl.h>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

namespace relayer::plugins
{
namespace
{
class LogSinkTest : public testing::Test
{
  protected:
    void SetUp() override { ASSERT_EQ(pipe2(ends_.data(), O_CLOEXEC), 0); }
    void TearDown() override
    {
        close(ends_[0]);
        closeWriting();
    }
    void closeWriting()
    {
        if (ends_[1] >= 0)
        {
            close(std::exchange(ends_[1], -1));
        }
    }
    [[nodiscard]] LogSink::Options options(std::size_t maxWaiting) const
    {
        LogSink::Options options;
        options.descriptor = ends_[1];
        options.maxWaiting = maxWaiting;
        return options;
    }
    // Up to its end, or until `wanted` stands in it.
    std::string read(const std::string &wanted = {})
    {
        std::string text;
        std::array<char, 65536> part{};
        while (wanted.empty() || text.find(wanted) == std::string::npos)
        {
            const ssize_t count = ::read(ends_[0], part.data(), part.size());
            if (count <= 0)
            {
                break;
            }
            text.append(part.data(), static_cast<std::size_t>(count));
        }
        return text;
    }

    std::array<int, 2> ends_{-1, -1};
};

void say(LogSink &sink, const std::string &text)
{
    const std::string line = "20261119 09:38:17.123456 UTC 1 INFO  " + text + " - a.cc:1\n";
    sink.take(line.data(), line.size());
}

std::size_t linesOf(const std::string &text)
{
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

TEST_F(LogSinkTest, WritesEachLineInOrderAndAllOfThemBeforeItEnds)
{
    {
        LogSink sink(options(1 << 20));
        for (int i = 0; i < 500; ++i)
        {
            say(sink, "step=" + std::to_string(i));
        }
    }
    closeWriting();
    const std::string text = read();
    EXPECT_EQ(linesOf(text), 500U);
    std::size_t at = 0;
    for (int i = 0; i < 500; ++i)
    {
        at = text.find("step=" + std::to_string(i) + " ", at);
        ASSERT_NE(at, std::string::npos) << i;
    }
}

// A pipe that nobody reads holds 64 KiB. Who logs does not wait for it, and what is left out is
// counted and told.
TEST_F(LogSinkTest, NobodyWaitsForAReaderThatIsAway)
{
    constexpr std::size_t kLines = 20'000;
    const std::string words(100, 'x');
    std::string text;
    std::thread reader;
    std::uint64_t dropped = 0;
    std::uint64_t said = kLines;
    {
        LogSink sink(options(100'000));
        std::vector<std::thread> threads;
        for (std::size_t thread = 0; thread < 4; ++thread)
        {
            threads.emplace_back([&] {
                for (std::size_t i = 0; i < kLines / 4; ++i)
                {
                    say(sink, words);
                }
            });
        }
        for (std::thread &thread : threads)
        {
            thread.join();
        }
        EXPECT_GT(sink.dropped(), kLines / 2);
        reader = std::thread([this, &text] { text = read(); });
        // Until one is taken: there may be no room yet.
        do
        {
            dropped = sink.dropped();
            say(sink, "step=afterwards");
            ++said;
        }
        while (sink.dropped() != dropped);
    }
    closeWriting();
    reader.join();
    EXPECT_NE(text.find("step=afterwards"), std::string::npos) << "it goes on";
    std::uint64_t told = 0;
    std::size_t notes = 0;
    const std::string note = "step=log_lines_dropped count=";
    for (std::size_t at = text.find(note); at != std::string::npos; at = text.find(note, at + 1))
    {
        told += std::stoull(text.substr(at + note.size()));
        ++notes;
    }
    EXPECT_EQ(told, dropped);
    EXPECT_EQ(linesOf(text), said - dropped + notes);
}

TEST_F(LogSinkTest, AFlushWaitsForWhatWasTakenButNotForEver)
{
    LogSink sink(options(1 << 20));
    say(sink, "step=one");
    sink.flush();
    EXPECT_NE(read("step=one").find("step=one"), std::string::npos);
    const std::string words(1000, 'x');
    for (int i = 0; i < 200; ++i)
    {
        say(sink, words);
    }
    sink.flush(std::chrono::milliseconds(20));
    EXPECT_GT(linesOf(read(words)), 0U) << "nobody read until now, and we are here";
    std::thread reader([this] { (void)read("step=end"); });
    say(sink, "step=end");
    reader.join();
}

TEST(LogLevel, ChangesWhileTheProgramRuns)
{
    const std::string before(logLevel());
    for (const std::string_view name : {"trace", "debug", "info", "warn", "error"})
    {
        EXPECT_TRUE(setLogLevel(name));
        EXPECT_EQ(logLevel(), name);
    }
    EXPECT_EQ(trantor::Logger::logLevel(), trantor::Logger::kError);
    EXPECT_FALSE(setLogLevel("loud"));
    EXPECT_EQ(logLevel(), "error") << "nothing has changed";
    EXPECT_TRUE(setLogLevel(before));
}
}  // namespace
}  // namespace relayer::plugins
