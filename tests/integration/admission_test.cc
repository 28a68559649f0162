// One request for one content, whoever asks and however many at once.
#include "support/await.h"
#include "support/eventually.h"
#include "support/private_postgres.h"
#include "support/test_store.h"

#include <gtest/gtest.h>

#include <iostream>
#include <map>
#include <set>
#include <thread>

namespace relayer::test
{
using core::Kind;
using core::Status;
using core::Transition;
using models::Admission;

namespace
{
void setStatus(const TestDatabase &database, models::RequestId id, const std::string &status,
               bool dedup)
{
    database.query("UPDATE request SET status = '" + status + "', live = false, dedup = " +
                   (dedup ? "true" : "false") + " WHERE id = " + std::to_string(id));
}
}  // namespace

TEST(Admission, AnInputProofStartsAtProcessingAndADecryptIsQueued)
{
    RELAYER_NEEDS_SERVER();
    const TestDatabase database;
    TestStore store(database);
    EXPECT_EQ(await(store->admit(newRequest(Kind::InputProof, 1, 1))).status, Status::Processing);
    EXPECT_EQ(await(store->admit(newRequest(Kind::PublicDecrypt, 1, 2))).status, Status::Queued);
    EXPECT_EQ(await(store->admit(newRequest(Kind::UserDecrypt, 1, 3))).status, Status::Queued);
    EXPECT_EQ(database.value("SELECT count(*) FROM live_request l JOIN request r"
                             " ON r.id = l.request_id AND r.ticket = l.ticket AND r.kind = l.kind"),
              "3");
}

TEST(Admission, WhatIsReadBackIsWhatWasAdmitted)
{
    RELAYER_NEEDS_SERVER();
    const TestDatabase database;
    TestStore store(database);
    models::NewRequest request = newRequest(Kind::UserDecrypt, 1, 1);
    request.variant = models::Variant::Delegated;
    request.payload = core::Bytes(5000);
    for (std::size_t i = 0; i < request.payload.size(); ++i)
    {
        request.payload[i] = static_cast<std::uint8_t>(i * 7);
    }
    const Admission admission = await(store->admit(request));
    EXPECT_TRUE(admission.fresh);
    EXPECT_EQ(admission.jobId, request.jobId);

    const auto row = await(store->findByJobId(request.jobId));
    ASSERT_TRUE(row);
    EXPECT_EQ(row->getValueOfJobId(), request.jobId.text());
    EXPECT_EQ(row->getValueOfKind(), "user_decrypt");
    EXPECT_EQ(row->getValueOfVariant(), "delegated");
    EXPECT_EQ(row->getValueOfStatus(), "queued");
    EXPECT_EQ(row->getValueOfResolvedThreshold(), 3);
    const auto payload = row->getValueOfPayload();
    EXPECT_TRUE(
        std::equal(payload.begin(), payload.end(), request.payload.begin(), request.payload.end(),
                   [](char a, std::uint8_t b) { return static_cast<std::uint8_t>(a) == b; }));

    const auto poll = await(store->poll(request.jobId));
    ASSERT_TRUE(poll);
    EXPECT_EQ(poll->row.getPayload(), nullptr);
    EXPECT_EQ(poll->row.getValueOfId(), admission.id);
    EXPECT_FALSE(poll->result);
    EXPECT_FALSE(await(store->findByJobId(jobId(99))));
}

TEST(Admission, AContentThatLivesIsCompletedOrWasRejectedIsJoined)
{
    RELAYER_NEEDS_SERVER();
    const TestDatabase database;
    TestStore store(database);
    const Admission first = await(store->admit(newRequest(Kind::InputProof, 1, 1)));
    for (const char *status : {"processing", "completed", "failure"})
    {
        if (std::string(status) != "processing")
        {
            setStatus(database, first.id, status, true);
        }
        const Admission again = await(store->admit(newRequest(Kind::InputProof, 1, 2)));
        EXPECT_FALSE(again.fresh) << status;
        EXPECT_EQ(again.jobId, first.jobId) << status;
        EXPECT_EQ(again.status, core::parseStatus(status)) << status;
    }
    EXPECT_EQ(database.value("SELECT count(*) FROM request"), "1");
}

TEST(Admission, ARejectedProofStillStandsForItsContentAndAFailedOneDoesNot)
{
    RELAYER_NEEDS_SERVER();
    const TestDatabase database;
    TestStore store(database);
    const auto end = [&](std::uint64_t content, bool accepted) {
        const Admission admission =
            await(store->admit(newRequest(Kind::InputProof, content, content)));
        models::Step step;
        step.transition = Transition::MarkTxInFlight;
        step.id = admission.id;
        await(store->apply(step));
        await(store->markReceiptReceived(admission.id, std::nullopt, hash32(content, 1),
                                         hash32(content, 2), Kind::InputProof));
        models::Answer answer;
        answer.kind = Kind::InputProof;
        answer.gatewayId = hash32(content, 2);
        answer.accepted = accepted;
        return await(store->keepAnswer(answer)).ended;
    };
    EXPECT_EQ(end(1, false), Status::Failure);
    EXPECT_EQ(end(2, true), Status::Completed);
    EXPECT_FALSE(await(store->admit(newRequest(Kind::InputProof, 1, 11))).fresh);
    EXPECT_FALSE(await(store->admit(newRequest(Kind::InputProof, 2, 12))).fresh);

    const Admission third = await(store->admit(newRequest(Kind::InputProof, 3, 3)));
    models::Step step;
    step.transition = Transition::FailTransaction;
    step.id = third.id;
    await(store->apply(step));
    const Admission fresh = await(store->admit(newRequest(Kind::InputProof, 3, 13)));
    EXPECT_TRUE(fresh.fresh);
    EXPECT_NE(fresh.jobId, third.jobId);
}

TEST(Admission, TimedOutAndFailedContentsAreFreeAgain)
{
    RELAYER_NEEDS_SERVER();
    const TestDatabase database;
    TestStore store(database);
    std::uint64_t job = 1;
    for (const char *status : {"timed_out", "failure"})
    {
        const Admission first = await(store->admit(newRequest(Kind::PublicDecrypt, 1, job++)));
        ASSERT_TRUE(first.fresh);
        database.query("DELETE FROM live_request");
        setStatus(database, first.id, status, false);
    }
    EXPECT_TRUE(await(store->admit(newRequest(Kind::PublicDecrypt, 1, job))).fresh);
    EXPECT_EQ(database.value("SELECT count(*) FROM request"), "3");
}

TEST(Admission, TheSameContentOfAnotherKindIsAnotherRequest)
{
    RELAYER_NEEDS_SERVER();
    const TestDatabase database;
    TestStore store(database);
    EXPECT_TRUE(await(store->admit(newRequest(Kind::PublicDecrypt, 1, 1))).fresh);
    EXPECT_TRUE(await(store->admit(newRequest(Kind::UserDecrypt, 1, 2))).fresh);
}

TEST(Admission, TenThousandCallersWithOneHundredContentsMakeOneHundredRequests)
{
    RELAYER_NEEDS_SERVER();
    constexpr std::uint64_t kCallers = 10000;
    constexpr std::uint64_t kContents = 100;
    const TestDatabase database;
    // Two instances, so that contents are fought over in PostgreSQL too.
    TestStore here(database);
    TestStore there(database);

    std::vector<std::future<Admission>> answers(kCallers);
    {
        std::vector<std::jthread> threads;
        for (std::uint64_t t = 0; t < 8; ++t)
        {
            threads.emplace_back([&, t] {
                for (std::uint64_t i = t; i < kCallers; i += 8)
                {
                    auto &store = i % 2 == 0 ? here : there;
                    answers[i] =
                        start(store->admit(newRequest(Kind::PublicDecrypt, i % kContents, i + 1)));
                }
            });
        }
    }
    std::map<std::uint64_t, std::set<std::string>> jobsOf;
    std::map<std::uint64_t, int> freshOf;
    for (std::uint64_t i = 0; i < kCallers; ++i)
    {
        const Admission admission = answers[i].get();
        jobsOf[i % kContents].insert(admission.jobId.text());
        freshOf[i % kContents] += admission.fresh ? 1 : 0;
        EXPECT_EQ(admission.fresh, admission.jobId == jobId(i + 1));
    }
    EXPECT_EQ(database.value("SELECT count(*) FROM request"), std::to_string(kContents));
    for (std::uint64_t content = 0; content < kContents; ++content)
    {
        ASSERT_EQ(jobsOf[content].size(), 1U) << content;
        ASSERT_EQ(freshOf[content], 1) << content;
        EXPECT_EQ(*jobsOf[content].begin(),
                  database.value("SELECT job_id FROM request WHERE content_hash = " +
                                 hexLiteral(hash32(content, 0xC0))));
    }
    const auto stats = here->stats().admissions;
    std::cout << "# " << stats.rows << " callers of one instance in " << stats.batches
              << " batches, largest " << stats.largestBatch << "\n";
}

TEST(Admission, ARepeatLeavesNoDeadRowAndBurnsNumbersThatLast)
{
    RELAYER_NEEDS_SERVER();
    constexpr std::uint64_t kContents = 100;
    constexpr std::uint64_t kRepeats = 10;
    // What is counted is counted for a server.
    const PrivatePostgres postgres;
    const TestDatabase database(postgres.url());
    database.migrate();
    {
        // One connection: what it has counted is told in the order in which it happened.
        TestStore store(database, {}, 1);
        for (std::uint64_t round = 0; round <= kRepeats; ++round)
        {
            std::vector<std::future<Admission>> answers;
            for (std::uint64_t i = 0; i < kContents; ++i)
            {
                answers.push_back(start(
                    store->admit(newRequest(Kind::PublicDecrypt, i, (round * kContents) + i + 1))));
            }
            for (auto &answer : answers)
            {
                EXPECT_EQ(answer.get().fresh, round == 0);
            }
        }
        EXPECT_TRUE(await(store->admit(newRequest(Kind::InputProof, 1, 1'000'000))).fresh);
    }
    // The last one is told with its end, a moment later, and with it all before.
    PrivatePostgres::Rows counted;
    EXPECT_TRUE(eventually([&] {
        counted = database.query(
            "SELECT n_tup_ins, n_dead_tup, n_tup_upd, n_tup_del FROM pg_stat_user_tables"
            " WHERE relname = 'request'");
        return counted[0][0] == std::to_string(kContents + 1);
    }));
    EXPECT_EQ(counted[0], (std::vector<std::string>{std::to_string(kContents + 1), "0", "0", "0"}));
    EXPECT_EQ(database.query("SELECT DISTINCT data_type::text FROM pg_sequences WHERE sequencename"
                             " IN ('request_ticket_seq', 'request_id_seq')"),
              (TestDatabase::Rows{{"bigint"}}));
}

TEST(Admission, OneBadRowFailsAloneAndItsBatchGoesThrough)
{
    RELAYER_NEEDS_SERVER();
    const TestDatabase database;
    TestStore store(database);
    await(store->admit(newRequest(Kind::PublicDecrypt, 1000, 7)));
    // A job id that another request has: nothing the statement could foresee.
    std::vector<std::future<Admission>> answers;
    for (std::uint64_t i = 0; i < 50; ++i)
    {
        answers.push_back(
            start(store->admit(newRequest(Kind::PublicDecrypt, i, i == 7 ? 7 : 100 + i))));
    }
    for (std::uint64_t i = 0; i < 50; ++i)
    {
        if (i == 7)
        {
            EXPECT_THROW(answers[i].get(), models::StoreError);
            continue;
        }
        EXPECT_TRUE(answers[i].get().fresh) << i;
    }
    EXPECT_EQ(database.value("SELECT count(*) FROM request"), "50");
}

TEST(Admission, CallersBeyondTheLimitAreRefusedAtOnce)
{
    RELAYER_NEEDS_SERVER();
    const TestDatabase database;
    models::RequestStoreOptions options;
    options.admissions.maxWaiting = 10;
    options.admissions.maxBatchRows = 1;
    options.admissions.inFlight = 1;
    TestStore store(database, options);
    std::vector<std::future<Admission>> answers;
    for (std::uint64_t i = 0; i < 200; ++i)
    {
        answers.push_back(start(store->admit(newRequest(Kind::PublicDecrypt, i, i + 1))));
    }
    int refused = 0;
    for (auto &answer : answers)
    {
        try
        {
            EXPECT_TRUE(answer.get().fresh);
        }
        catch (const models::StoreError &e)
        {
            EXPECT_EQ(e.code(), models::StoreError::Code::Overloaded);
            ++refused;
        }
    }
    EXPECT_GT(refused, 0);
    EXPECT_EQ(database.value("SELECT count(*) FROM request"), std::to_string(200 - refused));
}

TEST(Admission, TicketsFollowTheOrderInWhichCallersWereAnswered)
{
    RELAYER_NEEDS_SERVER();
    const TestDatabase database;
    TestStore store(database);
    for (std::uint64_t i = 0; i < 20; ++i)
    {
        // Contents whose hashes sort against the order of arrival.
        await(store->admit(newRequest(Kind::PublicDecrypt, 1000 - i, i + 1)));
    }
    EXPECT_EQ(database.value("SELECT bool_and(ok) FROM (SELECT ticket > lag(ticket, 1, 0::bigint)"
                             " OVER (ORDER BY id) AS ok FROM request) t"),
              "t");
}
}  // namespace relayer::test
