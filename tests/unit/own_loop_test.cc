// Loops on threads of their own, and how they end.
#include "plugins/own_loop.h"

#include "models/calls_into_loops.h"
#include "models/gate.h"
#include "plugins/resumed_on.h"

#include <gtest/gtest.h>

#include <future>
#include <memory>
#include <set>
#include <thread>
#include <utility>

namespace relayer::test
{
namespace
{
using plugins::OwnLoop;

TEST(OwnLoop, RunsWorkOnItsThreadAndWaitsForIt)
{
    OwnLoop loop("mine");
    std::thread::id ran;
    bool inside = false;
    loop.run([&] {
        ran = std::this_thread::get_id();
        inside = loop.get()->isInLoopThread();
    });
    EXPECT_TRUE(inside);
    EXPECT_NE(ran, std::this_thread::get_id());
}

TEST(OwnLoop, IsAmongThemAsLongAsItIsThere)
{
    const auto names = [] {
        std::set<std::string> all;
        OwnLoop::each([&all](const std::string &name, trantor::EventLoop *) { all.insert(name); });
        return all;
    };
    {
        const OwnLoop loop("among them");
        EXPECT_TRUE(names().contains("among them"));
    }
    EXPECT_FALSE(names().contains("among them"));
}

drogon::Task<> statement(trantor::EventLoop *database)
{
    co_await drogon::switchThreadCoro(database);
}

drogon::AsyncTask ask(OwnLoop *loop, trantor::EventLoop *database,
                      std::shared_ptr<models::Gate> gate, std::atomic<int> *answers)
{
    const auto pass = gate->enter();
    co_await plugins::resumedOn(loop->get(), statement(database));
    ++*answers;
}

// What the thread sanitizer looks at: nobody touches the loop when it is gone.
TEST(OwnLoop, EndsWhenThoseWhoCameBackToItAreOut)
{
    const OwnLoop database("database");
    std::atomic<int> answers{0};
    constexpr int kTimes = 300;
    for (int i = 0; i < kTimes; ++i)
    {
        const auto gate = std::make_shared<models::Gate>();
        OwnLoop loop("plugin");
        loop.run([&] { ask(&loop, database.get(), gate, &answers); });
        gate->close();
        ASSERT_TRUE(gate->waitUntilEmpty(std::chrono::seconds(60)));
    }
    EXPECT_EQ(answers, kTimes);
}

TEST(OwnLoop, ThatIsKeptForGoodRunsOnWithWhatLivesOnIt)
{
    auto loop = std::make_unique<OwnLoop>("kept");
    trantor::EventLoop *const there = loop->get();
    auto node = std::make_shared<int>(1);
    auto ofAnotherLoop = std::make_shared<int>(2);
    const std::weak_ptr<int> kept = node;
    const std::weak_ptr<int> keptToo = ofAnotherLoop;
    plugins::keepForGood(std::move(loop), {std::move(node)});
    plugins::keepForGood(nullptr, {std::move(ofAnotherLoop)});
    EXPECT_FALSE(kept.expired());
    EXPECT_FALSE(keptToo.expired());
    const auto ran = std::make_shared<std::promise<void>>();
    there->queueInLoop([ran] { ran->set_value(); });
    EXPECT_EQ(ran->get_future().wait_for(std::chrono::seconds(60)), std::future_status::ready);
}
}  // namespace
}  // namespace relayer::test
