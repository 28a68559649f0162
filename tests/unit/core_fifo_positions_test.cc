// Positions beside the plainest thing that knows them, a sorted vector.
#include "core/fifo_positions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace relayer::core
{
namespace
{
using Ticket = FifoPositions::Ticket;

class Model
{
  public:
    bool insert(Ticket ticket)
    {
        const auto place = std::lower_bound(sorted_.begin(), sorted_.end(), ticket);
        if (place != sorted_.end() && *place == ticket)
        {
            return false;
        }
        sorted_.insert(place, ticket);
        return true;
    }
    bool erase(Ticket ticket)
    {
        const auto place = std::lower_bound(sorted_.begin(), sorted_.end(), ticket);
        if (place == sorted_.end() || *place != ticket)
        {
            return false;
        }
        sorted_.erase(place);
        return true;
    }
    std::size_t eraseBelow(Ticket ticket)
    {
        const auto place = std::lower_bound(sorted_.begin(), sorted_.end(), ticket);
        const auto gone = static_cast<std::size_t>(place - sorted_.begin());
        sorted_.erase(sorted_.begin(), place);
        return gone;
    }
    [[nodiscard]] const std::vector<Ticket> &sorted() const { return sorted_; }

  private:
    std::vector<Ticket> sorted_;
};

void expectSame(const FifoPositions &positions, const Model &model)
{
    const auto &sorted = model.sorted();
    ASSERT_EQ(positions.size(), sorted.size());
    ASSERT_EQ(positions.first(), sorted.empty() ? std::nullopt : std::optional(sorted.front()));
    ASSERT_EQ(positions.last(), sorted.empty() ? std::nullopt : std::optional(sorted.back()));
    for (std::size_t i = 0; i < sorted.size(); ++i)
    {
        ASSERT_EQ(positions.position(sorted[i]), i);
        ASSERT_EQ(positions.position(sorted[i] + 1).has_value(),
                  i + 1 < sorted.size() && sorted[i + 1] == sorted[i] + 1);
    }
    // Two neighbours are never both short.
    ASSERT_LE(positions.runs(), 1 + 2 * sorted.size() / (FifoPositions::kLongestRun / 2));
}

TEST(FifoPositions, CountWhoIsBefore)
{
    FifoPositions positions(10);
    EXPECT_EQ(positions.position(5), std::nullopt);
    EXPECT_TRUE(positions.insert(5));
    EXPECT_TRUE(positions.insert(9));
    EXPECT_TRUE(positions.insert(7)) << "out of order";
    EXPECT_EQ(positions.position(5), 0U);
    EXPECT_EQ(positions.position(7), 1U);
    EXPECT_EQ(positions.position(9), 2U);
    EXPECT_EQ(positions.position(8), std::nullopt);
    EXPECT_TRUE(positions.erase(7));
    EXPECT_FALSE(positions.erase(7));
    EXPECT_EQ(positions.position(9), 1U);
    EXPECT_TRUE(positions.insert(7)) << "again";
    EXPECT_EQ(positions.position(9), 2U);
    EXPECT_EQ(positions.eraseBelow(9), 2U);
    EXPECT_EQ(positions.position(9), 0U);
}

TEST(FifoPositions, TakeNoMoreThanTheirCapacityAndNothingTwice)
{
    FifoPositions positions(3);
    EXPECT_TRUE(positions.insert(1));
    EXPECT_FALSE(positions.insert(1));
    EXPECT_TRUE(positions.insert(2));
    EXPECT_TRUE(positions.insert(3));
    EXPECT_FALSE(positions.insert(4));
    EXPECT_EQ(positions.size(), 3U);
    positions.erase(1);
    EXPECT_TRUE(positions.insert(4));
    EXPECT_FALSE(FifoPositions(0).insert(1));
}

TEST(FifoPositions, StayExactThroughALongQueueThatIsServedFromItsHead)
{
    FifoPositions positions(100000);
    Model model;
    for (Ticket ticket = 0; ticket < 5000; ++ticket)
    {
        positions.insert(ticket * 3);
        model.insert(ticket * 3);
    }
    expectSame(positions, model);
    for (Ticket ticket = 0; ticket < 5000; ++ticket)
    {
        ASSERT_EQ(positions.position(14997), static_cast<std::size_t>(4999 - ticket));
        ASSERT_TRUE(positions.erase(ticket * 3));
    }
    EXPECT_TRUE(positions.empty());
    EXPECT_EQ(positions.runs(), 0U);
}

TEST(FifoPositions, StayExactWhateverComesAndGoes)
{
    std::mt19937_64 random(20240610);
    for (int life = 0; life < 12; ++life)
    {
        FifoPositions positions(1'000'000);
        Model model;
        // From nearly dense to sparse; some lives grow, some shrink to nothing again.
        const Ticket range = life % 3 == 0 ? 300 : life % 3 == 1 ? 20000 : 1'000'000'000;
        Ticket next = 0;
        for (int step = 0; step < 12000; ++step)
        {
            const bool growing = (step / 3000) % 2 == 0;
            const auto dice = random() % 100;
            const auto any = static_cast<Ticket>(random() % static_cast<std::uint64_t>(range));
            if (dice < (growing ? 50U : 10U))
            {
                next += 1 + static_cast<Ticket>(random() % 3);
                ASSERT_EQ(positions.insert(next), model.insert(next));
            }
            else if (dice < (growing ? 70U : 20U))
            {
                ASSERT_EQ(positions.insert(any), model.insert(any));
            }
            else if (dice < 98 && !model.sorted().empty())
            {
                const Ticket there = model.sorted()[random() % model.sorted().size()];
                ASSERT_EQ(positions.erase(there), model.erase(there));
                ASSERT_EQ(positions.erase(any), model.erase(any));
            }
            else if (!model.sorted().empty())
            {
                const Ticket head = model.sorted()[random() % (1 + model.sorted().size() / 8)];
                ASSERT_EQ(positions.eraseBelow(head), model.eraseBelow(head));
            }
            if (step % 500 == 0)
            {
                expectSame(positions, model);
            }
        }
        expectSame(positions, model);
    }
}

TEST(FifoPositions, NeedMemoryForThoseThatAreThereAndNotForThoseThatWere)
{
    FifoPositions positions(1'000'000);
    for (Ticket ticket = 0; ticket < 200'000; ++ticket)
    {
        positions.insert(ticket);
    }
    // One in a thousand stays, so that no run becomes empty for long.
    for (Ticket ticket = 0; ticket < 200'000; ++ticket)
    {
        if (ticket % 1000 != 0)
        {
            positions.erase(ticket);
        }
    }
    EXPECT_EQ(positions.size(), 200U);
    EXPECT_LE(positions.runs(), 3U);
    EXPECT_EQ(positions.position(199'000), 199U);
}
}  // namespace
}  // namespace relayer::core
