// Whole rounds of the sweep: who does them, how much at once, and what they leave.
#include "integration/sweeping.h"
#include "models/instance_registry.h"
#include "support/eventually.h"

#include <gtest/gtest.h>

#include <memory>

namespace relayer::test
{
namespace
{
using core::Kind;
using core::Status;
using models::Claimer;
using models::RequestId;
using models::SweepStore;
using std::chrono::hours;
}  // namespace

TEST_F(Sweeping, ARoundForgetsMoreThanABatchOfAnswersThatNobodyWaitedFor)
{
    database_->query(
        "INSERT INTO gateway_answer (kind, gateway_id, accepted, result, arrived_at)"
        " SELECT 'public_decrypt', sha256(convert_to('id ' || n, 'UTF8')), true, '',"
        " now() - interval '2 days' FROM generate_series(1, 95) n");
    plugins::SweepPass pass = tenAtATime();
    await(pass.runOnce());
    EXPECT_EQ(count("gateway_answer"), "0");
}

TEST_F(Sweeping, WhatARoundLeavesOfThemTheNextForgetsWithoutWaitingForASearch)
{
    database_->query(
        "INSERT INTO kms_share (gateway_id, share_index, payload, signature, extra_data,"
        " created_at) SELECT sha256('id'), n, '', '', '', now() - interval '2 days'"
        " FROM generate_series(1, 250) n");
    plugins::SweepPass pass = tenAtATime();
    await(pass.runOnce());
    EXPECT_EQ(count("kms_share"), "50") << "a round is bounded";
    await(pass.runOnce());
    EXPECT_EQ(count("kms_share"), "0");
}

TEST_F(Sweeping, ARoundForgetsKeysOfClientsThatStandForNothingAnyMore)
{
    database_->query(
        "INSERT INTO idempotency_key (client, key, content_hash, created_at)"
        " SELECT 'client', n::text, decode(repeat('00', 32), 'hex'),"
        " now() - CASE WHEN n <= 95 THEN interval '25 hours' ELSE interval '23 hours' END"
        " FROM generate_series(1, 98) n");
    plugins::SweepPass pass = tenAtATime();
    await(pass.runOnce());
    EXPECT_EQ(database_->value("SELECT string_agg(key, ',' ORDER BY key) FROM idempotency_key"),
              "96,97,98");
}

TEST_F(Sweeping, ARoundDoesAllOfItAndOnlyWhereItLeads)
{
    const auto instances = std::make_shared<models::InstanceRegistry>(store_->writer());
    const Claimer here = await(instances->enrol("here", "test")).epoch;
    const Claimer gone = await(instances->enrol("gone", "test")).epoch;
    database_->query(
        "UPDATE instance SET heartbeat_at = now() - interval '1 minute'"
        " WHERE epoch = " +
        std::to_string(gone));
    const RequestId late = put(Kind::InputProof, Status::ReceiptReceived);
    age(late, "31 minutes");
    const RequestId stuck = put(Kind::PublicDecrypt, Status::Queued, gone);
    const RequestId forgotten = put(Kind::InputProof, Status::Completed);
    age(forgotten, "2 days");

    plugins::SweepOptions options = patient();
    options.keep.fill(hours(24));
    plugins::SweepPass second({sweeps_, instances, [] { return Claimer{999}; }}, options);
    plugins::SweepPass first({sweeps_, instances, [here] { return here; }}, options);
    await(first.runOnce());
    await(second.runOnce());
    EXPECT_TRUE(first.counts().leads);
    EXPECT_FALSE(second.counts().leads);
    EXPECT_EQ(first.counts().timedOut, 1U);
    EXPECT_EQ(first.counts().takenOver, 1U);
    EXPECT_EQ(first.counts().purged, 1U);
    EXPECT_EQ(of(late, "status"), "timed_out");
    EXPECT_EQ(of(stuck, "owner IS NULL"), "t");
    await(first.resign());
    await(second.runOnce());
    EXPECT_TRUE(second.counts().leads);
}

TEST_F(Sweeping, BatchesShrinkWhenAStatementTakesTooLongAndAreTheOldSizeLater)
{
    constexpr std::size_t kRows = 80;
    const auto instances = std::make_shared<models::InstanceRegistry>(store_->writer());
    const Claimer here = await(instances->enrol("here", "test")).epoch;
    const Claimer gone = await(instances->enrol("gone", "test")).epoch;
    database_->query("UPDATE instance SET heartbeat_at = '-infinity' WHERE name = 'gone'");
    const RequestId stuck = put(Kind::PublicDecrypt, Status::Queued, gone);
    database_->query(
        "DO $$BEGIN EXECUTE format('ALTER DATABASE %I SET statement_timeout = 500',"
        " current_database()); END$$");
    auto impatient = std::make_shared<models::Connections>([url = database_->url()](std::size_t) {
        return drogon::orm::DbClient::newPgClient(url, 1);
    });
    ASSERT_TRUE(eventually([&] { return impatient->available(); }));
    {
        plugins::SweepOptions options = patient();
        options.rowsAtATime = kRows;
        plugins::SweepPass pass(
            {std::make_shared<SweepStore>(impatient, nullptr), instances, [here] { return here; }},
            options);
        database_->query("BEGIN");
        database_->query("SELECT FROM request FOR UPDATE");
        for (const std::size_t rows : {kRows / 2, kRows / 4})
        {
            EXPECT_THROW(await(pass.runOnce()), models::StoreError);
            EXPECT_EQ(pass.counts().rowsAtATime, rows);
        }
        database_->query("COMMIT");
        for (int round = 0; round < 100 && pass.counts().rowsAtATime < kRows; ++round)
        {
            await(pass.runOnce());
        }
        EXPECT_EQ(pass.counts().rowsAtATime, kRows);
        EXPECT_EQ(of(stuck, "owner IS NULL"), "t");
    }
    models::Connections::letGo(std::move(impatient));
}

TEST_F(Sweeping, NobodyIsToldThatNoAnswerCameBeforeTheChainHasBeenHeard)
{
    const auto instances = std::make_shared<models::InstanceRegistry>(store_->writer());
    const Claimer here = await(instances->enrol("here", "test")).epoch;
    const RequestId unanswered = put(Kind::InputProof, Status::ReceiptReceived);
    const RequestId unready = put(Kind::PublicDecrypt, Status::Queued);
    age(unanswered, "2 hours");
    age(unready, "2 hours");
    bool heard = false;
    plugins::SweepPass pass({sweeps_, instances, [here] { return here; }, [&] { return heard; }},
                            patient());
    await(pass.runOnce());
    EXPECT_EQ(of(unanswered, "status"), "receipt_received");
    EXPECT_EQ(of(unready, "status"), "timed_out") << "that one waits for no event";
    heard = true;
    for (int round = 0; round < 6; ++round)
    {
        await(pass.runOnce());
    }
    EXPECT_EQ(of(unanswered, "status"), "timed_out");
}
}  // namespace relayer::test
