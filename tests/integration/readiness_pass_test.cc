// Decryptions on their way to the queue before the chain, on a real database.
#include "plugins/readiness_pass.h"

#include "support/await.h"
#include "support/test_store.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace relayer::test
{
namespace
{
using core::Kind;
using core::Status;
using models::Claimer;
using plugins::ReadinessPass;
using plugins::TxQueues;

constexpr core::TxQueue::Limits kRoomy{20, 11000, 10000};

std::shared_ptr<TxQueues> queuesOf(const core::TxQueue::Limits &limits = kRoomy)
{
    TxQueues::Clock still;
    still.now = [] { return TxQueues::Time(0); };
    still.after = [](TxQueues::Time, const std::function<void()> &) {};
    return std::make_shared<TxQueues>(TxQueues::Limits{limits, limits, limits}, std::move(still));
}

std::shared_ptr<ReadinessPass> passOf(TestStore &store, std::shared_ptr<TxQueues> queues,
                                      std::optional<Claimer> claimer = 7)
{
    ReadinessPass::Surroundings surroundings;
    surroundings.requests = [&store]() -> models::RequestStore & { return *store; };
    surroundings.claimer = [claimer] { return claimer; };
    surroundings.queues = std::move(queues);
    return std::make_shared<ReadinessPass>(std::move(surroundings));
}

void admit(TestStore &store, Kind kind, std::uint64_t from, std::uint64_t count)
{
    std::vector<std::future<models::Admission>> admissions;
    for (std::uint64_t i = from; i < from + count; ++i)
    {
        admissions.push_back(start(store->admit(newRequest(kind, i, i))));
    }
    for (auto &admission : admissions)
    {
        admission.get();
    }
}

std::string countOf(const TestDatabase &database, const std::string &status)
{
    return database.value("SELECT count(*) FROM request WHERE status = '" + status + "'");
}
}  // namespace

TEST(ReadinessPass, MovesDecryptionsOfBothKindsAndHandsTheirNewTicketsOn)
{
    RELAYER_NEEDS_SERVER();
    const TestDatabase database;
    TestStore store(database);
    admit(store, Kind::PublicDecrypt, 1, 150);
    admit(store, Kind::UserDecrypt, 1000, 3);
    admit(store, Kind::InputProof, 2000, 2);
    const auto queues = queuesOf();
    EXPECT_EQ(await(passOf(store, queues)->runOnce()), 153U);
    EXPECT_EQ(countOf(database, "queued"), "0");
    EXPECT_EQ(database.value("SELECT count(*) FROM request WHERE owner IS NOT NULL"), "0")
        << "in the queue before the chain they are anybody's";
    EXPECT_EQ(queues->snapshot(Kind::PublicDecrypt).waiting, 150U);
    EXPECT_EQ(queues->snapshot(Kind::UserDecrypt).waiting, 3U);
    EXPECT_EQ(queues->snapshot(Kind::InputProof).waiting, 0U);
    EXPECT_EQ(queues->snapshot(Kind::PublicDecrypt).reserved, 0U);

    const auto rows = database.query(
        "SELECT r.ticket FROM live_request l JOIN request r ON r.id = l.request_id"
        " AND r.ticket = l.ticket WHERE l.kind = 'public_decrypt' ORDER BY l.ticket");
    ASSERT_EQ(rows.size(), 150U);
    for (std::size_t i = 0; i < rows.size(); ++i)
    {
        ASSERT_EQ(queues->position(Kind::PublicDecrypt, std::stoll(rows[i][0])), i);
    }
}

TEST(ReadinessPass, MovesNoMoreThanThereIsRoomForTheOldestFirst)
{
    RELAYER_NEEDS_SERVER();
    const TestDatabase database;
    TestStore store(database);
    for (std::uint64_t i = 1; i <= 5; ++i)
    {
        admit(store, Kind::UserDecrypt, i, 1);
    }
    const auto queues = queuesOf({20, 2, 1});
    const auto pass = passOf(store, queues);
    EXPECT_EQ(await(pass->runOnce()), 2U);
    EXPECT_EQ(await(pass->runOnce()), 0U) << "full";
    EXPECT_EQ(database.value("SELECT max(id) FROM request WHERE status = 'processing'"), "2");
    const std::int64_t gone[] = {
        *queues->snapshot(Kind::UserDecrypt).head,
    };
    queues->pulled(Kind::UserDecrypt, gone);
    EXPECT_EQ(await(pass->runOnce()), 1U);
    EXPECT_EQ(countOf(database, "queued"), "2");
}

TEST(ReadinessPass, TakesUpWhatItsPredecessorHadClaimedAndNobodyElses)
{
    RELAYER_NEEDS_SERVER();
    const TestDatabase database;
    TestStore store(database);
    admit(store, Kind::PublicDecrypt, 1, 4);
    ASSERT_EQ(await(store->claim(Kind::PublicDecrypt, Status::Queued, 7, 2)).size(), 2U);
    ASSERT_EQ(await(store->claim(Kind::PublicDecrypt, Status::Queued, 8, 1)).size(), 1U);
    EXPECT_EQ(await(passOf(store, queuesOf())->runOnce()), 3U);
    EXPECT_EQ(countOf(database, "queued"), "1");
    EXPECT_EQ(database.value("SELECT owner FROM request WHERE status = 'queued'"), "8");
}

TEST(ReadinessPass, DoesNothingAsLongAsItIsNobody)
{
    RELAYER_NEEDS_SERVER();
    const TestDatabase database;
    TestStore store(database);
    admit(store, Kind::PublicDecrypt, 1, 1);
    EXPECT_EQ(await(passOf(store, queuesOf(), std::nullopt)->runOnce()), 0U);
    EXPECT_EQ(countOf(database, "queued"), "1");
}

TEST(ReadinessPass, OfSeveralInstancesEachRowIsMovedByOneAndQueuedInOne)
{
    RELAYER_NEEDS_SERVER();
    constexpr std::uint64_t kRows = 600;
    const TestDatabase database;
    TestStore one(database);
    TestStore two(database);
    admit(one, Kind::PublicDecrypt, 1, kRows);
    const auto queuesOfOne = queuesOf();
    const auto queuesOfTwo = queuesOf();
    std::size_t movedByOne = 0;
    std::size_t movedByTwo = 0;
    {
        const std::jthread first(
            [&] { movedByOne = await(passOf(one, queuesOfOne, 1)->runOnce()); });
        const std::jthread second(
            [&] { movedByTwo = await(passOf(two, queuesOfTwo, 2)->runOnce()); });
    }
    EXPECT_EQ(movedByOne + movedByTwo, kRows);
    EXPECT_EQ(queuesOfOne->snapshot(Kind::PublicDecrypt).waiting, movedByOne);
    EXPECT_EQ(queuesOfTwo->snapshot(Kind::PublicDecrypt).waiting, movedByTwo);
    EXPECT_EQ(countOf(database, "processing"), std::to_string(kRows));
}

TEST(ReadinessPass, EveryWakeIsFollowedByALook)
{
    RELAYER_NEEDS_SERVER();
    const TestDatabase database;
    TestStore store(database);
    const auto queues = queuesOf();
    const auto pass = passOf(store, queues);
    for (std::uint64_t i = 1; i <= 200; ++i)
    {
        admit(store, Kind::UserDecrypt, i, 1);
        pass->wake();
    }
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (queues->snapshot(Kind::UserDecrypt).waiting < 200 &&
           std::chrono::steady_clock::now() < deadline)
    {
        std::this_thread::yield();
    }
    EXPECT_EQ(queues->snapshot(Kind::UserDecrypt).waiting, 200U);
    EXPECT_TRUE(pass->finish(std::chrono::seconds(20)));
    pass->wake();
    EXPECT_TRUE(pass->finish(std::chrono::seconds(0))) << "no run begins after that";
}

TEST(Standing, IsFoundForWhatIsInTheHouseAndForNothingElse)
{
    RELAYER_NEEDS_SERVER();
    const TestDatabase database;
    TestStore store(database);
    const auto request = newRequest(Kind::InputProof, 1, 1);
    EXPECT_FALSE(await(store->findStanding(Kind::InputProof, request.contentHash)));
    const auto admission = await(store->admit(request));
    const auto standing = await(store->findStanding(Kind::InputProof, request.contentHash));
    ASSERT_TRUE(standing);
    EXPECT_EQ(standing->id, admission.id);
    EXPECT_EQ(standing->jobId, admission.jobId);
    EXPECT_EQ(standing->ticket, admission.ticket);
    EXPECT_FALSE(standing->fresh);
    EXPECT_FALSE(await(store->findStanding(Kind::PublicDecrypt, request.contentHash)));

    models::Step step;
    step.transition = core::Transition::FailInternally;
    step.id = admission.id;
    step.failure = core::Failure{core::FailureCode::TransactionFailed, ""};
    ASSERT_EQ(await(store->apply(step)), models::StepOutcome::Won);
    EXPECT_FALSE(await(store->findStanding(Kind::InputProof, request.contentHash)))
        << "a content that failed is free again";
}
}  // namespace relayer::test
