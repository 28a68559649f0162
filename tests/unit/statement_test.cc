// A statement always ends, also when Drogon forgets it.
#include "models/execute.h"
#include "support/await.h"

#include <drogon/orm/Exception.h>
#include <gtest/gtest.h>
#include <trantor/net/EventLoopThread.h>

namespace relayer::models
{
namespace
{
using TicketPtr = std::shared_ptr<Statement::Ticket>;

drogon::Task<int> run(Statement::Send send)
{
    Statement statement(std::move(send));
    co_await statement;
    co_return 1;
}

StoreError::Code codeOf(std::future<int> &future)
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

TEST(Statement, WhoseCallbacksAreDroppedEndsAsUnavailable)
{
    TicketPtr held;
    auto future = test::start(run([&](const TicketPtr &ticket) { held = ticket; }));
    held.reset();
    EXPECT_EQ(codeOf(future), StoreError::Code::Unavailable);
}

TEST(Statement, DroppedOnARunningLoopResumesTheCallerLaterAndNotInTheMiddleOfTheDropping)
{
    trantor::EventLoopThread thread;
    thread.run();
    TicketPtr held;
    auto future = test::start(run([&](const TicketPtr &ticket) { held = ticket; }));
    std::promise<bool> stillWaitingAfterTheDrop;
    thread.getLoop()->queueInLoop([&] {
        held.reset();
        stillWaitingAfterTheDrop.set_value(future.wait_for(std::chrono::seconds(0)) ==
                                           std::future_status::timeout);
    });
    EXPECT_TRUE(stillWaitingAfterTheDrop.get_future().get());
    EXPECT_EQ(codeOf(future), StoreError::Code::Unavailable);
}

TEST(Statement, ThatFailedIsNotResumedAgainByADroppedCallback)
{
    TicketPtr held;
    auto future = test::start(run([&](const TicketPtr &ticket) { held = ticket; }));
    held->fail(std::make_exception_ptr(drogon::orm::TimeoutError("late")));
    held->succeed(drogon::orm::Result(nullptr));
    held.reset();
    EXPECT_THROW(future.get(), drogon::orm::TimeoutError);
}

TEST(Statement, WhichIsNeverSentEndsAsWell)
{
    auto future = test::start(run([](const TicketPtr &) {}));
    EXPECT_EQ(codeOf(future), StoreError::Code::Unavailable);
}
}  // namespace relayer::models
