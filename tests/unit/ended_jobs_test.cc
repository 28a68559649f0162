// Answers of jobs that have ended, kept for whoever asks again.
#include "plugins/ended_jobs.h"

#include "wire/labels.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace relayer::plugins
{
namespace
{
using core::Kind;
using std::chrono::seconds;
using wire::Stencil;

core::JobId job(std::uint64_t number)
{
    core::JobId::Raw raw{};
    for (std::size_t i = 0; i < 8; ++i)
    {
        raw[15 - i] = static_cast<std::uint8_t>(number >> (8 * i));
    }
    return core::JobId::fromRandom(raw);
}

Stencil stencil(std::size_t bytes)
{
    return {200, "{", std::string(bytes, 'x')};
}

class EndedJobsTest : public testing::Test
{
  protected:
    EndedJobs::Time now_;
    EndedJobs jobs_{{.bytes = 1 << 20, .keepFor = seconds(60)}, [this] { return now_; }};
};

TEST_F(EndedJobsTest, AreFoundUnderTheirKindOnly)
{
    jobs_.keep(job(1), Kind::PublicDecrypt, stencil(5));
    const auto found = jobs_.find(job(1), Kind::PublicDecrypt);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->after, "xxxxx");
    EXPECT_FALSE(jobs_.find(job(1), Kind::InputProof));
    EXPECT_FALSE(jobs_.find(job(2), Kind::PublicDecrypt));
}

TEST_F(EndedJobsTest, AreForgottenAfterTheirTimeAndMayBeKeptAgain)
{
    jobs_.keep(job(1), Kind::InputProof, stencil(5));
    now_ += seconds(59);
    EXPECT_TRUE(jobs_.find(job(1), Kind::InputProof));
    now_ += seconds(1);
    EXPECT_FALSE(jobs_.find(job(1), Kind::InputProof));
    jobs_.keep(job(1), Kind::InputProof, stencil(7));
    EXPECT_EQ(jobs_.find(job(1), Kind::InputProof)->after.size(), 7U);
}

TEST_F(EndedJobsTest, TakeNoMoreMemoryThanTheyMayAndTheOldestGo)
{
    for (std::uint64_t i = 0; i < 10'000; ++i)
    {
        jobs_.keep(job(i), Kind::InputProof, stencil(1'000));
        ASSERT_LE(jobs_.bytes(), std::size_t{1} << 20);
    }
    EXPECT_GT(jobs_.bytes(), std::size_t{900'000});
    EXPECT_FALSE(jobs_.find(job(0), Kind::InputProof));
    EXPECT_TRUE(jobs_.find(job(9'999), Kind::InputProof));
    // Kept once more with less: counted once.
    const std::size_t before = jobs_.bytes();
    jobs_.keep(job(9'999), Kind::InputProof, stencil(900));
    EXPECT_EQ(jobs_.bytes(), before - 100);
}

TEST_F(EndedJobsTest, DoNotKeepWhatIsTooBigOrWhereNothingMayBeKept)
{
    jobs_.keep(job(1), Kind::InputProof, stencil(100'000));
    EXPECT_FALSE(jobs_.find(job(1), Kind::InputProof));
    EndedJobs none({.bytes = 0});
    none.keep(job(1), Kind::InputProof, stencil(1));
    EXPECT_FALSE(none.find(job(1), Kind::InputProof));
    EXPECT_EQ(none.bytes(), 0U);
}

TEST_F(EndedJobsTest, MayBeAskedByManyThreads)
{
    std::atomic<std::size_t> found{0};
    std::vector<std::jthread> threads;
    for (std::uint64_t thread = 0; thread < 4; ++thread)
    {
        threads.emplace_back([&, thread] {
            for (std::uint64_t i = 0; i < 5'000; ++i)
            {
                jobs_.keep(job(i * 4 + thread), Kind::InputProof, stencil(500));
                found += jobs_.find(job(i * 4 + thread), Kind::InputProof) ? 1 : 0;
            }
        });
    }
    threads.clear();
    EXPECT_GT(found, 0U);
    EXPECT_LE(jobs_.bytes(), std::size_t{1} << 20);
}

TEST(Stencil, GivesTheSameAnswerUnderAnotherId)
{
    const wire::Answer ended = wire::succeeded("the-first", R"({"requestId":"the-first"})");
    const auto kept = wire::stencilOf(ended, "the-first");
    ASSERT_TRUE(kept);
    const wire::Answer again = wire::answerFrom(*kept, "another");
    EXPECT_EQ(again.status, 200);
    EXPECT_EQ(again.body, wire::succeeded("another", R"({"requestId":"the-first"})").body);
    const wire::Answer failed = wire::failed("the-first", wire::internalError());
    EXPECT_EQ(wire::answerFrom(*wire::stencilOf(failed, "the-first"), "b").body,
              wire::failed("b", wire::internalError()).body);
}

TEST(Stencil, IsMadeOfNoAnswerThatMayChange)
{
    wire::Answer later = wire::failed("a", wire::storeUnreachable());
    later.retryAfterSeconds = 3;
    EXPECT_FALSE(wire::stencilOf(later, "a"));
    EXPECT_FALSE(wire::stencilOf(wire::succeeded("abc", "{}"), "ab"));
    EXPECT_FALSE(wire::stencilOf(wire::Answer{200, "{}", std::nullopt}, "ab"));
}
}  // namespace
}  // namespace relayer::plugins
