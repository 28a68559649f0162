// What is asked again and again in the background.
#include "plugins/repeated_check.h"

#include "chain/rpc/error.h"

#include <gtest/gtest.h>
#include <trantor/net/EventLoopThread.h>

#include <future>
#include <semaphore>

namespace relayer::test
{
namespace
{
using plugins::RepeatedCheck;

enum class Says : std::uint8_t
{
    Yes,
    No,
    NodeAway,
};

struct Asked
{
    std::atomic<Says> next{Says::No};
    std::counting_semaphore<> times{0};
};

drogon::Task<bool> answer(std::shared_ptr<Asked> asked)
{
    asked->times.release();
    if (asked->next == Says::NodeAway)
    {
        throw chain::rpc::RpcError(chain::rpc::RpcError::Kind::Transport, "a", "away");
    }
    co_return asked->next == Says::Yes;
}

class Repeated : public testing::Test
{
  protected:
    void SetUp() override { loop_.run(); }
    void TearDown() override
    {
        onLoop([this] { check_->stop(); });
        EXPECT_TRUE(check_->ended(std::chrono::seconds(10)));
    }
    void onLoop(std::function<void()> work)
    {
        std::promise<void> done;
        loop_.getLoop()->queueInLoop([&] {
            work();
            done.set_value();
        });
        done.get_future().wait();
    }
    void startEach(std::chrono::milliseconds interval)
    {
        check_ = std::make_shared<RepeatedCheck>(loop_.getLoop(), "it", interval,
                                                 [asked = asked_] { return answer(asked); });
        onLoop([this] { check_->start(); });
    }
    // Until the question is answered that begins after this.
    void waitForARound()
    {
        while (asked_->times.try_acquire())
        {
        }
        asked_->times.acquire();
        asked_->times.acquire();
    }

    std::shared_ptr<Asked> asked_ = std::make_shared<Asked>();
    trantor::EventLoopThread loop_;
    std::shared_ptr<RepeatedCheck> check_;
};
}  // namespace

TEST_F(Repeated, SaysWhatWasFoundLast)
{
    startEach(std::chrono::milliseconds(5));
    EXPECT_FALSE(check_->ok());
    for (const Says says : {Says::Yes, Says::No, Says::Yes, Says::NodeAway, Says::Yes})
    {
        asked_->next = says;
        waitForARound();
        EXPECT_EQ(check_->ok(), says == Says::Yes);
    }
}

TEST_F(Repeated, ANoIsLookedAtAgainSoonWhateverTheInterval)
{
    startEach(std::chrono::hours(1));
    waitForARound();
    asked_->next = Says::Yes;
    while (!check_->ok() && asked_->times.try_acquire_for(std::chrono::seconds(10)))
    {
        onLoop([] {});
    }
    EXPECT_TRUE(check_->ok());
}
}  // namespace relayer::test
