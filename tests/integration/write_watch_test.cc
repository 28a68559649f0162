// A pool of one session, so that each statement's session is known: what the watch does when the
// sessions of a pool differ in whether they write.
#include "plugins/write_watch.h"

#include "models/execute.h"
#include "support/await.h"
#include "support/eventually.h"
#include "support/test_database.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>

namespace relayer::test
{
namespace
{
using std::chrono::seconds;
using Clock = models::Connections::Clock;

class WritesOfADatabase : public testing::Test
{
  protected:
    void SetUp() override
    {
        RELAYER_NEEDS_SERVER();
        database_ = std::make_unique<TestDatabase>();
        writer_ = std::make_shared<models::Connections>([url = database_->url()](std::size_t) {
            return drogon::orm::DbClient::newPgClient(url, 1);
        });
        instances_ = std::make_shared<models::InstanceRegistry>(writer_);
        watch_ = std::make_shared<plugins::WriteWatch>(instances_, writer_, std::vector{writer_});
        connected();
    }
    void TearDown() override
    {
        watch_.reset();
        instances_.reset();
        if (writer_)
        {
            models::Connections::letGo(std::move(writer_));
        }
    }

    void connected() const
    {
        until([this] { return writer_->available(); });
    }
    template <typename Condition>
    static void until(Condition condition)
    {
        ASSERT_TRUE(eventually(condition));
    }
    // So often sessions have been begun anew, and have taken over.
    void takenOver(std::size_t times) const
    {
        until([&] {
            writer_->supervise(Clock::now(), seconds(20));
            return writer_->replaced() == times;
        });
        connected();
    }
    void notTakenOver() const
    {
        const std::size_t before = writer_->replaced();
        const auto end = Clock::now() + std::chrono::milliseconds(300);
        until([&] {
            writer_->supervise(Clock::now(), seconds(20));
            return Clock::now() > end;
        });
        EXPECT_EQ(writer_->replaced(), before);
    }
    // Of the one session, until its end.
    void takeNoWrites() const
    {
        static const std::string text = "SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY";
        await(models::execute(writer_, &text));
    }
    void look(bool beatRefused) { plugins::WriteWatch::look(watch_, now_, beatRefused); }
    [[nodiscard]] bool enrols() const
    {
        try
        {
            await(instances_->enrol("here", "test"));
            return true;
        }
        catch (const models::StoreError &error)
        {
            EXPECT_EQ(error.code(), models::StoreError::Code::Refused);
            return false;
        }
    }

    std::unique_ptr<TestDatabase> database_;
    models::ConnectionsPtr writer_;
    std::shared_ptr<models::InstanceRegistry> instances_;
    std::shared_ptr<plugins::WriteWatch> watch_;
    Clock::time_point now_ = Clock::now();
};
}  // namespace

// The heartbeat found a session that refuses, the question one that does not, each time.
TEST_F(WritesOfADatabase, AHeartbeatThatIsRefusedStillIsEnoughToBeginAnew)
{
    takeNoWrites();
    EXPECT_FALSE(enrols());
    look(true);
    until([this] { return watch_->readOnly() && writer_->replaced() == 1; });
    connected();
    look(true);
    until([this] { return writer_->replaced() == 2; });
    connected();
    EXPECT_TRUE(watch_->readOnly());
    look(false);
    EXPECT_FALSE(watch_->readOnly());
}

TEST_F(WritesOfADatabase, OnceTheyAreTakenAgainNoSessionIsKept)
{
    takeNoWrites();
    EXPECT_FALSE(enrols());
    look(true);
    until([this] { return watch_->readOnly() && writer_->replaced() == 1; });
    connected();
    EXPECT_TRUE(enrols());
    look(false);
    takenOver(2);
    look(false);
    notTakenOver();
}

TEST_F(WritesOfADatabase, StatementsThatAreRefusedWhileHeartbeatsAreNotCostThePoolOnceInAWhile)
{
    // Of a session that the question does not meet.
    const auto lookAfterARefusal = [this] {
        writer_->refused();
        now_ += seconds(1);
        look(false);
    };
    lookAfterARefusal();
    notTakenOver();
    lookAfterARefusal();
    takenOver(1);
    for (int i = 0; i < 4; ++i)
    {
        lookAfterARefusal();
    }
    notTakenOver();
    lookAfterARefusal();
    takenOver(2);
    EXPECT_FALSE(watch_->readOnly());
}

TEST_F(WritesOfADatabase, OneRefusalIsNoReason)
{
    for (int i = 0; i < 5; ++i)
    {
        writer_->refused();
        look(false);
        look(false);
        now_ += seconds(10);
    }
    notTakenOver();
}

TEST_F(WritesOfADatabase, AStatementMayLearnOfItBeforeTheHeartbeatDoes)
{
    takeNoWrites();
    EXPECT_FALSE(enrols());
    look(false);
    until([this] { return watch_->readOnly() && writer_->replaced() == 1; });
}
}  // namespace relayer::test
