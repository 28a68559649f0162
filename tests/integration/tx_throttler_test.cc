// The queue before the chain and the rows that wait for it in the database, with a clock that the
// test moves, and somebody who pulls as the engine does.
#include "plugins/tx_queues.h"
#include "support/await.h"
#include "support/test_store.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <vector>

namespace relayer::test
{
namespace
{
using core::Kind;
using core::Status;
using plugins::TxQueues;
using Time = TxQueues::Time;
using namespace std::chrono_literals;

class Sender
{
  public:
    Sender(TestStore &store, const core::TxQueue::Limits &limits) : store_(store)
    {
        TxQueues::Clock clock;
        clock.now = [this] { return now_; };
        clock.after = [this](Time delay, std::function<void()> call) {
            due_ = {now_ + delay, std::move(call)};
        };
        queues_ =
            std::make_shared<TxQueues>(TxQueues::Limits{limits, limits, limits}, std::move(clock));
        queues_->onWork([this](Kind kind) { pull(kind); });
    }

    TxQueues &queues() { return *queues_; }
    [[nodiscard]] Time now() const { return now_; }
    [[nodiscard]] const std::vector<std::int64_t> &sent() const { return sent_; }

    void level()
    {
        const auto head = await(store_->queueHead(Kind::InputProof, Status::Processing));
        queues_->level(Kind::InputProof, head.ticket, head.waiting);
    }
    // Lets time pass up to the next moment at which something is due. False: nothing is.
    bool runNext()
    {
        if (!due_)
        {
            return false;
        }
        const auto [at, call] = *std::exchange(due_, std::nullopt);
        now_ = std::max(now_, at);
        call();
        return true;
    }

  private:
    void pull(Kind kind)
    {
        const std::size_t tokens = queues_->takeTokens(kind, 100);
        std::vector<std::int64_t> tickets;
        for (const auto &row : await(store_->claim(kind, Status::Processing, 1, tokens)))
        {
            tickets.push_back(row.getValueOfTicket());
        }
        queues_->pulled(kind, tickets);
        queues_->returnTokens(kind, tokens - tickets.size());
        sent_.insert(sent_.end(), tickets.begin(), tickets.end());
    }

    struct Due
    {
        Time at;
        std::function<void()> call;
    };

    TestStore &store_;
    Time now_{0};
    std::optional<Due> due_;  // one kind is at work, so one timer
    std::shared_ptr<TxQueues> queues_;
    std::vector<std::int64_t> sent_;
};

void admitRows(TestStore &store, std::uint64_t from, std::uint64_t count)
{
    for (std::uint64_t i = from; i < from + count; ++i)
    {
        await(store->admit(newRequest(Kind::InputProof, i, i)));
    }
}
}  // namespace

TEST(TxThrottlerRows, FromBeforeTheStartAndBeyondWhatMemoryHoldsGoInOrderAndAtTheRate)
{
    RELAYER_NEEDS_SERVER();
    const TestDatabase database;
    TestStore store(database);
    admitRows(store, 1, 30);
    // Room for 5 tickets; 30 rows wait already.
    Sender sender(store, {10, 5, 4});
    sender.level();
    EXPECT_EQ(sender.queues().snapshot(Kind::InputProof).waiting, 30U);
    EXPECT_FALSE(sender.queues().reserve(Kind::InputProof, core::TxQueue::Place::New));
    while (sender.sent().size() < 30 && sender.runNext())
    {
    }
    ASSERT_EQ(sender.sent().size(), 30U);
    EXPECT_EQ(sender.now(), 2s) << "ten at once, and twenty at ten a second";
    EXPECT_TRUE(std::is_sorted(sender.sent().begin(), sender.sent().end()));
    sender.level();
    EXPECT_EQ(sender.queues().snapshot(Kind::InputProof).waiting, 0U);
    EXPECT_FALSE(sender.runNext() && sender.runNext()) << "a timer that finds nothing is the last";
    EXPECT_TRUE(sender.queues().reserve(Kind::InputProof, core::TxQueue::Place::New));
}

TEST(TxThrottlerRows, OfOtherInstancesCountAndGoInTheirTurn)
{
    RELAYER_NEEDS_SERVER();
    const TestDatabase database;
    TestStore store(database);
    Sender sender(store, {1, 100, 90});
    std::vector<std::int64_t> mine;
    for (std::uint64_t i = 0; i < 3; ++i)
    {
        admitRows(store, 100 + i, 1);  // another instance's: nobody tells the queue
        auto slot = sender.queues().reserve(Kind::InputProof, core::TxQueue::Place::New);
        ASSERT_TRUE(slot);
        const auto admission = await(store->admit(newRequest(Kind::InputProof, i, i)));
        sender.queues().accept(std::move(*slot), admission.ticket);
        mine.push_back(admission.ticket);
    }
    EXPECT_EQ(sender.queues().snapshot(Kind::InputProof).waiting, 3U);
    sender.level();
    EXPECT_EQ(sender.queues().snapshot(Kind::InputProof).waiting, 6U);
    while (sender.sent().size() < 6 && sender.runNext())
    {
    }
    ASSERT_EQ(sender.sent().size(), 6U);
    EXPECT_TRUE(std::is_sorted(sender.sent().begin(), sender.sent().end()));
    EXPECT_EQ(sender.now(), 5s);
    EXPECT_FALSE(sender.queues().position(Kind::InputProof, mine.back()));
}

TEST(TxThrottlerRows, ThatSomebodyElseTookAreMissedAtTheNextLevelling)
{
    RELAYER_NEEDS_SERVER();
    const TestDatabase database;
    TestStore store(database);
    Sender sender(store, {10, 100, 90});
    std::vector<std::int64_t> tickets;
    for (std::uint64_t i = 0; i < 4; ++i)
    {
        auto slot = sender.queues().reserve(Kind::InputProof, core::TxQueue::Place::New);
        const auto admission = await(store->admit(newRequest(Kind::InputProof, i, i)));
        sender.queues().accept(std::move(*slot), admission.ticket);
        tickets.push_back(admission.ticket);
    }
    ASSERT_EQ(await(store->claim(Kind::InputProof, Status::Processing, 9, 3)).size(), 3U);
    EXPECT_EQ(sender.queues().position(Kind::InputProof, tickets.back()), 3U);
    sender.level();
    EXPECT_EQ(sender.queues().position(Kind::InputProof, tickets.back()), 0U);
    EXPECT_EQ(sender.queues().snapshot(Kind::InputProof).waiting, 1U);
}
}  // namespace relayer::test
