// What happens to requests when nobody does anything.
#include "integration/sweeping.h"
#include "plugins/startup_recovery.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace relayer::test
{
namespace
{
using core::Kind;
using core::Status;
using models::Claimer;
using models::LivePlace;
using models::RequestId;
using models::SweepStore;
using plugins::StartStage;
using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

const core::Failure kTooLate{core::FailureCode::ResponseTimedOut, "too late"};

TEST_F(Sweeping, EndsWhatIsOverdueInItsStatusAndNothingElse)
{
    for (const Kind kind : core::kAllKinds)
    {
        for (const Status status : core::kAllStatuses)
        {
            if (core::isTerminal(status) || !core::canBeIn(kind, status))
            {
                continue;
            }
            SCOPED_TRACE(std::string(core::name(kind)) + " " + std::string(core::name(status)));
            const RequestId old = put(kind, status);
            const RequestId young = put(kind, status);
            age(old, "31 minutes");
            age(young, "29 minutes");
            const auto ended = await(sweeps_->endOverdue(kind, status, minutes(30), kTooLate, 100));
            EXPECT_EQ(ended, std::vector<RequestId>{old});
            const bool byTime = status == Status::Queued || status == Status::ReceiptReceived;
            EXPECT_EQ(of(old, "status"), byTime ? "timed_out" : "failure");
            EXPECT_EQ(of(old, "error_code"), "response_timed_out");
            EXPECT_EQ(of(old, "live"), "f");
            EXPECT_EQ(of(old, "dedup"), "f");
            EXPECT_EQ(of(young, "status"), core::name(status));
            EXPECT_TRUE(
                await(sweeps_->endOverdue(kind, status, minutes(30), kTooLate, 100)).empty());
        }
    }
    EXPECT_EQ(database_->value("SELECT count(*) FROM live_request l JOIN request r"
                               " ON r.id = l.request_id WHERE NOT r.live"),
              "0");
}

TEST_F(Sweeping, TakesTheOldestFirstAndNoMoreThanItIsTold)
{
    std::vector<RequestId> ids;
    for (int i = 0; i < 5; ++i)
    {
        ids.push_back(put(Kind::PublicDecrypt, Status::Queued));
        age(ids.back(), "1 hour");
    }
    const auto sweep = [&] {
        return await(
            sweeps_->endOverdue(Kind::PublicDecrypt, Status::Queued, minutes(30), kTooLate, 2));
    };
    EXPECT_EQ(sweep(), (std::vector<RequestId>{ids[0], ids[1]}));
    EXPECT_EQ(sweep(), (std::vector<RequestId>{ids[2], ids[3]}));
    EXPECT_EQ(sweep(), std::vector<RequestId>{ids[4]});
}

TEST_F(Sweeping, LeavesATransactionOnItsWayToWhoSendsIt)
{
    const RequestId id = put(Kind::InputProof, Status::Processing, 7);
    sign(id, 7);
    age(id, "2 hours");
    const auto sweep = [&] {
        return await(
            sweeps_->endOverdue(Kind::InputProof, Status::TxInFlight, minutes(30), kTooLate, 10));
    };
    EXPECT_TRUE(sweep().empty());
    EXPECT_EQ(of(id, "status"), "tx_in_flight");
    database_->query("UPDATE tx_attempt SET state = 'consumed', open = false");
    EXPECT_EQ(sweep(), std::vector<RequestId>{id});
}

// Nobody has asked the chain yet: it may be away for as long as it likes.
TEST_F(Sweeping, LeavesATransactionOnItsWayToWhoSendsItAlsoWhenAStartHasSetItsRequestBack)
{
    const RequestId id = put(Kind::InputProof, Status::Processing, 7);
    sign(id, 7);
    const auto state = std::make_shared<plugins::StartupRecovery::State>();
    await(plugins::StartupRecovery::recover(sweeps_, state, 7, StartStage::Enrolled));
    ASSERT_EQ(of(id, "status"), "processing");
    age(id, "2 hours");
    const auto sweep = [&] {
        return await(
            sweeps_->endOverdue(Kind::InputProof, Status::Processing, minutes(30), kTooLate, 10));
    };
    EXPECT_TRUE(sweep().empty());
    EXPECT_EQ(of(id, "status"), "processing");
    database_->query("UPDATE tx_attempt SET state = 'consumed', open = false");
    EXPECT_EQ(sweep(), std::vector<RequestId>{id});
}

TEST_F(Sweeping, OneLeadsUntilItsLeaseEndsOrItResigns)
{
    EXPECT_TRUE(await(sweeps_->lead(1, minutes(1))));
    EXPECT_FALSE(await(sweeps_->lead(2, minutes(1))));
    EXPECT_TRUE(await(sweeps_->lead(1, minutes(1))));
    await(sweeps_->resign(2));
    EXPECT_FALSE(await(sweeps_->lead(2, minutes(1))));
    await(sweeps_->resign(1));
    EXPECT_TRUE(await(sweeps_->lead(2, minutes(1))));
    database_->query("UPDATE duty SET lease_until = now() - interval '1 second'");
    EXPECT_TRUE(await(sweeps_->lead(3, minutes(1))));
    EXPECT_FALSE(await(sweeps_->lead(2, minutes(1))));
}

TEST_F(Sweeping, FreesWhatASilentInstanceHeldAndStartsOverWhatHasNoTransaction)
{
    const RequestId queued = put(Kind::UserDecrypt, Status::Queued, 7);
    const RequestId processing = put(Kind::InputProof, Status::Processing, 7);
    const RequestId onItsWay = put(Kind::InputProof, Status::Processing, 7);
    sign(onItsWay, 7);
    const RequestId stranded = put(Kind::PublicDecrypt, Status::TxInFlight, 7);
    const RequestId others = put(Kind::PublicDecrypt, Status::Queued, 8);
    SweepStore::Page sum;
    for (std::optional<LivePlace> from(std::in_place); from;)
    {
        const auto page = await(sweeps_->freeAbandoned(7, *from, 3));
        EXPECT_LE(page.rows, 3U);
        sum.rows += page.rows;
        sum.startOver += page.startOver;
        from = page.next;
    }
    EXPECT_EQ(sum.rows, 4U);
    EXPECT_EQ(sum.startOver, 1U);
    for (const RequestId id : {queued, processing, onItsWay, stranded})
    {
        EXPECT_EQ(of(id, "owner IS NULL"), "t");
    }
    EXPECT_EQ(of(queued, "status"), "queued");
    EXPECT_EQ(of(onItsWay, "status"), "tx_in_flight");
    EXPECT_EQ(of(stranded, "status"), "processing");
    EXPECT_EQ(of(others, "owner"), "8");
}

// A start set it back and died before it had its lane: the transaction is still there, and another
// lane that claimed the request would look at it as at a new one.
TEST_F(Sweeping, WhatWasSetBackWithItsTransactionOnItsWayIsFreedForNobodyButWhoGetsTheLane)
{
    const RequestId id = put(Kind::InputProof, Status::Processing, 7);
    const RequestId without = put(Kind::InputProof, Status::Processing, 7);
    sign(id, 7);
    const auto state = std::make_shared<plugins::StartupRecovery::State>();
    await(plugins::StartupRecovery::recover(sweeps_, state, 7, StartStage::Enrolled));
    EXPECT_EQ(await(sweeps_->freeAllAbandoned(7, 100)), 0U) << "the start gave back the other one";
    EXPECT_EQ(of(id, "status || coalesce(owner::text, '-')"), "processing7");
    const auto claimed = await((*store_)->claim(Kind::InputProof, Status::Processing, 8, 10));
    ASSERT_EQ(claimed.size(), 1U);
    EXPECT_EQ(claimed[0].getValueOfId(), without);

    database_->query("UPDATE signer_lane SET lease_until = now() - interval '1 second'");
    models::LaneStore lanes(store_->writer());
    ASSERT_TRUE(await(lanes.hold({"main", 9}, kAddress, minutes(10), 0)).held);
    EXPECT_EQ(of(id, "owner"), "9");
}

TEST_F(Sweeping, GivesBackWhatAClaimerHoldsInOneStatusPageByPage)
{
    for (const Kind kind : {Kind::InputProof, Kind::UserDecrypt, Kind::PublicDecrypt})
    {
        put(kind, Status::Processing, 7);
    }
    const RequestId others = put(Kind::UserDecrypt, Status::Processing, 8);
    const RequestId further = put(Kind::UserDecrypt, Status::TxInFlight, 7);
    std::vector<std::size_t> pages;
    for (std::optional<LivePlace> from(std::in_place); from;)
    {
        const auto page = await(sweeps_->release(7, Status::Processing, *from, 2));
        pages.push_back(page.rows);
        from = page.next;
    }
    // By kind, and what is somebody else's or further along is passed over.
    EXPECT_EQ(pages, (std::vector<std::size_t>{2, 1, 0}));
    EXPECT_EQ(of(others, "owner"), "8");
    EXPECT_EQ(of(further, "owner"), "7");
}

TEST_F(Sweeping, ForgetsWhatIsOldWithAllThatBelongedToIt)
{
    const Placed old = place(
        *database_,
        {.kind = Kind::UserDecrypt, .status = Status::Completed, .threshold = 1, .referred = true});
    age(old.id, "3 days");
    const std::string gatewayId = hexLiteral(old.gatewayId);
    database_->query(
        "INSERT INTO kms_share (gateway_id, share_index, payload, signature, extra_data) VALUES (" +
        gatewayId + ", 0, '', '', '')");
    const RequestId young = put(Kind::UserDecrypt, Status::Completed);
    const RequestId live = put(Kind::UserDecrypt, Status::Queued);
    age(live, "3 days");
    const RequestId kept = put(Kind::PublicDecrypt, Status::Completed);
    age(kept, "3 days");

    SweepStore::Keep keep{};
    keep.at(static_cast<std::size_t>(Kind::UserDecrypt)) = hours(48);
    const auto purged = await(sweeps_->purge(keep, 0, 100));
    EXPECT_EQ(purged.looked, 4U);
    EXPECT_EQ(purged.requests, 1U);
    EXPECT_EQ(purged.last, kept);
    EXPECT_EQ(database_->value("SELECT string_agg(id::text, ',' ORDER BY id) FROM request"),
              std::to_string(young) + "," + std::to_string(live) + "," + std::to_string(kept));
    EXPECT_EQ(count("kms_share"), "0");
    EXPECT_EQ(count("gateway_reference WHERE request_id = " + std::to_string(old.id)), "0");
    EXPECT_EQ(await(sweeps_->purge(keep, purged.last, 100)).looked, 0U);
}

TEST_F(Sweeping, KeepsARequestWhoseNonceIsOpen)
{
    const RequestId id = put(Kind::InputProof, Status::Processing, 7);
    sign(id, 7);
    database_->query("UPDATE request SET status = 'failure', live = false, dedup = false");
    database_->query("DELETE FROM live_request");
    age(id, "3 days");
    SweepStore::Keep keep{};
    keep.fill(hours(1));
    EXPECT_EQ(await(sweeps_->purge(keep, 0, 100)).requests, 0U);
    database_->query("UPDATE tx_attempt SET state = 'consumed', open = false");
    EXPECT_EQ(await(sweeps_->purge(keep, 0, 100)).requests, 1U);
    EXPECT_EQ(count("tx_attempt"), "0");
    EXPECT_EQ(count("tx_version"), "0");
}

TEST_F(Sweeping, SaysWhenNothingFurtherOnCanBeOldEnough)
{
    put(Kind::InputProof, Status::Completed);
    SweepStore::Keep keep{};
    keep.fill(hours(1));
    EXPECT_TRUE(await(sweeps_->purge(keep, 0, 100)).tooYoung);
    age(put(Kind::InputProof, Status::Completed), "2 hours");
    EXPECT_FALSE(await(sweeps_->purge(keep, 0, 100)).tooYoung);
}

TEST_F(Sweeping, ForgetsAnswersThatNobodyWaitedFor)
{
    database_->query(
        "INSERT INTO gateway_answer (kind, gateway_id, accepted, result, arrived_at)"
        " VALUES ('public_decrypt', " +
        hexLiteral(hash32(1)) +
        ", true, '', now() - interval '2 days'), "
        "('public_decrypt', " +
        hexLiteral(hash32(2)) + ", true, '', now())");
    EXPECT_EQ(await(sweeps_->purgeForeign(hours(24), 100)), 1U);
    EXPECT_EQ(count("gateway_answer"), "1");
}

TEST_F(Sweeping, AStartSetsBackWhatWasInFlightAndGivesBackWhatWasClaimed)
{
    const RequestId inFlight = put(Kind::PublicDecrypt, Status::TxInFlight, 7);
    const RequestId onItsWay = put(Kind::InputProof, Status::Processing, 7);
    sign(onItsWay, 7);
    const RequestId processing = put(Kind::UserDecrypt, Status::Processing, 7);
    const RequestId queued = put(Kind::UserDecrypt, Status::Queued, 7);
    const RequestId receipt = put(Kind::UserDecrypt, Status::ReceiptReceived);
    const RequestId ended = put(Kind::InputProof, Status::Failure);
    const RequestId others = put(Kind::InputProof, Status::TxInFlight, 8);
    const auto state = std::make_shared<plugins::StartupRecovery::State>();
    await(plugins::StartupRecovery::recover(sweeps_, state, 7, StartStage::BeforeEnrolment));
    EXPECT_FALSE(state->progress.done) << "what comes to the last epoch meanwhile is to be done";
    await(plugins::StartupRecovery::recover(sweeps_, state, 9, StartStage::Enrolled));
    EXPECT_TRUE(state->progress.done);
    EXPECT_EQ(state->progress.reset, 2U);
    EXPECT_EQ(state->progress.givenBackProcessing, 2U);
    EXPECT_EQ(state->progress.givenBackQueued, 1U);
    EXPECT_EQ(of(inFlight, "status || coalesce(owner::text, '-')"), "processing-");
    // Its transaction is looked for first, by who holds the lane.
    EXPECT_EQ(of(onItsWay, "status || coalesce(owner::text, '-')"), "processing7");
    EXPECT_EQ(of(processing, "status || coalesce(owner::text, '-')"), "processing-");
    EXPECT_EQ(of(queued, "status || coalesce(owner::text, '-')"), "queued-");
    EXPECT_EQ(of(receipt, "status"), "receipt_received");
    EXPECT_EQ(of(ended, "status"), "failure");
    EXPECT_EQ(of(others, "status || coalesce(owner::text, '-')"), "tx_in_flight8");
}

// Who was replaced and is back enrols anew, and recovers once more.
TEST_F(Sweeping, ARecoveryIsNotDoneWhileAnotherIsOnItsWay)
{
    const auto state = std::make_shared<plugins::StartupRecovery::State>();
    await(plugins::StartupRecovery::recover(sweeps_, state, 7, StartStage::Enrolled));
    ASSERT_TRUE(state->progress.done);
    const RequestId held = put(Kind::InputProof, Status::TxInFlight, 8);
    database_->query("BEGIN");
    database_->query("SELECT FROM request FOR UPDATE");
    auto again = start(plugins::StartupRecovery::recover(sweeps_, state, 8, StartStage::Enrolled));
    const auto done = [&state] {
        const std::lock_guard lock(state->mutex);
        return state->progress.done;
    };
    EXPECT_FALSE(done());
    database_->query("ROLLBACK");
    again.get();
    EXPECT_TRUE(done());
    EXPECT_EQ(of(held, "status"), "processing");
}
}  // namespace
}  // namespace relayer::test
