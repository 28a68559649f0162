// The queues before the chain among threads and timers; the test is the clock.
#include "plugins/tx_queues.h"

#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <thread>
#include <utility>
#include <vector>

namespace relayer::plugins
{
namespace
{
using core::Kind;
using core::TxQueue;
using namespace std::chrono_literals;
using Place = TxQueue::Place;
using Time = TxQueues::Time;

// Time stands still until it is moved; then what is due is called, in its order.
class FakeClock
{
  public:
    TxQueues::Clock clock()
    {
        return {[this] { return now_; },
                [this](Time delay, std::function<void()> call) {
                    due_.emplace(now_ + delay, std::move(call));
                }};
    }
    void advance(Time by)
    {
        const Time until = now_ + by;
        while (!due_.empty() && due_.begin()->first <= until)
        {
            now_ = due_.begin()->first;
            const auto call = std::move(due_.begin()->second);
            due_.erase(due_.begin());
            call();
        }
        now_ = until;
    }
    [[nodiscard]] Time now() const { return now_; }
    [[nodiscard]] std::size_t timers() const { return due_.size(); }

  private:
    Time now_{0};
    std::multimap<Time, std::function<void()>> due_;
};

TxQueues::Limits allOf(const TxQueue::Limits &limits)
{
    return {limits, limits, limits};
}

class TxThrottling : public ::testing::Test
{
  protected:
    void admit(std::int64_t ticket, Kind kind = Kind::InputProof)
    {
        auto slot = queues_->reserve(kind, Place::New);
        ASSERT_TRUE(slot);
        queues_->accept(std::move(*slot), ticket);
    }
    // Pulls whatever it may, one row at a time, as tickets come.
    void sendFrom(std::vector<std::int64_t> tickets)
    {
        queues_->onWork([this, left = std::move(tickets)](Kind kind) mutable {
            const std::size_t tokens = queues_->takeTokens(kind, 1000);
            const auto count = static_cast<std::ptrdiff_t>(std::min(tokens, left.size()));
            const std::vector<std::int64_t> went(left.begin(), left.begin() + count);
            left.erase(left.begin(), left.begin() + count);
            queues_->pulled(kind, went);
            queues_->returnTokens(kind, tokens - went.size());
            for (const std::int64_t ticket : went)
            {
                sent_.emplace_back(ticket, clock_.now());
            }
        });
    }

    FakeClock clock_;
    std::shared_ptr<TxQueues> queues_ =
        std::make_shared<TxQueues>(allOf({2, 10, 8}), clock_.clock());
    std::vector<std::pair<std::int64_t, Time>> sent_;
};

TEST_F(TxThrottling, GoesAtTheRateAfterABurstAndAtTheExactMoment)
{
    sendFrom({1, 2, 3, 4, 5});
    for (std::int64_t ticket = 1; ticket <= 5; ++ticket)
    {
        admit(ticket);
    }
    clock_.advance(0s);
    clock_.advance(10s);
    const std::vector<std::pair<std::int64_t, Time>> expected = {
        {1, 0s}, {2, 0s}, {3, 500ms}, {4, 1s}, {5, 1500ms}};
    EXPECT_EQ(sent_, expected);
    EXPECT_EQ(clock_.timers(), 0U) << "an idle queue has no timer";
}

TEST_F(TxThrottling, AFasterRateIsFeltByThoseThatWaitAlready)
{
    sendFrom({1, 2, 3, 4});
    for (std::int64_t ticket = 1; ticket <= 4; ++ticket)
    {
        admit(ticket);
    }
    clock_.advance(100ms);
    ASSERT_EQ(sent_.size(), 2U);
    // A fifth of a token is there; of the new rate's burst that is a tenth.
    EXPECT_TRUE(queues_->setRate(Kind::InputProof, 10));
    clock_.advance(0s);
    EXPECT_EQ(sent_.size(), 3U);
    EXPECT_EQ(queues_->snapshot(Kind::InputProof).perSecond, 10U);
    clock_.advance(100ms);
    EXPECT_EQ(sent_.size(), 4U);
    EXPECT_FALSE(queues_->setRate(Kind::InputProof, 1001));
}

TEST_F(TxThrottling, TheKindsDoNotWaitForEachOther)
{
    for (std::int64_t ticket = 1; ticket <= 8; ++ticket)
    {
        admit(ticket, Kind::PublicDecrypt);
    }
    EXPECT_FALSE(queues_->reserve(Kind::PublicDecrypt, Place::New));
    EXPECT_TRUE(queues_->reserve(Kind::UserDecrypt, Place::New));
    EXPECT_EQ(queues_->takeTokens(Kind::PublicDecrypt, 10), 2U);
    EXPECT_EQ(queues_->takeTokens(Kind::InputProof, 10), 2U);
}

TEST_F(TxThrottling, APlaceThatIsNotUsedIsGivenBack)
{
    {
        std::vector<TxQueues::Slot> places;
        while (auto place = queues_->reserve(Kind::InputProof, Place::New))
        {
            places.push_back(std::move(*place));
        }
        EXPECT_EQ(places.size(), 8U);
        EXPECT_EQ(queues_->snapshot(Kind::InputProof).reserved, 8U);
    }
    EXPECT_EQ(queues_->snapshot(Kind::InputProof).reserved, 0U);
    EXPECT_EQ(queues_->snapshot(Kind::InputProof).waiting, 0U);
}

TEST_F(TxThrottling, APlaceMayOutliveTheQueuesOwner)
{
    auto place = queues_->reserve(Kind::InputProof, Place::New);
    ASSERT_TRUE(place);
    queues_->stop();
    const std::weak_ptr<TxQueues> watched = queues_;
    queues_.reset();
    EXPECT_FALSE(watched.expired());
    place.reset();
    EXPECT_TRUE(watched.expired());
}

TEST_F(TxThrottling, WhoRegistersLateLearnsOfWhatWaits)
{
    admit(1);
    queues_->level(Kind::PublicDecrypt, 5, 1);
    clock_.advance(1s);
    std::vector<Kind> woken;
    queues_->onWork([&woken](Kind kind) { woken.push_back(kind); });
    clock_.advance(0s);
    EXPECT_EQ(woken, (std::vector{Kind::InputProof, Kind::PublicDecrypt}));
    clock_.advance(10s);
    EXPECT_EQ(woken.size(), 2U) << "nobody took anything: it is not said twice";
    queues_->level(Kind::PublicDecrypt, 5, 1);
    clock_.advance(0s);
    EXPECT_EQ(woken.size(), 3U) << "but the database may insist";
}

TEST_F(TxThrottling, NothingGoesAndNobodyIsWokenAfterTheStop)
{
    sendFrom({1, 2});
    admit(1);
    queues_->stop();
    admit(2);
    clock_.advance(10s);
    EXPECT_TRUE(sent_.empty());
    EXPECT_EQ(queues_->takeTokens(Kind::InputProof, 1), 0U);
    EXPECT_EQ(queues_->position(Kind::InputProof, 2), 1U) << "it waits for another instance";
}

TEST_F(TxThrottling, ManyThreadsNeverGetMorePlacesOrTokensThanThereAre)
{
    constexpr int kThreads = 8;
    constexpr std::int64_t kTries = 2000;
    queues_ = std::make_shared<TxQueues>(allOf({1000, 500, 400}), clock_.clock());
    std::atomic<std::int64_t> next{0};
    std::atomic<std::size_t> accepted{0};
    std::atomic<std::size_t> pulled{0};
    std::atomic<std::size_t> tokens{0};
    std::atomic<bool> tooMany{false};
    {
        std::vector<std::jthread> threads;
        for (int t = 0; t < kThreads; ++t)
        {
            threads.emplace_back([&, t] {
                for (std::int64_t i = 0; i < kTries; ++i)
                {
                    auto slot = queues_->reserve(Kind::InputProof, Place::New);
                    if (slot && i % 3 != 0)
                    {
                        const std::int64_t ticket = next++;
                        queues_->accept(std::move(*slot), ticket);
                        ++accepted;
                        if (t % 2 == 0)
                        {
                            const std::int64_t gone[] = {ticket};
                            queues_->pulled(Kind::InputProof, gone);
                            ++pulled;
                        }
                    }
                    const auto seen = queues_->snapshot(Kind::InputProof);
                    tooMany = tooMany || seen.waiting + seen.reserved > 400;
                    tokens += queues_->takeTokens(Kind::InputProof, 3);
                }
            });
        }
    }
    EXPECT_FALSE(tooMany);
    EXPECT_EQ(tokens, 1000U) << "the clock stood still: one burst and no more";
    EXPECT_EQ(queues_->snapshot(Kind::InputProof).waiting, accepted - pulled);
    EXPECT_EQ(queues_->snapshot(Kind::InputProof).reserved, 0U);
    while (auto slot = queues_->reserve(Kind::InputProof, Place::New))
    {
        queues_->accept(std::move(*slot), next++);
    }
    EXPECT_EQ(queues_->snapshot(Kind::InputProof).waiting, 400U) << "no place was lost";
}
}  // namespace
}  // namespace relayer::plugins
