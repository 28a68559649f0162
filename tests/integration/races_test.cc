// Many at once: whoever wins, one wins; in whatever order things arrive, a request ends once.
#include "support/await.h"
#include "support/test_store.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <barrier>
#include <iostream>
#include <numeric>
#include <random>
#include <thread>

namespace relayer::test
{
using core::Kind;
using core::Status;
using core::Transition;
using models::StepOutcome;

namespace
{
constexpr std::size_t kThreads = 64;
constexpr std::size_t kInstances = 4;

// Several instances on one database: rows are fought over in PostgreSQL, not in one process's
// queue.
struct Instances
{
    TestDatabase database;
    std::array<std::unique_ptr<TestStore>, kInstances> stores;

    Instances()
    {
        for (auto &store : stores)
        {
            store = std::make_unique<TestStore>(database);
        }
    }
    TestStore &of(std::size_t thread) { return *stores.at(thread % kInstances); }
};

// Lets 64 threads start one thing at the same moment and counts those that say they won.
template <typename Attempt>
int winners(Attempt attempt)
{
    std::barrier line(static_cast<std::ptrdiff_t>(kThreads));
    std::atomic<int> won{0};
    std::vector<std::jthread> threads;
    threads.reserve(kThreads);
    for (std::size_t i = 0; i < kThreads; ++i)
    {
        threads.emplace_back([&, i] {
            line.arrive_and_wait();
            won += attempt(i) ? 1 : 0;
        });
    }
    threads.clear();
    return won;
}

bool attemptEdge(TestStore &store, const core::Edge &edge, const Placed &row)
{
    if (edge.transition == Transition::Complete && edge.kind == Kind::UserDecrypt)
    {
        models::Share share;
        share.gatewayId = row.gatewayId;
        return await(store->keepShare(share)).ended.has_value();
    }
    if (edge.transition == Transition::Complete || edge.transition == Transition::Reject)
    {
        models::Answer answer;
        answer.kind = edge.kind;
        answer.gatewayId = row.gatewayId;
        answer.accepted = edge.transition == Transition::Complete;
        return await(store->keepAnswer(answer)).ended.has_value();
    }
    models::Step step;
    step.transition = edge.transition;
    step.id = row.id;
    step.txHash = hash32(1, 0x7A);
    step.gatewayId = row.gatewayId;
    return await(store->apply(step)) == StepOutcome::Won;
}
}  // namespace

TEST(Races, Of64ThreadsExactlyOneWinsEachTransitionOfOneRow)
{
    RELAYER_NEEDS_SERVER();
    Instances instances;
    std::size_t races = 0;
    for (const core::Edge &edge : core::kEdges)
    {
        for (const Status from : core::kAllStatuses)
        {
            if (!edge.from.contains(from))
            {
                continue;
            }
            const bool ending =
                edge.transition == Transition::Complete || edge.transition == Transition::Reject;
            const Placed row = place(
                instances.database,
                {.kind = edge.kind,
                 .status = from,
                 .threshold = edge.kind == Kind::UserDecrypt ? std::optional(1) : std::nullopt,
                 .referred = ending});
            const int won =
                winners([&](std::size_t i) { return attemptEdge(instances.of(i), edge, row); });
            EXPECT_EQ(won, 1) << core::name(edge.kind) << " " << core::name(edge.transition)
                              << " from " << core::name(from);
            ++races;
        }
    }
    std::cout << "# " << races << " races of " << kThreads << " threads over " << kInstances
              << " instances\n";
}

TEST(Races, RivalTransitionsOfOneRowHaveOneWinner)
{
    RELAYER_NEEDS_SERVER();
    Instances instances;
    constexpr std::array kRivals = {Transition::FailTransaction, Transition::MarkReceiptReceived,
                                    Transition::Recover};
    for (int round = 0; round < 20; ++round)
    {
        const Placed row =
            place(instances.database, {.kind = Kind::PublicDecrypt, .status = Status::TxInFlight});
        const int won = winners([&](std::size_t i) {
            models::Step step;
            step.transition = kRivals.at(i % kRivals.size());
            step.id = row.id;
            step.txHash = hash32(1, 0x7A);
            step.gatewayId = row.gatewayId;
            return await(instances.of(i)->apply(step)) == StepOutcome::Won;
        });
        // Recover leads back to where FailTransaction may still come from: one or two can win, in
        // turn.
        const auto status = instances.database.value("SELECT status FROM request WHERE id = " +
                                                     std::to_string(row.id));
        EXPECT_TRUE(won == 1 || (won == 2 && status == "failure")) << won << " " << status;
    }
}

namespace
{
enum class Order
{
    OneAfterTheOther,
    AllAtOnce,
};

struct Event
{
    bool receipt = false;
    int share = 0;
};

// Brings one event in on some instance; returns how often it ended the request.
int bring(TestStore &store, Kind kind, const Placed &row, const Event &event)
{
    if (event.receipt)
    {
        return await(store->markReceiptReceived(row.id, std::nullopt, hash32(1, 0x7A),
                                                row.gatewayId, kind))
                       .ended
                   ? 1
                   : 0;
    }
    if (kind == Kind::UserDecrypt)
    {
        models::Share share;
        share.gatewayId = row.gatewayId;
        share.index = event.share;
        share.payload = {1, 2, 3};
        return await(store->keepShare(share)).ended ? 1 : 0;
    }
    models::Answer answer;
    answer.kind = kind;
    answer.gatewayId = row.gatewayId;
    answer.result = {4, 5, 6};
    return await(store->keepAnswer(answer)).ended ? 1 : 0;
}

int bringAll(Instances &instances, Kind kind, const Placed &row, const std::vector<Event> &events,
             Order order)
{
    std::atomic<int> ended{0};
    if (order == Order::OneAfterTheOther)
    {
        for (std::size_t i = 0; i < events.size(); ++i)
        {
            ended += bring(instances.of(i), kind, row, events[i]);
        }
        return ended;
    }
    std::barrier line(static_cast<std::ptrdiff_t>(events.size()));
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < events.size(); ++i)
    {
        threads.emplace_back([&, i] {
            line.arrive_and_wait();
            ended += bring(instances.of(i), kind, row, events[i]);
        });
    }
    threads.clear();
    return ended;
}

void expectOneEndInEveryRound(Kind kind, const std::vector<Event> &all, int rounds)
{
    Instances instances;
    std::mt19937 random(20261118);
    for (int round = 0; round < rounds; ++round)
    {
        const Placed row =
            place(instances.database,
                  {.kind = kind,
                   .status = Status::TxInFlight,
                   .threshold = kind == Kind::UserDecrypt ? std::optional(3) : std::nullopt});
        std::vector<Event> events = all;
        std::shuffle(events.begin(), events.end(), random);
        const Order order = round % 2 == 0 ? Order::AllAtOnce : Order::OneAfterTheOther;
        const int ended = bringAll(instances, kind, row, events, order);
        ASSERT_EQ(ended, 1) << "round " << round;
        ASSERT_EQ(instances.database.value("SELECT status FROM request WHERE id = " +
                                           std::to_string(row.id)),
                  "completed")
            << "round " << round;
    }
    EXPECT_EQ(instances.database.value("SELECT count(*) FROM live_request"), "0");
    if (kind == Kind::UserDecrypt)
    {
        // Nothing that came was dropped, and the row says how many there were when it ended.
        EXPECT_EQ(instances.database.value("SELECT count(*) FROM kms_share"),
                  std::to_string(rounds * 4));
        EXPECT_EQ(instances.database.value("SELECT count(*) FROM request WHERE shares_seen < 3"),
                  "0");
    }
}
}  // namespace

TEST(Races, SharesAndReceiptInEveryOrderAndAtOnceCompleteARequestOnce)
{
    RELAYER_NEEDS_SERVER();
    expectOneEndInEveryRound(
        Kind::UserDecrypt,
        {{.receipt = true}, {.share = 0}, {.share = 1}, {.share = 2}, {.share = 3}}, 1000);
}

TEST(Races, ShareAgainstShareReachesTheThresholdOnce)
{
    RELAYER_NEEDS_SERVER();
    Instances instances;
    for (int round = 0; round < 200; ++round)
    {
        const Placed row = place(instances.database, {.kind = Kind::UserDecrypt,
                                                      .status = Status::ReceiptReceived,
                                                      .threshold = 3,
                                                      .referred = true});
        ASSERT_EQ(bringAll(instances, Kind::UserDecrypt, row,
                           {{.share = 0}, {.share = 1}, {.share = 2}}, Order::AllAtOnce),
                  1)
            << "round " << round;
    }
}

TEST(Races, ResponseAndReceiptInEveryOrderAndAtOnceCompleteARequestOnce)
{
    RELAYER_NEEDS_SERVER();
    for (const Kind kind : {Kind::PublicDecrypt, Kind::InputProof})
    {
        // The same response from two listeners.
        expectOneEndInEveryRound(kind, {{.receipt = true}, {.share = 0}, {.share = 0}}, 500);
    }
}

TEST(Races, TheLevelTriggeredPassEndsWhatItsBringerLeftBehind)
{
    RELAYER_NEEDS_SERVER();
    const TestDatabase database;
    TestStore store(database);
    // As if the bringer had died between keeping the answer and ending the request.
    const Placed answered =
        place(database,
              {.kind = Kind::PublicDecrypt, .status = Status::ReceiptReceived, .referred = true});
    database.query(
        "INSERT INTO gateway_answer (kind, gateway_id, accepted, result) VALUES "
        "('public_decrypt', " +
        hexLiteral(answered.gatewayId) + ", true, '\\x01')");
    const Placed shared = place(database, {.kind = Kind::UserDecrypt,
                                           .status = Status::ReceiptReceived,
                                           .threshold = 1,
                                           .referred = true});
    database.query(
        "INSERT INTO kms_share (gateway_id, share_index, payload, signature, extra_data)"
        " VALUES (" +
        hexLiteral(shared.gatewayId) + ", 5, '\\x01', '\\x02', '\\x03')");
    const Placed unanswered =
        place(database,
              {.kind = Kind::PublicDecrypt, .status = Status::ReceiptReceived, .referred = true});

    EXPECT_EQ(await(store->settleWaiting(Kind::PublicDecrypt, 100)), 1U);
    EXPECT_EQ(await(store->settleWaiting(Kind::UserDecrypt, 100)), 1U);
    EXPECT_EQ(await(store->settleWaiting(Kind::PublicDecrypt, 100)), 0U);
    EXPECT_EQ(
        database.value("SELECT status FROM request WHERE id = " + std::to_string(unanswered.id)),
        "receipt_received");
    EXPECT_EQ(
        database.value("SELECT shares_seen FROM request WHERE id = " + std::to_string(shared.id)),
        "1");
}
}  // namespace relayer::test
