// Who waits for which request, as bookkeeping; the test is the clock and the database.
#include "core/status_waiters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

namespace relayer::core
{
namespace
{
using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;
using Time = StatusWaiters::Time;
using Ids = std::vector<StatusWaiters::RequestId>;

constexpr Time kStart = seconds(1000);

JobId jobId(std::int64_t id)
{
    JobId::Raw raw{};
    raw[0] = static_cast<std::uint8_t>(id);
    raw[1] = static_cast<std::uint8_t>(id >> 8);
    return JobId::fromRandom(raw);
}

StatusWaiters::Job job(std::int64_t id, Status status = Status::Processing)
{
    return {id, jobId(id), Kind::InputProof, status, kStart};
}

class StatusWaiting : public ::testing::Test
{
  protected:
    static StatusWaiters::Limits limits()
    {
        StatusWaiters::Limits limits;
        limits.waiters = 4;
        limits.jobs = 5;
        limits.linger = seconds(10);
        limits.trusted = seconds(20);
        return limits;
    }

    bool waitFor(StatusWaiters::Waiter &waiter, const StatusWaiters::Job &which,
                 Time atMost = seconds(30))
    {
        return waiters_.add(waiter, which, waiters_.told(), kStart, kStart + atMost);
    }

    // Before the list: it lets go of those that are still in it.
    StatusWaiters::Waiter a_, b_, c_, d_, e_;
    StatusWaiters waiters_{limits()};
};
}  // namespace

TEST_F(StatusWaiting, AHintMakesTheRequestUnreadAndOnlyTheRowWakes)
{
    ASSERT_TRUE(waitFor(a_, job(1)));
    ASSERT_TRUE(waitFor(b_, job(2)));
    waiters_.changed(Ids{1, 1, 77});
    EXPECT_THAT(waiters_.takeUnread(10), ElementsAre(1)) << "once, and only who is waited for";
    EXPECT_THAT(waiters_.found(job(1), kStart), IsEmpty()) << "the row says: nothing happened";
    EXPECT_THAT(waiters_.found(job(1, Status::TxInFlight), kStart), ElementsAre(&a_));
    EXPECT_FALSE(a_.isIn());
    EXPECT_TRUE(b_.isIn());
    EXPECT_EQ(waiters_.waiters(), 1U);
}

TEST_F(StatusWaiting, EverybodyIsWokenByTheEnd)
{
    ASSERT_TRUE(waitFor(a_, job(1)));
    ASSERT_TRUE(waitFor(b_, job(1)));
    EXPECT_THAT(waiters_.found(job(1, Status::Completed), kStart), UnorderedElementsAre(&a_, &b_));
    EXPECT_EQ(waiters_.jobs(), 0U) << "nothing more is to come";
    EXPECT_FALSE(waiters_.known(jobId(1), kStart));
}

TEST_F(StatusWaiting, WhoKnowsTheNewStatusAlreadyIsNotWoken)
{
    ASSERT_TRUE(waitFor(a_, job(1, Status::Processing)));
    ASSERT_TRUE(waitFor(b_, job(1, Status::TxInFlight)));
    EXPECT_THAT(waiters_.takeUnread(10), ElementsAre(1)) << "two reads that differ are read again";
    EXPECT_THAT(waiters_.found(job(1, Status::TxInFlight), kStart), ElementsAre(&a_));
    EXPECT_TRUE(b_.isIn());
}

TEST_F(StatusWaiting, WhatChangedBetweenTheReadAndTheWaitIsReadAgain)
{
    const std::uint64_t told = waiters_.told();
    waiters_.changed(Ids{5, 1, 6});
    ASSERT_TRUE(waiters_.add(a_, job(1), told, kStart, kStart + seconds(30)));
    EXPECT_THAT(waiters_.takeUnread(10), ElementsAre(1));

    ASSERT_TRUE(waiters_.add(b_, job(2), told, kStart, kStart + seconds(30)));
    EXPECT_THAT(waiters_.takeUnread(10), IsEmpty()) << "nobody said so of this one";
}

TEST_F(StatusWaiting, AfterMoreHintsThanAreRememberedEverythingIsReadAgain)
{
    const std::uint64_t told = waiters_.told();
    waiters_.changed(Ids(StatusWaiters::kRecent, 5));
    ASSERT_TRUE(waiters_.add(a_, job(1), told, kStart, kStart + seconds(30)));
    EXPECT_THAT(waiters_.takeUnread(10), IsEmpty());
    waiters_.changed(Ids{5});
    ASSERT_TRUE(waiters_.add(b_, job(2), told, kStart, kStart + seconds(30)));
    EXPECT_THAT(waiters_.takeUnread(10), ElementsAre(2));
}

TEST_F(StatusWaiting, ReadsThatFailAreRepeated)
{
    ASSERT_TRUE(waitFor(a_, job(1)));
    waiters_.changed(Ids{1});
    const Ids ids = waiters_.takeUnread(10);
    EXPECT_FALSE(waiters_.hasUnread());
    waiters_.putBack(ids);
    EXPECT_THAT(waiters_.takeUnread(10), ElementsAre(1));
}

TEST_F(StatusWaiting, DeadlinesComeInTheirOrder)
{
    ASSERT_TRUE(waitFor(a_, job(1), seconds(20)));
    ASSERT_TRUE(waitFor(b_, job(2), seconds(10)));
    EXPECT_THAT(waiters_.overdue(kStart + seconds(10) - Time(1)), IsEmpty());
    auto over = waiters_.overdue(kStart + seconds(10));
    ASSERT_EQ(over.size(), 1U);
    EXPECT_EQ(over[0].waiter, &b_);
    EXPECT_EQ(over[0].job.id, 2);
    EXPECT_FALSE(b_.isIn());
    EXPECT_EQ(waiters_.overdue(kStart + seconds(20)).size(), 1U);
}

TEST_F(StatusWaiting, EveryRequestIsComparedInItsTurn)
{
    ASSERT_TRUE(waitFor(a_, job(1)));
    ASSERT_TRUE(waitFor(b_, job(2)));
    ASSERT_TRUE(waitFor(c_, job(3)));
    EXPECT_THAT(waiters_.page(kStart, 10), IsEmpty()) << "they have just been read";
    const Time later = kStart + seconds(2);
    EXPECT_THAT(waiters_.page(later, 2), ElementsAre(1, 2));
    EXPECT_THAT(waiters_.page(later, 2), ElementsAre(3, 1)) << "and so on, also when it fails";
    for (const std::int64_t id : {1, 2, 3})
    {
        waiters_.compared(id, Status::Processing, later);
    }
    EXPECT_THAT(waiters_.page(later, 10), IsEmpty());
    EXPECT_FALSE(waiters_.hasUnread());
    waiters_.compared(2, Status::Failure, later);
    EXPECT_THAT(waiters_.takeUnread(10), ElementsAre(2)) << "read, to be shown";
}

TEST_F(StatusWaiting, AboveTheLimitNobodyWaits)
{
    ASSERT_TRUE(waitFor(a_, job(1)));
    ASSERT_TRUE(waitFor(b_, job(1)));
    ASSERT_TRUE(waitFor(c_, job(1)));
    ASSERT_TRUE(waitFor(d_, job(1)));
    EXPECT_FALSE(waitFor(e_, job(1)));
    waiters_.remove(a_, kStart);
    EXPECT_TRUE(waitFor(e_, job(1))) << "a place that is left is free at once";
}

TEST_F(StatusWaiting, WhoComesBackSoonIsServedFromMemory)
{
    ASSERT_TRUE(waitFor(a_, job(1), seconds(1)));
    ASSERT_EQ(waiters_.overdue(kStart + seconds(1)).size(), 1U);
    waiters_.forget(kStart + seconds(10));
    const auto known = waiters_.known(jobId(1), kStart + seconds(10));
    ASSERT_TRUE(known);
    EXPECT_EQ(known->id, 1);
    EXPECT_EQ(known->status, Status::Processing);
    EXPECT_EQ(known->since, kStart);
    waiters_.forget(kStart + seconds(11));
    EXPECT_EQ(waiters_.jobs(), 0U) << "ten seconds after the last one left";
}

TEST_F(StatusWaiting, WhoIsSentAwayLeavesARequestThatIsForgottenLikeOthers)
{
    ASSERT_TRUE(waitFor(a_, job(1), seconds(60)));
    ASSERT_EQ(waiters_.removeAll(kStart + seconds(1)).size(), 1U);
    waiters_.forget(kStart + seconds(10));
    EXPECT_EQ(waiters_.jobs(), 1U);
    waiters_.forget(kStart + seconds(11));
    EXPECT_EQ(waiters_.jobs(), 0U);
}

TEST_F(StatusWaiting, WhatWasNotComparedForLongIsNotTrusted)
{
    ASSERT_TRUE(waitFor(a_, job(1), seconds(60)));
    EXPECT_TRUE(waiters_.known(jobId(1), kStart + seconds(20)));
    EXPECT_FALSE(waiters_.known(jobId(1), kStart + seconds(20) + Time(1)));
    waiters_.compared(1, Status::Processing, kStart + seconds(21));
    EXPECT_TRUE(waiters_.known(jobId(1), kStart + seconds(41)));
}

TEST_F(StatusWaiting, RequestsThatNobodyWaitsForMakeRoomTheOldestFirst)
{
    for (const std::int64_t id : {1, 2, 3, 4, 5})
    {
        ASSERT_TRUE(waitFor(a_, job(id)));
        waiters_.remove(a_, kStart + milliseconds(id));
    }
    ASSERT_EQ(waiters_.jobs(), 5U);
    ASSERT_TRUE(waitFor(a_, job(6)));
    EXPECT_EQ(waiters_.jobs(), 5U);
    EXPECT_FALSE(waiters_.known(jobId(1), kStart));
    EXPECT_TRUE(waiters_.known(jobId(2), kStart));
}

TEST_F(StatusWaiting, ARowThatIsGoneWakesEverybody)
{
    ASSERT_TRUE(waitFor(a_, job(1)));
    ASSERT_TRUE(waitFor(b_, job(1)));
    EXPECT_THAT(waiters_.missing(1), UnorderedElementsAre(&a_, &b_));
    EXPECT_THAT(waiters_.missing(1), IsEmpty());
    EXPECT_EQ(waiters_.jobs(), 0U);
}

TEST_F(StatusWaiting, HintsOfWhatIsGoneDoNoHarm)
{
    ASSERT_TRUE(waitFor(a_, job(1)));
    waiters_.changed(Ids{1});
    ASSERT_EQ(waiters_.missing(1).size(), 1U);
    EXPECT_THAT(waiters_.takeUnread(10), IsEmpty());
    EXPECT_THAT(waiters_.found(job(1, Status::Completed), kStart), IsEmpty());
    waiters_.compared(1, Status::Completed, kStart);
    waiters_.putBack(Ids{1});
    EXPECT_FALSE(waiters_.hasUnread());
}
}  // namespace relayer::core
