// The group commit against a writer that is told when to answer.
#include "models/group_commit.h"

#include <drogon/utils/coroutine.h>
#include <gtest/gtest.h>
#include <trantor/net/EventLoopThread.h>

#include <algorithm>
#include <future>
#include <set>

namespace relayer::models
{
namespace
{
struct Word
{
    std::string text;
};
}  // namespace

template <>
struct GroupItem<Word>
{
    static std::size_t bytes(const Word &word) { return word.text.size(); }
    static std::optional<std::uint64_t> alone(const Word &word)
    {
        return word.text.starts_with("row")
                   ? std::optional<std::uint64_t>(std::hash<std::string>()(word.text))
                   : std::nullopt;
    }
    static constexpr bool kRepeatable = true;
};

namespace
{
using Queue = GroupCommit<Word, std::string>;
using Batches = std::vector<std::vector<std::string>>;

// Answers each batch when told to, so that a test decides what has gathered meanwhile.
class Writer
{
  public:
    drogon::Task<std::vector<std::string>> write(std::shared_ptr<const Queue::Batch> batch)
    {
        std::vector<std::string> words;
        for (const Word *word : *batch)
        {
            words.push_back(word->text);
        }
        batches.push_back(words);
        co_await Pause{this};
        if (std::find(words.begin(), words.end(), "poison") != words.end())
        {
            throw StoreError(StoreError::Code::Refused, "poisoned");
        }
        if (away)
        {
            throw StoreError(StoreError::Code::Unavailable, "away");
        }
        std::transform(words.begin(), words.end(), words.begin(),
                       [](const std::string &word) { return word + "!"; });
        co_return words;
    }

    // Lets the oldest batch that waits be answered; false when none does.
    bool answerOne()
    {
        if (paused_.empty())
        {
            return false;
        }
        const auto handle = paused_.front();
        paused_.erase(paused_.begin());
        handle.resume();
        return true;
    }

    void answerAll()
    {
        while (answerOne())
        {
        }
    }

    Batches batches;
    bool away = false;

  private:
    struct Pause
    {
        Writer *writer;
        [[nodiscard]] bool await_ready() const { return false; }
        void await_suspend(std::coroutine_handle<> handle) const
        {
            writer->paused_.push_back(handle);
        }
        void await_resume() const {}
    };
    std::vector<std::coroutine_handle<>> paused_;
};

drogon::AsyncTask say(std::shared_ptr<Queue> queue, std::string text,
                      std::shared_ptr<std::promise<std::string>> answer)
{
    try
    {
        Word word{std::move(text)};
        answer->set_value(co_await queue->submit(std::move(word)));
    }
    catch (...)
    {
        answer->set_exception(std::current_exception());
    }
}

struct Fixture
{
    explicit Fixture(GroupLimits limits)
        : queue(Queue::create(limits, [this](std::shared_ptr<const Queue::Batch> batch) {
              return writer.write(std::move(batch));
          }))
    {}

    std::future<std::string> say(const std::string &text)
    {
        auto answer = std::make_shared<std::promise<std::string>>();
        auto future = answer->get_future();
        models::say(queue, text, answer);
        return future;
    }

    Writer writer;
    std::shared_ptr<Queue> queue;
};

GroupLimits limits(std::size_t rows, std::size_t inFlight = 1)
{
    GroupLimits limits;
    limits.maxBatchRows = rows;
    limits.inFlight = inFlight;
    return limits;
}

StoreError::Code codeOf(std::future<std::string> &future)
{
    try
    {
        future.get();
    }
    catch (const StoreError &e)
    {
        return e.code();
    }
    throw std::runtime_error("no error");
}
}  // namespace

TEST(GroupCommit, ALoneCallerIsWrittenAtOnce)
{
    Fixture f(limits(10));
    auto answer = f.say("a");
    EXPECT_EQ(f.writer.batches, (Batches{{"a"}}));
    f.writer.answerAll();
    EXPECT_EQ(answer.get(), "a!");
}

TEST(GroupCommit, WhoComesWhileABatchIsOnItsWayGoesTogetherInTheNext)
{
    Fixture f(limits(10));
    auto a = f.say("a");
    auto b = f.say("b");
    auto c = f.say("c");
    EXPECT_EQ(f.writer.batches, (Batches{{"a"}}));
    f.writer.answerAll();
    EXPECT_EQ(f.writer.batches, (Batches{{"a"}, {"b", "c"}}));
    EXPECT_EQ(b.get() + c.get(), "b!c!");
    const auto stats = f.queue->stats();
    EXPECT_EQ(stats.batches, 2U);
    EXPECT_EQ(stats.rows, 3U);
    EXPECT_EQ(stats.largestBatch, 2U);
}

TEST(GroupCommit, BatchesHaveALimitOfRowsAndOfBytes)
{
    GroupLimits few = limits(2);
    few.maxBatchBytes = 10;
    Fixture f(few);
    auto first = f.say("first");
    std::vector<std::future<std::string>> rest;
    for (const char *text : {"a", "b", "c", "sevensev", "eighteig"})
    {
        rest.push_back(f.say(text));
    }
    f.writer.answerAll();
    EXPECT_EQ(f.writer.batches, (Batches{{"first"}, {"a", "b"}, {"c", "sevensev"}, {"eighteig"}}));
}

TEST(GroupCommit, OneThatIsLargerThanAnyBatchGoesAlone)
{
    GroupLimits small = limits(10);
    small.maxBatchBytes = 4;
    Fixture f(small);
    auto answer = f.say("much too large");
    f.writer.answerAll();
    EXPECT_EQ(answer.get(), "much too large!");
}

TEST(GroupCommit, SeveralStatementsMayBeOnTheirWay)
{
    Fixture f(limits(10, 2));
    auto a = f.say("a");
    auto b = f.say("b");
    auto c = f.say("c");
    EXPECT_EQ(f.writer.batches, (Batches{{"a"}, {"b"}}));
    f.writer.answerAll();
    EXPECT_EQ(c.get(), "c!");
}

TEST(GroupCommit, TwoStepsOfOneRowNeverShareABatchAndKeepTheirOrder)
{
    Fixture f(limits(10));
    auto first = f.say("first");
    std::vector<std::future<std::string>> rest;
    for (const char *text : {"row1", "row1", "x", "row2", "row1"})
    {
        rest.push_back(f.say(text));
    }
    f.writer.answerAll();
    EXPECT_EQ(f.writer.batches, (Batches{{"first"}, {"row1", "x", "row2"}, {"row1"}, {"row1"}}));
    for (auto &answer : rest)
    {
        EXPECT_TRUE(answer.get().ends_with("!"));
    }
}

TEST(GroupCommit, WhatIsPassedOverAtTheRowLimitIsNotLost)
{
    Fixture f(limits(2));
    auto first = f.say("first");
    std::vector<std::future<std::string>> rest;
    for (const char *text : {"row1", "row1", "row2", "row3"})
    {
        rest.push_back(f.say(text));
    }
    f.writer.answerAll();
    EXPECT_EQ(f.writer.batches, (Batches{{"first"}, {"row1", "row2"}, {"row1", "row3"}}));
}

TEST(GroupCommit, OnlyTheCulpritOfARefusedBatchFails)
{
    Fixture f(limits(10));
    auto first = f.say("first");
    std::vector<std::future<std::string>> good;
    for (const char *text : {"a", "b", "c"})
    {
        good.push_back(f.say(text));
    }
    auto bad = f.say("poison");
    good.push_back(f.say("d"));
    f.writer.answerAll();
    EXPECT_EQ(codeOf(bad), StoreError::Code::Refused);
    for (auto &answer : good)
    {
        EXPECT_TRUE(answer.get().ends_with("!"));
    }
}

TEST(GroupCommit, WhenTheDatabaseIsAwayAllOfTheBatchLearnItOnce)
{
    Fixture f(limits(10));
    f.writer.away = true;
    auto a = f.say("a");
    auto b = f.say("b");
    auto c = f.say("c");
    f.writer.answerAll();
    EXPECT_EQ(codeOf(a), StoreError::Code::Unavailable);
    EXPECT_EQ(codeOf(b), StoreError::Code::Unavailable);
    EXPECT_EQ(codeOf(c), StoreError::Code::Unavailable);
    EXPECT_EQ(f.writer.batches.size(), 2U);

    f.writer.away = false;
    auto d = f.say("d");
    f.writer.answerAll();
    EXPECT_EQ(d.get(), "d!") << "and it goes on by itself";
}

TEST(GroupCommit, CallersBeyondTheLimitAreRefusedWithoutBeingWritten)
{
    GroupLimits crowded = limits(10);
    crowded.maxWaiting = 2;
    Fixture f(crowded);
    auto a = f.say("a");
    auto b = f.say("b");
    auto c = f.say("c");
    auto d = f.say("d");
    EXPECT_EQ(codeOf(d), StoreError::Code::Overloaded);
    f.writer.answerAll();
    EXPECT_EQ(a.get() + b.get() + c.get(), "a!b!c!");
}

TEST(GroupCommit, ClosingRefusesThoseWhoWaitAndLetsWhatIsOnItsWayEnd)
{
    Fixture f(limits(10));
    auto a = f.say("a");
    auto b = f.say("b");
    f.queue->close();
    auto c = f.say("c");
    EXPECT_EQ(codeOf(b), StoreError::Code::Closed);
    EXPECT_EQ(codeOf(c), StoreError::Code::Closed);
    f.writer.answerAll();
    EXPECT_EQ(a.get(), "a!");
}

TEST(GroupCommit, ACallerIsResumedOnItsOwnLoop)
{
    Fixture f(limits(10));
    trantor::EventLoopThread home;
    home.run();
    std::promise<bool> onItsLoop;
    std::promise<void> submitted;
    home.getLoop()->queueInLoop([&] {
        [](std::shared_ptr<Queue> queue, trantor::EventLoop *loop,
           std::promise<bool> *answer) -> drogon::AsyncTask {
            Word word{"a"};
            co_await queue->submit(std::move(word));
            answer->set_value(loop->isInLoopThread());
        }(f.queue, home.getLoop(), &onItsLoop);
        submitted.set_value();
    });
    submitted.get_future().get();
    f.writer.answerAll();
    EXPECT_TRUE(onItsLoop.get_future().get());
}
}  // namespace relayer::models
