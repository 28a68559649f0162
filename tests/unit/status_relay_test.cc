// Notices between instances: when they are said, and what is heard.
#include "plugins/status_relay.h"

#include "models/store_error.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <coroutine>

namespace relayer::plugins
{
namespace
{
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Ids = std::vector<models::RequestId>;

// A statement that ends when the test says so.
struct Statement
{
    std::coroutine_handle<> waiting;
    bool slow = false;

    [[nodiscard]] bool await_ready() const { return !slow; }
    void await_suspend(std::coroutine_handle<> caller) { waiting = caller; }
    void await_resume() {}
};

class StatusRelaying : public ::testing::Test
{
  protected:
    StatusRelay::Surroundings surroundings()
    {
        StatusRelay::Surroundings around;
        around.self = [this] { return epoch_; };
        around.alone = [this] { return alone_; };
        around.say = [this](std::string notice) { return say(this, std::move(notice)); };
        around.moved = [this](std::span<const models::RequestId> ids) {
            heard_.insert(heard_.end(), ids.begin(), ids.end());
        };
        around.muchMoved = [this] { ++muchHeard_; };
        return around;
    }

    static drogon::Task<> say(StatusRelaying *self, std::string notice)
    {
        self->said_.push_back(std::move(notice));
        co_await self->statement_;
        if (self->down_)
        {
            throw models::StoreError(models::StoreError::Code::Unavailable, "down");
        }
    }

    std::optional<models::Claimer> epoch_ = 7;
    bool alone_ = false;
    bool down_ = false;
    Statement statement_;
    std::vector<std::string> said_;
    Ids heard_;
    int muchHeard_ = 0;
    std::shared_ptr<StatusRelay> relay_ = std::make_shared<StatusRelay>(surroundings());
};
}  // namespace

TEST_F(StatusRelaying, SaysOnceWhatMovedSinceTheLastTime)
{
    relay_->tell(Ids{1});
    relay_->tell(Ids{2, 1});
    EXPECT_THAT(said_, IsEmpty()) << "not before it is time";
    relay_->tick();
    relay_->tick();
    EXPECT_THAT(said_, ElementsAre("7:1,2"));
}

TEST_F(StatusRelaying, SaysNothingWhileThereIsNobodyToHearIt)
{
    alone_ = true;
    relay_->tell(Ids{1});
    relay_->tick();
    EXPECT_THAT(said_, IsEmpty());
    alone_ = false;
    relay_->tick();
    EXPECT_THAT(said_, IsEmpty()) << "who comes now reads the rows";
}

TEST_F(StatusRelaying, SaysOneThingAtATime)
{
    statement_.slow = true;
    relay_->tell(Ids{1});
    relay_->tick();
    relay_->tell(Ids{2});
    relay_->tell(Ids{3});
    relay_->tick();
    EXPECT_THAT(said_, ElementsAre("7:1"));
    statement_.slow = false;
    statement_.waiting.resume();
    relay_->tick();
    EXPECT_THAT(said_, ElementsAre("7:1", "7:2,3"));
}

TEST_F(StatusRelaying, GoesOnAfterADatabaseThatWasAway)
{
    down_ = true;
    relay_->tell(Ids{1});
    relay_->tick();
    down_ = false;
    relay_->tell(Ids{2});
    relay_->tick();
    EXPECT_THAT(said_, ElementsAre("7:1", "7:2"));
}

TEST_F(StatusRelaying, HearsOthersAndNotItself)
{
    relay_->hear("8:5,6");
    relay_->hear("7:1");
    relay_->hear("nonsense");
    EXPECT_THAT(heard_, ElementsAre(5, 6));
    relay_->hear("8:*");
    EXPECT_EQ(muchHeard_, 1);
}

TEST_F(StatusRelaying, KeepsQuietUntilItHasAName)
{
    epoch_.reset();
    relay_->tell(Ids{1});
    relay_->tick();
    EXPECT_THAT(said_, IsEmpty());
    epoch_ = 9;
    relay_->tick();
    EXPECT_THAT(said_, ElementsAre("9:1"));
}
}  // namespace relayer::plugins
