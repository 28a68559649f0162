// What an operator does to requests, and sees of them.
#include "models/operator_store.h"

#include "models/lane_store.h"
#include "models/operator_sql.h"
#include "support/await.h"
#include "support/lane_attempts.h"
#include "support/test_store.h"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace relayer::test
{
namespace
{
using core::Kind;
using core::OperatorOutcome;
using core::RequestSearch;
using core::Status;
using core::Transition;
using models::RequestId;
using std::chrono::hours;
using std::chrono::minutes;

class Operating : public testing::Test
{
  protected:
    void SetUp() override
    {
        RELAYER_NEEDS_SERVER();
        database_ = std::make_unique<TestDatabase>();
        store_ = std::make_unique<TestStore>(*database_);
        operators_ =
            std::make_shared<models::OperatorStore>(store_->writer(), store_->reader(), nullptr);
    }

    RequestId put(const PlacedRow &row) { return place(*database_, row).id; }
    [[nodiscard]] std::string of(RequestId id, const std::string &column) const
    {
        return database_->value("SELECT " + column +
                                " FROM request WHERE id = " + std::to_string(id));
    }
    [[nodiscard]] core::JobId jobOf(RequestId id) const
    {
        return *core::JobId::parse(of(id, "job_id"));
    }
    [[nodiscard]] std::string count(const std::string &from) const
    {
        return database_->value("SELECT count(*) FROM " + from);
    }
    void sign(RequestId id, models::Claimer claimer)
    {
        models::LaneStore lanes(store_->writer());
        const models::LaneHold hold{"main", claimer};
        const auto state = await(lanes.hold(hold, kAddress, minutes(10), 0));
        ASSERT_TRUE(state.held);
        const auto committed = await(lanes.commit(hold, state.nextNonce, attemptsFor({id})));
        ASSERT_EQ(committed.outcome, models::AttemptsCommitted::Outcome::Committed);
    }
    [[nodiscard]] std::vector<RequestId> idsOf(const RequestSearch &search)
    {
        std::vector<RequestId> ids;
        for (const core::RequestLine &line : await(operators_->find(search)).lines)
        {
            ids.push_back(line.id);
        }
        return ids;
    }

    static void inEachStatus(const std::function<void(Kind, Status)> &look)
    {
        for (const Kind kind : core::kAllKinds)
        {
            for (const Status status : core::kAllStatuses)
            {
                if (core::canBeIn(kind, status))
                {
                    SCOPED_TRACE(std::string(core::name(kind)) + " " +
                                 std::string(core::name(status)));
                    look(kind, status);
                }
            }
        }
    }

    std::unique_ptr<TestDatabase> database_;
    std::unique_ptr<TestStore> store_;
    std::shared_ptr<models::OperatorStore> operators_;
};

TEST_F(Operating, FailsWhatLivesAndNothingElseAndWritesDownWhoDidIt)
{
    inEachStatus([&](Kind kind, Status status) {
        const RequestId id = put({.kind = kind, .status = status, .owner = 7});
        const auto outcome = await(operators_->fail(jobOf(id), "asked to", "eve@1.2.3.4"));
        const auto target = core::next(kind, status, Transition::FailInternally);
        EXPECT_EQ(outcome, target ? OperatorOutcome::Done : OperatorOutcome::WrongState);
        EXPECT_EQ(of(id, "status"), core::name(target.value_or(status)));
        const std::string rows = "audit WHERE subject = '" + jobOf(id).text() + "'";
        EXPECT_EQ(count(rows), target ? "1" : "0");
        EXPECT_EQ(count("failed_request WHERE request_id = " + std::to_string(id)),
                  target ? "1" : "0");
        EXPECT_EQ(count("live_request WHERE request_id = " + std::to_string(id)), "0");
        if (target)
        {
            EXPECT_EQ(of(id, "error_code"), "stopped_by_operator");
            EXPECT_EQ(of(id, "owner"), "NULL");
            EXPECT_EQ(
                database_->value("SELECT actor || ' ' || action || ' ' ||"
                                 " (detail ->> 'from') || ' ' || (detail ->> 'reason')"
                                 " FROM " +
                                 rows),
                "eve@1.2.3.4 request_failed " + std::string(core::name(status)) + " asked to");
        }
    });
    EXPECT_EQ(await(operators_->fail(jobId(404), "", "eve")), OperatorOutcome::NoSuchRequest);
}

TEST_F(Operating, DispatchesAgainOnlyWhatIsInFlightAndHasNoTransactionUnderWay)
{
    inEachStatus([&](Kind kind, Status status) {
        const RequestId id = put({.kind = kind, .status = status, .owner = 7});
        const auto outcome = await(operators_->dispatchAgain(jobOf(id), "eve"));
        const auto target = core::next(kind, status, Transition::Recover);
        EXPECT_EQ(outcome, target ? OperatorOutcome::Done : OperatorOutcome::WrongState);
        EXPECT_EQ(of(id, "status"), core::name(target.value_or(status)));
        EXPECT_EQ(of(id, "owner"), target ? "NULL" : "7");
    });
    const RequestId signedOne = put({.status = Status::Processing, .owner = 7});
    sign(signedOne, 7);
    EXPECT_EQ(await(operators_->dispatchAgain(jobOf(signedOne), "eve")), OperatorOutcome::OnItsWay);
    EXPECT_EQ(of(signedOne, "status"), "tx_in_flight");
    EXPECT_EQ(of(signedOne, "owner"), "7");
    EXPECT_EQ(count("audit WHERE action = 'request_dispatched_again'"),
              std::to_string(core::kKinds));
}

TEST_F(Operating, SubmitsAnewWhatHasEndedUnderANewJobIdLinkedToTheOld)
{
    std::uint64_t number = 1;
    inEachStatus([&](Kind kind, Status status) {
        const RequestId id = put({.kind = kind, .status = status, .threshold = 4});
        const core::JobId fresh = jobId(++number);
        const auto outcome = await(operators_->submitAnew(jobOf(id), fresh, "eve"));
        if (!core::isTerminal(status))
        {
            EXPECT_EQ(outcome, OperatorOutcome::WrongState);
            return;
        }
        EXPECT_EQ(outcome, OperatorOutcome::Done);
        const auto anew = await((*store_)->findByJobId(fresh));
        ASSERT_TRUE(anew);
        EXPECT_EQ(anew->getValueOfStatus(), core::name(core::initialStatus(kind)));
        EXPECT_EQ(anew->getValueOfResubmits(), id);
        EXPECT_EQ(anew->getValueOfResolvedThreshold(), 4);
        EXPECT_EQ(of(anew->getValueOfId(), "content_hash"), of(id, "content_hash"));
        EXPECT_EQ(of(anew->getValueOfId(), "payload"), of(id, "payload"));
        EXPECT_EQ(of(id, "status"), core::name(status));
        EXPECT_EQ(count("live_request WHERE request_id = " + std::to_string(anew->getValueOfId())),
                  "1");
        // The new one stands for the content now: neither the old one nor itself goes anew.
        EXPECT_EQ(await(operators_->submitAnew(jobOf(id), jobId(++number), "eve")),
                  OperatorOutcome::ContentInUse);
        EXPECT_EQ(await(operators_->submitAnew(fresh, jobId(++number), "eve")),
                  OperatorOutcome::WrongState);
        const auto history = await(operators_->history(jobOf(id)));
        ASSERT_TRUE(history);
        EXPECT_EQ(history->resubmittedAs, std::vector{fresh});
        EXPECT_EQ(await(operators_->history(fresh))->resubmits, jobOf(id));
    });
    EXPECT_EQ(count("audit WHERE action = 'request_submitted_anew'"), "9");
}

TEST_F(Operating, TheHistoryHasEachStatusWithItsTimeAndTheTransactionsWithTheirFees)
{
    auto request = newRequest(Kind::UserDecrypt, 1, 1);
    const auto admitted = await((*store_)->admit(request));
    const auto step = [&](Transition transition) {
        models::Step wanted;
        wanted.transition = transition;
        wanted.id = admitted.id;
        wanted.claimer = 7;
        return await((*store_)->apply(wanted));
    };
    ASSERT_EQ(step(Transition::PassReadiness), models::StepOutcome::Won);
    ASSERT_EQ(await((*store_)->claim(Kind::UserDecrypt, Status::Processing, 7, 1)).size(), 1U);
    sign(admitted.id, 7);
    const auto receipt = await((*store_)->markReceiptReceived(admitted.id, 7, hash32(1, 0x7A),
                                                              hash32(1, 0x6A), Kind::UserDecrypt));
    ASSERT_EQ(receipt.outcome, models::StepOutcome::Won);
    for (int i = 0; i < 3; ++i)
    {
        models::Share share;
        share.gatewayId = hash32(1, 0x6A);
        share.index = 2 - i;
        share.payload = core::Bytes(50, 1);
        await((*store_)->keepShare(share));
    }
    const auto history = await(operators_->history(admitted.jobId));
    ASSERT_TRUE(history);
    std::vector<Transition> way;
    core::MillisSince1970 last = history->line.createdAt;
    for (const core::TrailStep &taken : history->trail)
    {
        way.push_back(taken.transition);
        const auto at = std::chrono::floor<std::chrono::milliseconds>(taken.at);
        EXPECT_GE(at, last);
        last = at;
    }
    EXPECT_EQ(way, (std::vector{Transition::PassReadiness, Transition::MarkTxInFlight,
                                Transition::MarkReceiptReceived, Transition::Complete}));
    EXPECT_EQ(last, history->line.statusAt);
    ASSERT_EQ(history->attempts.size(), 1U);
    EXPECT_EQ(history->attempts[0].lane, "main");
    ASSERT_EQ(history->attempts[0].versions.size(), 1U);
    EXPECT_FALSE(history->attempts[0].versions[0].maxFeePerGas.empty());
    ASSERT_EQ(history->shares.size(), 3U);
    EXPECT_EQ(history->shares[0].index, 2);
    EXPECT_EQ(history->gatewayId, hash32(1, 0x6A));
    EXPECT_FALSE(await(operators_->history(jobId(404))));
}

TEST_F(Operating, ATrailThatIsFullStaysAsItIsAndTheRequestGoesOn)
{
    const RequestId id = put({.status = Status::TxInFlight, .owner = 7});
    database_->query("UPDATE request SET trail = decode(repeat('090000000000000001', " +
                     std::to_string(core::kTrailSteps) +
                     "), 'hex') WHERE id = " + std::to_string(id));
    EXPECT_EQ(await(operators_->fail(jobOf(id), "", "eve")), OperatorOutcome::Done);
    const auto history = await(operators_->history(jobOf(id)));
    EXPECT_EQ(history->trail.size(), core::kTrailSteps);
    EXPECT_EQ(history->line.status, Status::Failure);
}

TEST_F(Operating, FindsARequestByEverythingThatStandsForIt)
{
    const Placed one = place(*database_, {.status = Status::ReceiptReceived, .referred = true});
    const RequestId other = put({.kind = Kind::PublicDecrypt, .status = Status::Queued});
    const RequestId sent = put({.status = Status::Processing, .owner = 7});
    sign(sent, 7);
    RequestSearch byJob;
    byJob.jobId = jobOf(one.id);
    EXPECT_EQ(idsOf(byJob), std::vector{one.id});
    byJob.kind = Kind::PublicDecrypt;
    EXPECT_EQ(idsOf(byJob), std::vector<RequestId>{}) << "the rest narrows it down";
    RequestSearch byGatewayId;
    byGatewayId.gatewayId = one.gatewayId;
    EXPECT_EQ(idsOf(byGatewayId), std::vector{one.id});
    RequestSearch byTransaction;
    byTransaction.txHash = (await(operators_->history(jobOf(sent))))->attempts[0].versions[0].hash;
    EXPECT_EQ(idsOf(byTransaction), std::vector{sent});
    RequestSearch byContent;
    byContent.contentHash = (await(operators_->history(jobOf(other))))->contentHash;
    EXPECT_EQ(idsOf(byContent), std::vector{other});
    ASSERT_EQ(await(operators_->fail(jobOf(other), "", "eve")), OperatorOutcome::Done);
    ASSERT_EQ(await(operators_->submitAnew(jobOf(other), jobId(77), "eve")), OperatorOutcome::Done);
    EXPECT_EQ(idsOf(byContent).size(), 2U) << "also what stands for it no more";
}

TEST_F(Operating, GoesThroughAListPageByPageWithoutGapOrRepetition)
{
    std::vector<RequestId> all;
    for (int i = 0; i < 23; ++i)
    {
        all.insert(all.begin(), put({.status = i % 3 == 0 ? Status::Failure : Status::Processing}));
    }
    database_->query(
        "INSERT INTO failed_request SELECT id, kind, status, 'internal', status_at"
        " FROM request WHERE status = 'failure'");
    for (const auto status : {std::optional<Status>(), std::optional(Status::Failure),
                              std::optional(Status::Processing)})
    {
        RequestSearch search;
        search.status = status;
        search.limit = 4;
        std::vector<RequestId> seen;
        for (int pages = 0; pages < 10; ++pages)
        {
            const auto page = await(operators_->find(search));
            for (const auto &line : page.lines)
            {
                seen.push_back(line.id);
            }
            if (!page.next)
            {
                break;
            }
            search.before = page.next;
        }
        std::vector<RequestId> expected;
        for (std::size_t i = 0; i < all.size(); ++i)
        {
            const bool failed = (all.size() - 1 - i) % 3 == 0;
            if (!status || (*status == Status::Failure) == failed)
            {
                expected.push_back(all[i]);
            }
        }
        EXPECT_EQ(seen, expected);
    }
}

// Requests as a year leaves them behind: of each hundred two failed, and the last thousand live.
void putMany(const TestDatabase &database, int many)
{
    const std::string n = std::to_string(many);
    database.query(
        "INSERT INTO request (job_id, kind, status, live, dedup, content_hash, payload, ticket,"
        " created_at, status_at) SELECT gen_random_uuid(), 'input_proof', CASE WHEN g > " +
        n +
        " - 1000 THEN 'processing' WHEN g % 50 = 0 THEN 'failure' ELSE 'completed'"
        " END::request_status, g > " +
        n + " - 1000, g > " + n +
        " - 1000 OR g % 50 <> 0, sha256(g::text::bytea), '\\x00',"
        " g, now() - (" +
        n + " - g) * interval '1 minute', now() FROM generate_series(1, " + n + ") g");
    database.query("INSERT INTO live_request SELECT kind, ticket, id FROM request WHERE live");
    database.query(
        "INSERT INTO failed_request SELECT id, kind, status, 'internal', status_at"
        " FROM request WHERE status = 'failure'");
    database.query("INSERT INTO gateway_reference SELECT kind, content_hash, id FROM request");
    database.query("ANALYZE");
}

// The plan of a statement, as for a session that has prepared it.
std::string planOf(const TestDatabase &database, const std::string &text,
                   const std::string &arguments)
{
    database.query("SET plan_cache_mode = force_generic_plan");
    database.query("PREPARE asked AS " + text);
    std::string plan;
    for (const auto &row : database.query("EXPLAIN EXECUTE asked(" + arguments + ")"))
    {
        plan += row[0] + "\n";
    }
    database.query("DEALLOCATE asked");
    return plan;
}

TEST_F(Operating, NoSearchReadsAWholeTableHoweverManyThereAre)
{
    constexpr int kMany = 60'000;
    putMany(*database_, kMany);
    const std::string hash = "'\\x" + std::string(64, 'a') + "'";
    const std::string rest = ", NULL, NULL, NULL, NULL, 9000000, 51, 0";
    RequestSearch byJob;
    byJob.jobId = jobId(1);
    RequestSearch byContent;
    byContent.contentHash = hash32(1);
    RequestSearch byGatewayId;
    byGatewayId.gatewayId = hash32(1);
    RequestSearch byTransaction;
    byTransaction.txHash = hash32(1);
    RequestSearch failed;
    failed.status = Status::Failure;
    const std::vector<std::pair<RequestSearch, std::string>> asked = {
        {byJob, "'" + jobId(1).text() + "'" + rest},
        {byContent, hash + rest},
        {byGatewayId, hash + rest},
        {byTransaction, hash + rest},
        {failed, "NULL, NULL, 'failure', NULL, NULL, 9000000, 51, 0"},
        {RequestSearch{}, "NULL" + rest},
    };
    for (const auto &[search, arguments] : asked)
    {
        const models::sql::Walk walk = models::sql::walkOf(search);
        const std::string plan = planOf(*database_, *walk.text, arguments);
        EXPECT_EQ(plan.find("Seq Scan on request"), std::string::npos) << plan;
        EXPECT_EQ(plan.find("Seq Scan on failed_request"), std::string::npos) << plan;
        EXPECT_EQ(plan.find("Seq Scan on gateway_reference"), std::string::npos) << plan;
    }
    const std::string edge = planOf(*database_, *models::sql::walkOf({}).edge, "9000000, 0");
    EXPECT_EQ(edge.find("Seq Scan"), std::string::npos) << edge;
    const std::string bisection = planOf(*database_, models::sql::firstAdmittedSince(), "3600000");
    EXPECT_EQ(bisection.find("Seq Scan on request"), std::string::npos) << bisection;

    RequestSearch lastHour;
    lastHour.youngerThan = minutes(61);
    lastHour.olderThan = minutes(30);
    lastHour.limit = 200;
    const std::vector<RequestId> ids = idsOf(lastHour);
    EXPECT_GE(ids.size(), 30U);
    EXPECT_LE(ids.size(), 32U);
    RequestSearch longAgo;
    longAgo.olderThan = minutes(kMany - 5);
    EXPECT_LE(idsOf(longAgo).size(), 6U);
    EXPECT_GE(idsOf(longAgo).size(), 4U);
    // One in none of the pages that a page looks at: the page says where to go on.
    RequestSearch ofAnotherKind;
    ofAnotherKind.kind = Kind::UserDecrypt;
    const auto page = await(operators_->find(ofAnotherKind));
    EXPECT_TRUE(page.lines.empty());
    EXPECT_TRUE(page.next);
    RequestSearch live;
    live.status = Status::Processing;
    EXPECT_EQ(await(operators_->find(live)).lines.size(), 50U);
    EXPECT_EQ(await(operators_->errors(hours(1))).at(0).count, (kMany - 1000) / 50);
}
}  // namespace
}  // namespace relayer::test
