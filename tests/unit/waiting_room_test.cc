// Callers that wait for a change, and what is read for them; the test is the clock, the loop and
// the database.
#include "plugins/waiting_room.h"

#include "models/store_error.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <memory>
#include <optional>

namespace relayer::plugins
{
namespace
{
using core::Status;
using std::chrono::milliseconds;
using std::chrono::seconds;
using Why = WaitingRoom::Wake::Why;
using Ids = std::vector<WaitingRoom::RequestId>;

core::JobId jobId(std::int64_t id)
{
    core::JobId::Raw raw{};
    raw[0] = static_cast<std::uint8_t>(id);
    return core::JobId::fromRandom(raw);
}

class House
{
  public:
    WaitingRoom::Surroundings surroundings()
    {
        WaitingRoom::Surroundings around;
        around.now = [this] { return now; };
        around.soon = [this](std::function<void()> call) { soon_.push_back(std::move(call)); };
        around.read = [this](Ids ids) { return read(this, std::move(ids)); };
        around.statuses = [this](Ids ids) { return statuses(this, std::move(ids)); };
        return around;
    }

    // What the loop would do.
    void settle()
    {
        while (!soon_.empty())
        {
            const auto call = std::move(soon_.front());
            soon_.pop_front();
            call();
        }
    }

    [[nodiscard]] WaitingRoom::Job job(std::int64_t id) const
    {
        return {id, jobId(id), core::Kind::InputProof, rows.at(id), now};
    }

    std::map<std::int64_t, Status> rows;
    WaitingRoom::Time now = seconds(1000);
    bool down = false;
    std::vector<std::size_t> reads;     // how many rows each had
    std::vector<std::size_t> compares;  // the same
    // Called while a read is on its way, after the database has looked.
    std::function<void()> meanwhile;

  private:
    static drogon::Task<std::vector<WaitingRoom::Found>> read(House *self, Ids ids)
    {
        self->reads.push_back(ids.size());
        self->check();
        std::vector<WaitingRoom::Found> found;
        for (const auto id : ids)
        {
            if (self->rows.contains(id))
            {
                WaitingRoom::Found each;
                each.job = self->job(id);
                if (core::isTerminal(each.job.status))
                {
                    each.ended = std::make_shared<const JobView>();
                }
                found.push_back(std::move(each));
            }
        }
        if (self->meanwhile)
        {
            std::exchange(self->meanwhile, {})();
        }
        co_return found;
    }

    static drogon::Task<WaitingRoom::Statuses> statuses(House *self, Ids ids)
    {
        self->compares.push_back(ids.size());
        self->check();
        WaitingRoom::Statuses statuses;
        for (const auto id : ids)
        {
            if (self->rows.contains(id))
            {
                statuses.emplace_back(id, self->rows.at(id));
            }
        }
        co_return statuses;
    }

    void check() const
    {
        if (down)
        {
            throw models::StoreError(models::StoreError::Code::Unavailable, "down");
        }
    }

    std::deque<std::function<void()>> soon_;
};

using Outcome = std::shared_ptr<std::optional<WaitingRoom::Wake>>;

drogon::AsyncTask waitInto(std::shared_ptr<WaitingRoom> room, WaitingRoom::Job job,
                           WaitingRoom::Time atMost, Outcome outcome)
{
    const auto asking = room->ask();
    *outcome = co_await room->wait(asking, job, atMost);
}

class Waiting : public ::testing::Test
{
  protected:
    static core::StatusWaiters::Limits limits()
    {
        core::StatusWaiters::Limits limits;
        limits.waiters = 1000;
        limits.jobs = 1000;
        return limits;
    }

    // Who still waits would never end.
    void TearDown() override
    {
        room_->close();
        house_.settle();
    }

    Outcome wait(std::int64_t id, WaitingRoom::Time atMost = seconds(30))
    {
        auto outcome = std::make_shared<std::optional<WaitingRoom::Wake>>();
        waitInto(room_, house_.job(id), atMost, outcome);
        return outcome;
    }

    void move(std::int64_t id, Status to, bool told = true)
    {
        house_.rows[id] = to;
        if (told)
        {
            room_->changed(Ids{id});
        }
    }

    void pass(WaitingRoom::Time time)
    {
        const auto until = house_.now + time;
        while (house_.now < until)
        {
            house_.now += milliseconds(100);
            room_->tick();
            house_.settle();
        }
    }

    House house_;
    std::shared_ptr<WaitingRoom> room_ =
        std::make_shared<WaitingRoom>(limits(), house_.surroundings());
};
}  // namespace

TEST_F(Waiting, EndsWhenTheStatusChangesAndSaysToWhat)
{
    house_.rows[1] = Status::Processing;
    const Outcome outcome = wait(1);
    EXPECT_FALSE(*outcome);
    move(1, Status::TxInFlight);
    house_.settle();
    ASSERT_TRUE(*outcome);
    EXPECT_EQ((*outcome)->why, Why::Changed);
    EXPECT_EQ((*outcome)->job.status, Status::TxInFlight);
    EXPECT_FALSE((*outcome)->ended);
}

TEST_F(Waiting, OneReadServesAllWhoWaitForAJobAndAllJobsThatMovedTogether)
{
    std::vector<Outcome> outcomes;
    Ids ids;
    for (std::int64_t id = 1; id <= 100; ++id)
    {
        house_.rows[id] = Status::Processing;
        for (int i = 0; i < 5; ++i)
        {
            outcomes.push_back(wait(id));
        }
        ids.push_back(id);
    }
    for (const auto id : ids)
    {
        house_.rows[id] = Status::Completed;
    }
    room_->changed(ids);
    house_.settle();
    EXPECT_THAT(house_.reads, ::testing::ElementsAre(100));
    for (std::size_t i = 0; i < outcomes.size(); ++i)
    {
        ASSERT_TRUE(*outcomes[i]);
        EXPECT_TRUE((*outcomes[i])->ended);
        EXPECT_EQ((*outcomes[i])->ended, (*outcomes[i - i % 5])->ended) << "shared";
    }
    EXPECT_EQ(room_->snapshot().waiting, 0U);
}

TEST_F(Waiting, EndsInTimeWithoutARead)
{
    house_.rows[1] = Status::Processing;
    const Outcome outcome = wait(1, seconds(1));
    pass(milliseconds(900));
    EXPECT_FALSE(*outcome);
    pass(milliseconds(100));
    ASSERT_TRUE(*outcome);
    EXPECT_EQ((*outcome)->why, Why::Overdue);
    EXPECT_EQ((*outcome)->job.status, Status::Processing);
    EXPECT_THAT(house_.reads, ::testing::IsEmpty());
}

TEST_F(Waiting, FindsWhatNobodyToldIt)
{
    house_.rows[1] = Status::Processing;
    const Outcome outcome = wait(1);
    move(1, Status::Failure, false);
    pass(seconds(5));
    ASSERT_TRUE(*outcome) << "the comparison with the row is what counts";
    EXPECT_EQ((*outcome)->job.status, Status::Failure);
}

TEST_F(Waiting, NeedsLessThanOneStatementASecondHoweverManyWait)
{
    for (std::int64_t id = 1; id <= 500; ++id)
    {
        house_.rows[id] = Status::Processing;
        wait(id, seconds(60));
    }
    pass(seconds(30));
    EXPECT_THAT(house_.reads, ::testing::IsEmpty());
    EXPECT_LE(house_.compares.size(), 15U);
    EXPECT_GE(house_.compares.size(), 7U);
    EXPECT_THAT(house_.compares, ::testing::Each(500));
}

TEST_F(Waiting, MissesNothingThatChangesWhileItIsBeingRead)
{
    house_.rows[1] = Status::Processing;
    const Outcome outcome = wait(1);
    // The read sees the row as it was, and the change comes before the read is back.
    house_.meanwhile = [this] { move(1, Status::TxInFlight); };
    room_->changed(Ids{1});
    house_.settle();
    ASSERT_TRUE(*outcome);
    EXPECT_EQ((*outcome)->job.status, Status::TxInFlight);
}

TEST_F(Waiting, MissesNothingThatChangedBeforeItBegan)
{
    house_.rows[1] = Status::Processing;
    const auto asking = room_->ask();
    const WaitingRoom::Job asItWas = house_.job(1);
    move(1, Status::TxInFlight);
    auto outcome = std::make_shared<std::optional<WaitingRoom::Wake>>();
    // Somebody who has read the row before it moved.
    [](std::shared_ptr<WaitingRoom> room, const WaitingRoom::Asking *before, WaitingRoom::Job job,
       Outcome into) -> drogon::AsyncTask {
        *into = co_await room->wait(*before, job, seconds(30));
    }(room_, &asking, asItWas, outcome);
    house_.settle();
    ASSERT_TRUE(*outcome);
    EXPECT_EQ((*outcome)->job.status, Status::TxInFlight);
}

TEST_F(Waiting, OutlastsADatabaseThatIsAway)
{
    house_.rows[1] = Status::Processing;
    const Outcome outcome = wait(1);
    house_.down = true;
    move(1, Status::Completed);
    pass(seconds(3));
    EXPECT_FALSE(*outcome);
    EXPECT_LE(house_.reads.size(), 4U) << "it is not hammered";
    house_.down = false;
    pass(seconds(1));
    ASSERT_TRUE(*outcome);
    EXPECT_TRUE((*outcome)->ended);
}

TEST_F(Waiting, EndsWhenTheRowIsGone)
{
    house_.rows[1] = Status::Processing;
    const Outcome outcome = wait(1);
    house_.rows.clear();
    pass(seconds(5));
    ASSERT_TRUE(*outcome);
    EXPECT_EQ((*outcome)->why, Why::Missing);
}

TEST_F(Waiting, EndsForEverybodyWhenTheHouseCloses)
{
    house_.rows[1] = Status::Processing;
    const Outcome before = wait(1);
    room_->close();
    ASSERT_TRUE(*before);
    EXPECT_EQ((*before)->why, Why::Closing);
    EXPECT_EQ((*before)->job.status, Status::Processing);
    const Outcome after = wait(1);
    ASSERT_TRUE(*after);
    EXPECT_EQ((*after)->why, Why::NotHeld);
}

TEST_F(Waiting, CostsNothingWhereNobodyWaits)
{
    house_.rows[1] = Status::Processing;
    move(1, Status::TxInFlight);
    pass(seconds(10));
    EXPECT_THAT(house_.reads, ::testing::IsEmpty());
    EXPECT_THAT(house_.compares, ::testing::IsEmpty());
}

TEST_F(Waiting, WhenMuchMovedEverythingIsComparedAtOnce)
{
    house_.rows[1] = Status::Processing;
    const Outcome outcome = wait(1);
    pass(milliseconds(100));
    move(1, Status::Completed, false);
    room_->compareAll();
    pass(milliseconds(200));
    ASSERT_TRUE(*outcome);
    EXPECT_THAT(house_.compares, ::testing::ElementsAre(1));
}

TEST_F(Waiting, WhoComesBackNeedsNoReadEither)
{
    house_.rows[1] = Status::Processing;
    wait(1, seconds(1));
    pass(seconds(2));
    const auto known = room_->known(jobId(1));
    ASSERT_TRUE(known);
    EXPECT_EQ(known->status, Status::Processing);
    EXPECT_FALSE(room_->known(jobId(2)));
    pass(seconds(30));
    EXPECT_FALSE(room_->known(jobId(1)));
}
}  // namespace relayer::plugins
