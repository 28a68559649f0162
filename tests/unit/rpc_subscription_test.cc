// A subscription over connections that break, fall silent, lie or carry much at once.
#include "chain/rpc/log_subscription.h"
#include "core/bytes.h"
#include "support/client_loop.h"
#include "support/fake_node.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>

namespace relayer::chain::rpc
{
namespace
{
using std::chrono::milliseconds;
using std::chrono::seconds;
using test::FakeNode;

Json::Value logOf(int index, const std::string &data = "0x01")
{
    Json::Value log;
    log["address"] = "0x" + std::string(40, 'c');
    log["topics"].append("0x" + std::string(64, 'a'));
    log["data"] = data;
    log["blockNumber"] = "0x1";
    log["blockHash"] = "0x" + std::string(64, 'b');
    log["logIndex"] = index;
    log["transactionHash"] = "0x" + std::string(64, 'd');
    return log;
}

class RpcSubscription : public testing::Test
{
  protected:
    RpcSubscription() { node_.answer("eth_blockNumber", R"("0x7")"); }
    void TearDown() override
    {
        onLoop([this] {
            if (subscription_)
            {
                subscription_->stop();
            }
        });
    }

    void onLoop(const std::function<void()> &what)
    {
        std::promise<void> done;
        loop_.get()->runInLoop([&] {
            what();
            done.set_value();
        });
        done.get_future().get();
    }

    [[nodiscard]] SubscriptionOptions options() const
    {
        SubscriptionOptions options;
        options.endpoint = {.name = "feed", .url = node_.socketUrl("/ws/SECRETKEY?a=b")};
        options.backOffFirst = milliseconds(10);
        options.backOffMost = milliseconds(50);
        return options;
    }

    void subscribe(SubscriptionOptions options)
    {
        LogSubscription::Events events;
        events.subscribed = [this] { change([this] { ++subscribed_; }); };
        events.logs = [this](std::vector<Log> logs, std::size_t skipped) {
            change([&] {
                skipped_ += skipped;
                logs_.insert(logs_.end(), logs.begin(), logs.end());
            });
        };
        events.head = [this](std::uint64_t number) { change([&] { head_ = number; }); };
        events.broken = [this](const std::string &why) { change([&] { broken_.push_back(why); }); };
        subscription_ = subscribeToLogs(loop_.get(), std::move(options), std::move(events));
        onLoop([this] { subscription_->start(); });
    }

    void change(const std::function<void()> &what)
    {
        const std::scoped_lock lock(mutex_);
        what();
        changed_.notify_all();
    }

    [[nodiscard]] bool waitFor(const std::function<bool()> &condition)
    {
        std::unique_lock lock(mutex_);
        return changed_.wait_for(lock, seconds(10), condition);
    }
    [[nodiscard]] bool waitForSubscribed(std::size_t times)
    {
        return waitFor([&] { return subscribed_ >= times; });
    }
    [[nodiscard]] bool waitForLogs(std::size_t count)
    {
        return waitFor([&] { return logs_.size() >= count; });
    }
    [[nodiscard]] std::string lastBreak()
    {
        const std::scoped_lock lock(mutex_);
        return broken_.empty() ? "" : broken_.back();
    }

    test::ClientLoop loop_;
    FakeNode node_;
    std::shared_ptr<LogSubscription> subscription_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::size_t subscribed_ = 0;
    std::vector<Log> logs_;
    std::size_t skipped_ = 0;
    std::optional<std::uint64_t> head_;
    std::vector<std::string> broken_;
};

TEST_F(RpcSubscription, DeliversLogsInOrderAndCountsWhatIsNone)
{
    SubscriptionOptions wanted = options();
    wanted.addresses = {core::Address{1}, core::Address{2}};
    wanted.anyTopic0 = {core::Hash32{3}};
    subscribe(std::move(wanted));
    ASSERT_TRUE(waitForSubscribed(1));
    const auto params = node_.params("eth_subscribe").at(0);
    EXPECT_EQ(params[0].asString(), "logs");
    EXPECT_EQ(params[1]["address"].size(), 2U);
    EXPECT_EQ(params[1]["topics"][0].size(), 1U);
    for (int i = 0; i < 100; ++i)
    {
        node_.pushLog(logOf(i));
    }
    Json::Value pending = logOf(0);
    pending.removeMember("transactionHash");
    node_.pushLog(pending);
    ASSERT_TRUE(waitFor([this] { return skipped_ == 1; }));
    ASSERT_EQ(logs_.size(), 100U);
    for (std::uint32_t i = 0; i < 100; ++i)
    {
        EXPECT_EQ(logs_[i].logIndex, i);
    }
}

TEST_F(RpcSubscription, SurvivesFramesThatAreNoJson)
{
    subscribe(options());
    ASSERT_TRUE(waitForSubscribed(1));
    for (const char *text : {"", "gibberish", "[]", "{}", "{\"method\":\"eth_subscription\"}"})
    {
        node_.pushText(text);
    }
    node_.pushLog(logOf(1));
    ASSERT_TRUE(waitForLogs(1));
    EXPECT_EQ(subscription_->state().strange, 5U);
    EXPECT_TRUE(subscription_->state().subscribed);
    EXPECT_TRUE(broken_.empty());
}

TEST_F(RpcSubscription, TakesAMessageOfAMegabyteAndRefusesOneThatIsTooBig)
{
    const std::string data = "0x" + std::string(1024UL * 1024, '7');
    SubscriptionOptions wanted = options();
    wanted.maxMessage = 2UL * 1024 * 1024;
    subscribe(std::move(wanted));
    ASSERT_TRUE(waitForSubscribed(1));
    node_.pushLog(logOf(1, data));
    ASSERT_TRUE(waitForLogs(1));
    EXPECT_EQ(logs_[0].data.size(), 512UL * 1024);
    node_.pushLog(logOf(2, "0x" + std::string(3UL * 1024 * 1024, '7')));
    ASSERT_TRUE(waitForSubscribed(2));
    EXPECT_EQ(logs_.size(), 1U);
    EXPECT_THAT(lastBreak(), testing::HasSubstr("too big"));
}

TEST_F(RpcSubscription, ConnectsAgainWhenTheConnectionBreaksAndSaysSoEachTime)
{
    subscribe(options());
    for (std::size_t round = 1; round <= 5; ++round)
    {
        ASSERT_TRUE(waitForSubscribed(round));
        ASSERT_TRUE(node_.waitForSubscribers(1));
        node_.pushLog(logOf(static_cast<int>(round)));
        ASSERT_TRUE(waitForLogs(round));
        node_.dropSockets();
    }
    ASSERT_TRUE(waitForSubscribed(6));
    EXPECT_EQ(broken_.size(), 5U);
    EXPECT_EQ(node_.server().accepted(), 6U) << "Drogon's own reconnect stays off";
    EXPECT_EQ(subscription_->state().connects, 6U);
    EXPECT_EQ(subscription_->state().failures, 0U);
}

TEST_F(RpcSubscription, NoticesSilence)
{
    SubscriptionOptions wanted = options();
    wanted.probeEvery = milliseconds(30);
    wanted.silence = milliseconds(150);
    subscribe(std::move(wanted));
    ASSERT_TRUE(waitForSubscribed(1));
    ASSERT_TRUE(waitFor([this] { return head_ == 7U; })) << "the probe tells the head";
    EXPECT_TRUE(broken_.empty());
    node_.goSilent(true);
    ASSERT_TRUE(waitFor([this] { return !broken_.empty(); }));
    EXPECT_THAT(lastBreak(), testing::HasSubstr("silent"));
    node_.goSilent(false);
    ASSERT_TRUE(waitForSubscribed(2));
}

TEST_F(RpcSubscription, GivesUpANodeThatDoesNotAnswerItsSubscription)
{
    node_.goSilent(true);
    SubscriptionOptions wanted = options();
    wanted.connectTimeout = milliseconds(100);
    subscribe(std::move(wanted));
    ASSERT_TRUE(waitFor([this] { return broken_.size() >= 2; }));
    EXPECT_FALSE(subscription_->state().subscribed);
    node_.goSilent(false);
    ASSERT_TRUE(waitForSubscribed(1));
}

TEST_F(RpcSubscription, TriesAgainWhenItIsRefusedAndWhenNobodyListens)
{
    node_.refuseSubscriptions(true);
    subscribe(options());
    ASSERT_TRUE(waitFor([this] { return broken_.size() >= 3; }));
    EXPECT_THAT(lastBreak(), testing::HasSubstr("refused"));
    EXPECT_GE(subscription_->state().failures, 3U);
    node_.refuseConnections(true);
    node_.refuseSubscriptions(false);
    node_.dropSockets();
    std::size_t before = 0;
    change([&] { before = broken_.size(); });
    ASSERT_TRUE(waitFor([&] { return broken_.size() >= before + 3; }));
    node_.refuseConnections(false);
    ASSERT_TRUE(waitForSubscribed(1));
    const std::scoped_lock lock(mutex_);
    for (const std::string &why : broken_)
    {
        EXPECT_THAT(why, testing::StartsWith("feed: "));
        EXPECT_THAT(why, testing::Not(testing::HasSubstr("SECRETKEY")));
    }
}

TEST_F(RpcSubscription, KeepsTryingAPortThatIsClosed)
{
    SubscriptionOptions wanted = options();
    {
        const FakeNode gone;
        wanted.endpoint.url = gone.socketUrl();
    }
    subscribe(std::move(wanted));
    ASSERT_TRUE(waitFor([this] { return broken_.size() >= 4; }));
    EXPECT_EQ(subscribed_, 0U);
}

TEST_F(RpcSubscription, RecyclesItsConnectionWhenItIsTime)
{
    SubscriptionOptions wanted = options();
    wanted.recycleAfter = milliseconds(30);
    subscribe(std::move(wanted));
    ASSERT_TRUE(waitForSubscribed(4));
    EXPECT_THAT(lastBreak(), testing::HasSubstr("planned"));
    EXPECT_EQ(subscription_->state().failures, 0U);
    ASSERT_TRUE(node_.waitForSubscribers(1)) << "the old ones are closed";
}

// Drogon mixes up a control frame between the parts of a message with the message.
TEST_F(RpcSubscription, ConnectsAgainWhenAMessageIsLostBetweenItsParts)
{
    subscribe(options());
    ASSERT_TRUE(waitForSubscribed(1));
    node_.pushLogAroundPing(logOf(1));
    ASSERT_TRUE(waitForSubscribed(2));
    EXPECT_THAT(lastBreak(), testing::HasSubstr("lost"));
    ASSERT_TRUE(node_.waitForSubscribers(1));
    node_.pushLog(logOf(2));
    ASSERT_TRUE(waitForLogs(1));
    EXPECT_EQ(logs_[0].logIndex, 2U);
}

TEST_F(RpcSubscription, SaysNothingAfterStopNotEvenWhenStoppedFromAnEvent)
{
    subscribe(options());
    ASSERT_TRUE(waitForSubscribed(1));
    onLoop([this] { subscription_->stop(); });
    ASSERT_TRUE(node_.waitForSubscribers(0)) << "and the node learns of it";
    onLoop([] {});
    EXPECT_EQ(logs_.size() + broken_.size() + subscribed_, 1U);

    std::shared_ptr<LogSubscription> own;
    std::promise<void> stopped;
    LogSubscription::Events events;
    events.subscribed = [&] {
        own->stop();
        own.reset();
        stopped.set_value();
    };
    events.broken = [](const std::string &why) { ADD_FAILURE() << why; };
    own = subscribeToLogs(loop_.get(), options(), std::move(events));
    onLoop([&] { own->start(); });
    stopped.get_future().get();
    ASSERT_TRUE(node_.waitForSubscribers(0));
}

TEST_F(RpcSubscription, RefusesAUrlByNameOnly)
{
    SubscriptionOptions wanted = options();
    wanted.endpoint.url = "http://SECRETKEY";
    try
    {
        static_cast<void>(subscribeToLogs(loop_.get(), wanted, {}));
        ADD_FAILURE();
    }
    catch (const std::invalid_argument &error)
    {
        EXPECT_STREQ(error.what(), "endpoint feed: not a ws or wss URL");
    }
}
}  // namespace
}  // namespace relayer::chain::rpc
