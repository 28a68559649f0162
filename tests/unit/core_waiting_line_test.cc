// Where a request stands in a line that several instances fill.
#include "core/waiting_line.h"

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <set>
#include <vector>

namespace relayer::core
{
namespace
{
using Ticket = WaitingLine::Ticket;
using Tickets = std::vector<Ticket>;

WaitingLine lineOf(std::size_t capacity)
{
    return WaitingLine({capacity, capacity});
}

void admit(WaitingLine &line, Ticket ticket)
{
    ASSERT_TRUE(line.reserve(WaitingLine::Place::Returning));
    ASSERT_TRUE(line.accept(ticket));
}

void expectSpot(const WaitingLine &line, Ticket ticket, std::size_t ahead, bool known)
{
    EXPECT_EQ(line.spot(ticket).ahead, ahead) << ticket;
    EXPECT_EQ(line.spot(ticket).known, known) << ticket;
}
}  // namespace

TEST(WaitingLine, ATicketThatCameInElsewhereHasAPlaceOnceItWasListed)
{
    auto line = lineOf(100);
    admit(line, 10);
    admit(line, 30);
    line.level(10, 4);
    EXPECT_TRUE(line.wantsList());
    line.list(Tickets{10, 20, 30, 40});
    expectSpot(line, 10, 0, true);
    expectSpot(line, 20, 1, true);
    expectSpot(line, 30, 2, true);
    expectSpot(line, 40, 3, true);
    EXPECT_EQ(line.waiting(), 4U);
    EXPECT_EQ(line.position(30), 2U);
    EXPECT_EQ(line.position(20), std::nullopt) << "it did not come in here";
}

TEST(WaitingLine, WhatIsNotKnownStandsBehindAllThatIsNotKnownEither)
{
    auto line = lineOf(100);
    admit(line, 10);
    line.level(10, 3);
    expectSpot(line, 50, 3, false);
    line.list(Tickets{10, 20, 30});
    expectSpot(line, 50, 3, false);
    expectSpot(line, 5, 0, false);
}

TEST(WaitingLine, WhoLeavesTheListLetsTheOthersMoveUp)
{
    auto line = lineOf(100);
    line.level(10, 3);
    line.list(Tickets{10, 20, 30});
    line.pulled(std::array<Ticket, 1>{10});
    expectSpot(line, 30, 1, true);
    EXPECT_EQ(line.waiting(), 2U);
    line.level(30, 1);
    expectSpot(line, 30, 0, true);
    expectSpot(line, 20, 0, false);
    line.level(std::nullopt, 0);
    expectSpot(line, 30, 0, false);
    EXPECT_EQ(line.waiting(), 0U);
}

TEST(WaitingLine, WhatIsListedBeforeItIsAcceptedCountsOnce)
{
    auto line = lineOf(100);
    ASSERT_TRUE(line.reserve(WaitingLine::Place::New));
    line.level(10, 1);
    EXPECT_FALSE(line.wantsList()) << "it is about to be accepted";
    line.list(Tickets{10});
    EXPECT_TRUE(line.accept(10));
    EXPECT_EQ(line.waiting(), 1U);
    expectSpot(line, 20, 1, false);
}

TEST(WaitingLine, AListAsLongAsTheLineSaysNothingOfTheRest)
{
    auto line = lineOf(3);
    line.level(10, 3);
    line.list(Tickets{10, 20, 30});
    EXPECT_EQ(line.waiting(), 3U);
    expectSpot(line, 40, 3, false);
}

// Two instances take in and pull; each levels and lists whenever it likes. Right after that, each
// knows every place.
TEST(WaitingLine, AfterALookAtTheDatabaseEveryInstanceKnowsEveryPlace)
{
    std::mt19937_64 random(95);
    std::array lines = {lineOf(1000), lineOf(1000)};
    std::set<Ticket> database;
    Ticket next = 1;
    for (int round = 0; round < 3000; ++round)
    {
        WaitingLine &line = lines.at(random() % 2);
        switch (random() % 4)
        {
            case 0:
            case 1:
                admit(line, next);
                database.insert(next++);
                break;
            case 2:
                if (!database.empty())
                {
                    line.pulled(std::array<Ticket, 1>{*database.begin()});
                    database.erase(database.begin());
                }
                break;
            default:
                const Tickets waiting(database.begin(), database.end());
                line.level(waiting.empty() ? std::nullopt : std::optional(waiting.front()),
                           waiting.size());
                if (line.wantsList())
                {
                    line.list(waiting);
                }
                ASSERT_EQ(line.waiting(), waiting.size());
                for (std::size_t i = 0; i < waiting.size(); ++i)
                {
                    ASSERT_EQ(line.spot(waiting[i]).ahead, i) << round;
                    ASSERT_TRUE(line.spot(waiting[i]).known) << round;
                }
        }
    }
}
}  // namespace relayer::core
