// What the chain's plugins ask of the request store: tickets, claims given back, and receipts that
// a reorg replaced.
#include "models/lane_store.h"
#include "plugins/own_loop.h"
#include "support/await.h"
#include "support/lane_attempts.h"
#include "support/lock_waits.h"
#include "support/test_store.h"

#include <gtest/gtest.h>

#include <barrier>
#include <future>
#include <thread>

namespace relayer::test
{
using core::Kind;
using core::Status;
using core::Transition;
using models::StepOutcome;

TEST(Tickets, AreToldAtAdmissionAndWhenARequestChangesQueues)
{
    RELAYER_NEEDS_SERVER();
    const TestDatabase database;
    TestStore store(database);
    const auto first = await(store->admit(newRequest(Kind::PublicDecrypt, 1, 1)));
    const auto second = await(store->admit(newRequest(Kind::PublicDecrypt, 2, 2)));
    EXPECT_GT(first.ticket, 0);
    EXPECT_LT(first.ticket, second.ticket);
    const auto joined = await(store->admit(newRequest(Kind::PublicDecrypt, 1, 3)));
    EXPECT_FALSE(joined.fresh);
    EXPECT_EQ(joined.ticket, first.ticket);

    models::Step pass;
    pass.transition = Transition::PassReadiness;
    pass.id = first.id;
    const auto passed = await(store->applyWithTicket(pass));
    EXPECT_EQ(passed.outcome, StepOutcome::Won);
    EXPECT_GT(passed.ticket, second.ticket);
    EXPECT_EQ(database.value("SELECT ticket FROM live_request WHERE request_id = " +
                             std::to_string(first.id)),
              std::to_string(passed.ticket));
    EXPECT_EQ(await(store->applyWithTicket(pass)).outcome, StepOutcome::Lost);
}

TEST(Queues, TheirHeadIsTheSmallestTicketThatNobodyHasClaimed)
{
    RELAYER_NEEDS_SERVER();
    const TestDatabase database;
    TestStore store(database);
    EXPECT_FALSE(await(store->queueHead(Kind::PublicDecrypt, Status::Queued)).ticket);
    std::vector<models::Admission> admissions;
    for (std::uint64_t i = 1; i <= 5; ++i)
    {
        admissions.push_back(await(store->admit(newRequest(Kind::PublicDecrypt, i, i))));
    }
    await(store->claim(Kind::PublicDecrypt, Status::Queued, 7, 2));
    const auto head = await(store->queueHead(Kind::PublicDecrypt, Status::Queued));
    EXPECT_EQ(head.ticket, admissions[2].ticket);
    EXPECT_EQ(head.waiting, 3U);
    EXPECT_EQ(await(store->queueHead(Kind::PublicDecrypt, Status::Queued, 2)).waiting, 2U);
    EXPECT_EQ(await(store->queueHead(Kind::PublicDecrypt, Status::Processing)).waiting, 0U);
}

namespace
{
struct Receipts
{
    TestDatabase database;
    TestStore store{database};

    Placed waiting(Status status = Status::ReceiptReceived)
    {
        return place(database, {.kind = Kind::PublicDecrypt, .status = status, .referred = true});
    }
    models::ReceiptOutcome replace(const Placed &row, const models::GatewayId &id,
                                   std::optional<models::TxHash> oldHash = std::nullopt)
    {
        return await(store->replaceReceipt(row.id, oldHash, hash32(1, 0x7A), id));
    }
    // Whose the answer to this id would be, and what that row says its id is.
    std::string holder(const models::GatewayId &id)
    {
        const auto rows = database.query(
            "SELECT g.request_id, r.gateway_id = g.gateway_id FROM gateway_reference g"
            " JOIN request r ON r.id = g.request_id WHERE g.gateway_id = " +
            hexLiteral(id));
        return rows.empty() ? "nobody" : rows[0][0] + (rows[0][1] == "t" ? "" : " does not know");
    }
    models::Arrival answer(const models::GatewayId &id)
    {
        models::Answer answer;
        answer.kind = Kind::PublicDecrypt;
        answer.gatewayId = id;
        return await(store->keepAnswer(answer));
    }
};
}  // namespace

TEST(Receipts, OneThatAReorgReplacedGivesTheRequestItsNewId)
{
    RELAYER_NEEDS_SERVER();
    Receipts our;
    const Placed row = our.waiting();
    const auto newId = hash32(1, 0x6B);
    EXPECT_EQ(our.replace(row, newId, hash32(99)).outcome, StepOutcome::Lost)
        << "it has another hash by now";
    EXPECT_EQ(our.holder(row.gatewayId), std::to_string(row.id));
    const auto replaced = our.replace(row, newId);
    EXPECT_EQ(replaced.outcome, StepOutcome::Won);
    EXPECT_FALSE(replaced.ended);
    EXPECT_EQ(our.replace(row, newId, hash32(1, 0x7A)).outcome, StepOutcome::Won) << "as it is";
    EXPECT_EQ(our.holder(newId), std::to_string(row.id));
    EXPECT_EQ(our.holder(row.gatewayId), "nobody");
    EXPECT_FALSE(our.answer(row.gatewayId).ended) << "an answer to what the chain took back";
    EXPECT_EQ(our.answer(newId).ended, Status::Completed);
    EXPECT_EQ(our.replace(row, row.gatewayId).outcome, StepOutcome::Lost) << "it has ended";
}

TEST(Receipts, ANewIdWhoseAnswerIsHereEndsTheRequest)
{
    RELAYER_NEEDS_SERVER();
    Receipts our;
    const Placed row = our.waiting();
    const auto newId = hash32(1, 0x6B);
    EXPECT_FALSE(our.answer(newId).ended);
    EXPECT_EQ(our.replace(row, newId).ended, Status::Completed);
}

TEST(Receipts, AReorgMayExchangeTheIdsOfTwoRequests)
{
    RELAYER_NEEDS_SERVER();
    Receipts our;
    const Placed one = our.waiting();
    const Placed two = our.waiting();
    EXPECT_EQ(our.replace(one, two.gatewayId).outcome, StepOutcome::Won);
    EXPECT_EQ(our.holder(two.gatewayId), std::to_string(one.id));
    EXPECT_EQ(our.holder(one.gatewayId), "nobody");
    EXPECT_EQ(our.replace(two, one.gatewayId).outcome, StepOutcome::Won);
    EXPECT_EQ(our.holder(two.gatewayId), std::to_string(one.id));
    EXPECT_EQ(our.holder(one.gatewayId), std::to_string(two.id));
    EXPECT_EQ(our.answer(one.gatewayId).ended, Status::Completed);
    EXPECT_EQ(our.database.value("SELECT status FROM request WHERE id = " + std::to_string(two.id)),
              "completed");
}

TEST(Receipts, ANewRequestGetsTheIdThatAReorgTookFromOneThatWaits)
{
    RELAYER_NEEDS_SERVER();
    Receipts our;
    const Placed stale = our.waiting();
    const auto inFlight = [&] {
        return place(our.database,
                     {.kind = Kind::PublicDecrypt, .status = Status::TxInFlight, .owner = 7})
            .id;
    };
    const auto mark = [&](models::RequestId id, models::Claimer claimer) {
        return await(our.store->markReceiptReceived(id, claimer, hash32(3, 0x7A), stale.gatewayId,
                                                    Kind::PublicDecrypt))
            .outcome;
    };
    const auto fresh = inFlight();
    EXPECT_EQ(mark(fresh, 7), StepOutcome::Won);
    EXPECT_EQ(our.holder(stale.gatewayId), std::to_string(fresh));
    EXPECT_EQ(our.replace(stale, hash32(1, 0x6B)).outcome, StepOutcome::Won);
    EXPECT_EQ(our.answer(stale.gatewayId).ended, Status::Completed);
    EXPECT_EQ(mark(inFlight(), 7), StepOutcome::Lost) << "the id of a request that has ended";
    EXPECT_EQ(our.holder(stale.gatewayId), std::to_string(fresh));
}

TEST(Receipts, IdsMayBeExchangedWhileAnswersComeIn)
{
    RELAYER_NEEDS_SERVER();
    Receipts our;
    TestStore other(our.database);
    for (int round = 0; round < 40; ++round)
    {
        const Placed one = our.waiting();
        const Placed two = our.waiting();
        std::barrier line(3);
        StepOutcome first = StepOutcome::Lost;
        StepOutcome second = StepOutcome::Lost;
        {
            std::vector<std::jthread> threads;
            threads.emplace_back([&] {
                line.arrive_and_wait();
                first = our.replace(one, two.gatewayId).outcome;
            });
            threads.emplace_back([&] {
                line.arrive_and_wait();
                second = await(other->replaceReceipt(two.id, std::nullopt, hash32(2, 0x7A),
                                                     one.gatewayId))
                             .outcome;
            });
            threads.emplace_back([&] {
                line.arrive_and_wait();
                our.answer(one.gatewayId);
            });
        }
        // The answer ended whoever had its id at that moment; that one keeps it for good.
        const std::string holder = our.holder(one.gatewayId);
        const auto ended =
            our.database.query("SELECT id FROM request WHERE status = 'completed' AND id IN (" +
                               std::to_string(one.id) + ", " + std::to_string(two.id) + ")");
        ASSERT_EQ(ended.size(), second == StepOutcome::Won || holder != "nobody" ? 1U : 0U);
        if (!ended.empty())
        {
            EXPECT_EQ(ended[0][0], holder);
        }
        if (first == StepOutcome::Won && second == StepOutcome::Won)
        {
            EXPECT_EQ(our.holder(two.gatewayId), std::to_string(one.id));
            EXPECT_EQ(holder, std::to_string(two.id));
        }
    }
}

TEST(Receipts, TheIdOfARequestThatHasEndedIsNotGivenAway)
{
    RELAYER_NEEDS_SERVER();
    Receipts our;
    const Placed ended = our.waiting();
    ASSERT_EQ(our.answer(ended.gatewayId).ended, Status::Completed);
    const Placed row = our.waiting();
    EXPECT_EQ(our.replace(row, ended.gatewayId).outcome, StepOutcome::Lost);
    EXPECT_EQ(our.holder(row.gatewayId), std::to_string(row.id));
    EXPECT_EQ(our.holder(ended.gatewayId), std::to_string(ended.id));
}

namespace
{
// A request whose transaction was mined, and the chain may take that back.
struct Mined : Receipts
{
    static constexpr models::Claimer kHolder = 7;
    models::LaneStore lanes{store.writer()};
    models::LaneHold hold{"main", kHolder};
    models::RequestId request = 0;
    models::AttemptId attempt = 0;
    models::TxHash hash{};

    Mined()
    {
        await(lanes.hold(hold, kAddress, std::chrono::minutes(1), 0));
        request =
            place(database,
                  {.kind = Kind::PublicDecrypt, .status = Status::Processing, .owner = kHolder})
                .id;
        const auto attempts = attemptsFor({request});
        hash = attempts[0].version.hash;
        attempt = await(lanes.commit(hold, 0, attempts)).attempts.at(0);
        await(lanes.markMined(hold, {{attempt, hash, 10}}));
    }

    [[nodiscard]] models::Step sendAnew() const
    {
        models::Step anew;
        anew.transition = Transition::Recover;
        anew.id = request;
        anew.claimer = kHolder;
        return anew;
    }
    // Status, owner, and whether it says the transaction that came back.
    [[nodiscard]] std::string row() const
    {
        return database.value("SELECT status || ' ' || owner || ' ' || (tx_hash = " +
                              hexLiteral(hash) + ") FROM request");
    }
    bool reopen() { return await(lanes.reopen(hold, attempt)); }
};
}  // namespace

TEST(Receipts, WhatTheChainTookBackFreesItsId)
{
    RELAYER_NEEDS_SERVER();
    Mined our;
    const auto id = hash32(1, 0x6B);
    await(our.store->markReceiptReceived(our.request, Mined::kHolder, our.hash, id,
                                         Kind::PublicDecrypt));

    EXPECT_TRUE(our.reopen());
    EXPECT_EQ(our.holder(id), "nobody");
    const Placed other = our.waiting();
    EXPECT_EQ(our.replace(other, id).outcome, StepOutcome::Won);
    const auto again =
        await(our.store->replaceReceipt(our.request, our.hash, our.hash, hash32(2, 0x6B)));
    EXPECT_EQ(again.outcome, StepOutcome::Won) << "mined again, with another id";
    EXPECT_EQ(our.holder(hash32(2, 0x6B)), std::to_string(our.request));
}

TEST(Receipts, WhatWasToBeSentAnewIsOnItsWayAgainWhenItsNonceComesBack)
{
    RELAYER_NEEDS_SERVER();
    Mined our;
    ASSERT_EQ(await(our.store->apply(our.sendAnew())), StepOutcome::Won);
    // Another lane has claimed it meanwhile, and knows nothing of a reorg.
    our.database.query("UPDATE request SET owner = 9");

    EXPECT_TRUE(our.reopen());
    EXPECT_EQ(our.row(), "tx_in_flight 7 true");
    models::Step fail;
    fail.transition = Transition::FailTransaction;
    fail.id = our.request;
    fail.claimer = 9;
    fail.failure = core::Failure{core::FailureCode::TransactionFailed, "the estimate reverts"};
    EXPECT_EQ(await(our.store->apply(fail)), StepOutcome::Lost);
    EXPECT_EQ(await(our.store->apply(our.sendAnew())), StepOutcome::Lost) << "not twice on its way";
}

// Whoever had the lane before may live on with the request, and never move it.
TEST(Receipts, ATransactionThatComesBackTakesItsRequestWithIt)
{
    RELAYER_NEEDS_SERVER();
    Mined our;
    our.database.query("UPDATE request SET owner = 9, status_at = now() - interval '1 hour'");
    EXPECT_TRUE(our.reopen());
    EXPECT_EQ(our.row(), "tx_in_flight 7 true");
    EXPECT_EQ(our.database.value("SELECT now() - status_at < interval '1 minute' FROM request"),
              "t");
    const auto stored = await(our.store->markReceiptReceived(our.request, Mined::kHolder, our.hash,
                                                             hash32(1, 0x6B), Kind::PublicDecrypt));
    EXPECT_EQ(stored.outcome, StepOutcome::Won);
}

// A statement that waited for the row has looked for open attempts before there was one.
TEST(Receipts, WhoDecidedBesideAReorgDoesNotSendAnewWhatCameBack)
{
    RELAYER_NEEDS_SERVER();
    Mined our;
    // What reopening does, by hand, so that it can be held in the middle.
    our.database.query("BEGIN");
    our.database.query(
        "UPDATE tx_attempt SET state = 'signed', open = true, mined_hash = NULL,"
        " mined_block = NULL");
    our.database.query("UPDATE request SET status_at = clock_timestamp()");
    auto anew = start(our.store->apply(our.sendAnew()));
    EXPECT_TRUE(waitsForALock(our.database, anew));
    our.database.query("COMMIT");
    EXPECT_EQ(anew.get(), StepOutcome::Lost);
    EXPECT_EQ(our.row(), "tx_in_flight 7 true");
}

TEST(Receipts, WhatIsBeingSetBackWhenItsNonceComesBackIsOnItsWay)
{
    RELAYER_NEEDS_SERVER();
    Mined our;
    our.database.query("BEGIN");
    our.database.query("UPDATE request SET status = 'processing', status_at = clock_timestamp()");
    auto reopened = start(our.lanes.reopen(our.hold, our.attempt));
    EXPECT_TRUE(waitsForALock(our.database, reopened));
    our.database.query("COMMIT");
    EXPECT_TRUE(reopened.get());
    EXPECT_EQ(our.row(), "tx_in_flight 7 true");
}

// Whoever calls from a loop goes on there: one of the database's ends when its client is replaced.
TEST(Receipts, WhatWaitsInTheStoreComesBackToTheLoopItCameFrom)
{
    RELAYER_NEEDS_SERVER();
    Receipts our;
    const Placed row = our.waiting();
    plugins::OwnLoop loop("caller");
    std::promise<bool> came;
    const auto replace = [](Receipts *receipts, models::RequestId id, trantor::EventLoop *home,
                            std::promise<bool> *done) -> drogon::AsyncTask {
        co_await receipts->store->replaceReceipt(id, std::nullopt, hash32(1, 0x7A),
                                                 hash32(9, 0x6B));
        done->set_value(home->isInLoopThread());
    };
    loop.get()->queueInLoop([&] { replace(&our, row.id, loop.get(), &came); });
    EXPECT_TRUE(came.get_future().get());
}
}  // namespace relayer::test
