// The life of an attempt after its commit, and who holds a lane.
#include "models/lane_store.h"

#include "models/instance_registry.h"
#include "support/await.h"
#include "support/lane_attempts.h"
#include "support/lock_waits.h"
#include "support/test_store.h"

#include <gtest/gtest.h>

#include <set>
#include <thread>

namespace relayer::test
{
using core::FailureCode;
using core::Kind;
using core::Status;
using models::AttemptId;
using models::AttemptState;
using models::LaneHold;
using models::LaneStore;

namespace
{
constexpr std::chrono::minutes kLease{1};
constexpr std::chrono::milliseconds kNoLease{0};
const LaneHold kHold{"main", 7};
const LaneHold kOther{"main", 8};

struct Lane
{
    TestDatabase database;
    TestStore store{database};
    LaneStore lanes{store.writer()};
    std::vector<models::RequestId> requests;
    std::vector<models::NewAttempt> attempts;
    std::vector<AttemptId> ids;

    explicit Lane(std::size_t count = 0, std::chrono::milliseconds lease = kLease)
    {
        EXPECT_TRUE(await(lanes.hold(kHold, kAddress, lease, 0)).held);
        for (std::size_t i = 0; i < count; ++i)
        {
            requests.push_back(place(database, {.kind = Kind::UserDecrypt,
                                                .status = Status::Processing,
                                                .owner = kHold.claimer})
                                   .id);
        }
        attempts = attemptsFor(requests);
        ids = await(lanes.commit(kHold, 0, attempts)).attempts;
        EXPECT_EQ(ids.size(), count);
    }
    std::vector<models::StoredAttempt> open() { return await(lanes.openAttempts("main", 0, 100)); }
};
}  // namespace

TEST(LaneHolds, ALaneIsHeldByOneUntilItsLeaseRunsOut)
{
    RELAYER_NEEDS_SERVER();
    const TestDatabase database;
    TestStore store(database);
    LaneStore lanes(store.writer());
    const auto first = await(lanes.hold(kHold, kAddress, kLease, 3));
    EXPECT_TRUE(first.held);
    EXPECT_EQ(first.nextNonce, 3);
    EXPECT_FALSE(await(lanes.hold(kOther, kAddress, kLease, 9)).held);
    EXPECT_FALSE(await(lanes.renew(kOther, kLease)));
    EXPECT_EQ(await(lanes.hold(kHold, kAddress, kLease, 2)).nextNonce, 3) << "never back";
    EXPECT_EQ(await(lanes.hold(kHold, kAddress, kNoLease, 5)).nextNonce, 5);

    EXPECT_TRUE(await(lanes.renew(kHold, kNoLease))) << "late, but nobody has taken it";
    const auto second = await(lanes.hold(kOther, kAddress, kLease, 0));
    EXPECT_TRUE(second.held);
    EXPECT_EQ(second.nextNonce, 5);
    EXPECT_FALSE(await(lanes.renew(kHold, kLease)));
    models::InstanceRegistry instances(store.writer());
    await(instances.leave(kHold.claimer));
    EXPECT_FALSE(await(lanes.hold(kHold, kAddress, kLease, 0)).held) << "released by a stranger";
    await(instances.leave(kOther.claimer));
    EXPECT_TRUE(await(lanes.hold(kHold, kAddress, kLease, 0)).held);
}

TEST(LaneHolds, OfManyThatWantALaneOneGetsIt)
{
    RELAYER_NEEDS_SERVER();
    const TestDatabase database;
    TestStore one(database);
    TestStore two(database);
    for (int round = 0; round < 20; ++round)
    {
        const std::string name = "lane-" + std::to_string(round);
        const core::Address address = {1, static_cast<std::uint8_t>(round)};
        std::atomic<int> held{0};
        {
            std::vector<std::jthread> threads;
            for (int t = 0; t < 16; ++t)
            {
                threads.emplace_back([&, t] {
                    LaneStore lanes((t % 2 == 0 ? one : two).writer());
                    held += await(lanes.hold({name, t + 1}, address, kLease, 0)).held ? 1 : 0;
                });
            }
        }
        EXPECT_EQ(held, 1);
    }
}

// What a write of the old holder has locked, a takeover waits for; and what comes after the
// takeover sees it, however early it began. Both hang on hold() locking the lane FOR UPDATE: beside
// a plain UPDATE of the owner, a FOR KEY SHARE goes on.
TEST(LaneHolds, ATakeoverWaitsForTheWritesThatAreUnderWay)
{
    RELAYER_NEEDS_SERVER();
    Lane lane(1, kNoLease);
    const TestDatabase &database = lane.database;
    database.query("BEGIN");
    database.query("SELECT FROM signer_lane WHERE name = 'main' FOR KEY SHARE");
    auto takeover = start(lane.lanes.hold(kOther, kAddress, kLease, 0));
    EXPECT_TRUE(waitsForALock(database, takeover));
    database.query("COMMIT");
    EXPECT_TRUE(takeover.get().held);
}

TEST(LaneHolds, ANameAndItsKeyBelongTogether)
{
    RELAYER_NEEDS_SERVER();
    const Lane lane;
    LaneStore lanes(lane.store.writer());
    const core::Address otherKey = {9, 9};
    const auto sameName = await(lanes.hold(kHold, otherKey, kLease, 0));
    EXPECT_FALSE(sameName.held);
    EXPECT_TRUE(sameName.otherKey);
    const auto sameKey = await(lanes.hold({"second", 7}, kAddress, kLease, 0));
    EXPECT_FALSE(sameKey.held);
    EXPECT_TRUE(sameKey.otherKey);
    EXPECT_FALSE(await(lanes.hold(kOther, kAddress, kLease, 0)).otherKey) << "only taken";
    EXPECT_TRUE(await(lanes.hold({"second", 7}, otherKey, kLease, 0)).held);
}

TEST(LaneHolds, ARestartTakesItsLanesBackAtOnce)
{
    RELAYER_NEEDS_SERVER();
    const TestDatabase database;
    TestStore store(database);
    LaneStore lanes(store.writer());
    models::InstanceRegistry instances(store.writer());
    const auto before = await(instances.enrol("relayer-1", "test"));
    ASSERT_TRUE(await(lanes.hold({"main", before.epoch}, kAddress, kLease, 4)).held);
    const auto stranger = await(instances.enrol("relayer-2", "test"));
    EXPECT_FALSE(await(lanes.hold({"main", stranger.epoch}, kAddress, kLease, 0)).held);
    const auto after = await(instances.enrol("relayer-1", "test"));
    EXPECT_FALSE(await(lanes.renew({"main", before.epoch}, kLease)));
    const auto held = await(lanes.hold({"main", after.epoch}, kAddress, kLease, 0));
    EXPECT_TRUE(held.held);
    EXPECT_EQ(held.nextNonce, 4);
}

// The one who lost it lives on, and will never move them.
TEST(LaneHolds, WithALaneGoTheRequestsOfItsOpenAttempts)
{
    RELAYER_NEEDS_SERVER();
    Lane lane(3, kNoLease);
    await(lane.lanes.markMined(kHold, {{lane.ids[2], lane.attempts[2].version.hash, 9}}));
    ASSERT_TRUE(await(lane.lanes.hold(kOther, kAddress, kLease, 0)).held);
    const auto open = lane.open();
    ASSERT_EQ(open.size(), 2U);
    EXPECT_EQ(open[0].owner, kOther.claimer);
    EXPECT_EQ(open[1].owner, kOther.claimer);
    EXPECT_EQ(lane.database.value("SELECT owner FROM request WHERE id = " +
                                  std::to_string(lane.requests[2])),
              std::to_string(kHold.claimer))
        << "nothing of it is open";
}

TEST(LaneAttempts, OfOneThatIsGivenUpNothingButANoOpIsAddedAnyMore)
{
    RELAYER_NEEDS_SERVER();
    Lane lane(1);
    const AttemptId id = lane.ids[0];
    models::TxVersion noOp = newVersion();
    noOp.noOp = true;
    EXPECT_TRUE(await(lane.lanes.addVersion(kHold, id, noOp, core::Failure{})));
    EXPECT_FALSE(await(lane.lanes.addVersion(kHold, id, newVersion(), std::nullopt)))
        << "a late bump of what was given up";
    models::TxVersion bumped = newVersion();
    bumped.noOp = true;
    EXPECT_TRUE(await(lane.lanes.addVersion(kHold, id, bumped, std::nullopt)));
}

TEST(LaneAttempts, AMinedOneThatTheChainHasNotTakenIsFoundByItsNonce)
{
    RELAYER_NEEDS_SERVER();
    Lane lane(3);
    await(lane.lanes.markMined(kHold, {{lane.ids[0], lane.attempts[0].version.hash, 9},
                                       {lane.ids[1], lane.attempts[1].version.hash, 9}}));
    const auto found = await(lane.lanes.minedSince("main", 10, 1, 10));
    ASSERT_EQ(found.size(), 1U) << "the first was taken, the third is open";
    EXPECT_EQ(found[0].id, lane.ids[1]);
}

TEST(LaneAttempts, OneWhoseLaneWasTakenOverWritesNothingAnyMore)
{
    RELAYER_NEEDS_SERVER();
    Lane lane(3, kNoLease);
    const auto &ids = lane.ids;
    await(lane.lanes.markMined(kHold, {{ids[2], lane.attempts[2].version.hash, 9}}));
    ASSERT_TRUE(await(lane.lanes.hold(kOther, kAddress, kLease, 0)).held);
    const auto dump = [&] {
        return lane.database.query(
            "SELECT a::text FROM tx_attempt a UNION ALL SELECT attempt_id ||"
            " hash::text || last_sent_at FROM tx_version ORDER BY 1");
    };
    const auto before = dump();
    EXPECT_FALSE(await(lane.lanes.addVersion(kHold, ids[0], newVersion(), std::nullopt)));
    EXPECT_FALSE(await(lane.lanes.addVersion(kHold, ids[0], newVersion(), core::Failure{})));
    EXPECT_TRUE(await(lane.lanes.countSends(kHold, ids)).empty());
    await(lane.lanes.markMined(kHold, {{ids[0], lane.attempts[0].version.hash, 9}}));
    await(lane.lanes.markConsumed(kHold, ids[0]));
    EXPECT_FALSE(await(lane.lanes.reopen(kHold, ids[2])));
    EXPECT_FALSE(await(lane.lanes.startOver(kHold, 0)));
    EXPECT_EQ(await(lane.lanes.commit(kHold, 3, attemptsFor({lane.requests[0]}))).outcome,
              models::AttemptsCommitted::Outcome::LaneLost);
    EXPECT_EQ(dump(), before);
    EXPECT_EQ(lane.open().size(), 2U);
}

TEST(LaneAttempts, AnotherVersionStandsAtTheSameNonce)
{
    RELAYER_NEEDS_SERVER();
    Lane lane(2);
    const auto bump = newVersion();
    EXPECT_TRUE(await(lane.lanes.addVersion(kHold, lane.ids[0], bump, std::nullopt)));
    EXPECT_TRUE(await(lane.lanes.addVersion(kHold, lane.ids[0], bump, std::nullopt)))
        << "asked again after a doubt: it is there";
    auto noOp = newVersion();
    noOp.noOp = true;
    const core::Failure why{FailureCode::InsufficientBalance, "the first reason"};
    EXPECT_TRUE(await(lane.lanes.addVersion(kHold, lane.ids[0], noOp, why)));
    EXPECT_TRUE(await(lane.lanes.addVersion(kHold, lane.ids[0], noOp, core::Failure{})));

    const auto open = lane.open();
    ASSERT_EQ(open.size(), 2U);
    ASSERT_EQ(open[0].versions.size(), 3U);
    expectEqual(open[0].versions[0], lane.attempts[0].version);
    expectEqual(open[0].versions[1], bump);
    expectEqual(open[0].versions[2], noOp);
    ASSERT_TRUE(open[0].closingWith);
    EXPECT_EQ(open[0].closingWith->code, FailureCode::InsufficientBalance);
    EXPECT_EQ(open[0].closingWith->detail, "the first reason");
    EXPECT_EQ(open[0].status, Status::TxInFlight) << "it fails later";
    EXPECT_EQ(open[1].versions.size(), 1U);

    await(lane.lanes.markConsumed(kHold, lane.ids[0]));
    EXPECT_FALSE(await(lane.lanes.addVersion(kHold, lane.ids[0], newVersion(), std::nullopt)));
    EXPECT_FALSE(await(lane.lanes.addVersion(kHold, 999, newVersion(), std::nullopt)));
}

TEST(LaneAttempts, SendsAreCountedWhileTheyAreOpen)
{
    RELAYER_NEEDS_SERVER();
    Lane lane(3);
    const auto &ids = lane.ids;
    EXPECT_EQ(await(lane.lanes.countSends(kHold, {ids[2], ids[0], 999})),
              (std::vector{ids[2], ids[0]}));
    await(lane.lanes.markMined(kHold, {{ids[0], lane.attempts[0].version.hash, 9}}));
    EXPECT_EQ(await(lane.lanes.countSends(kHold, {ids[2], ids[0]})), std::vector{ids[2]});
    const auto open = lane.open();
    ASSERT_EQ(open.size(), 2U);
    EXPECT_EQ(open[0].sends, 1);
    EXPECT_EQ(open[1].sends, 3);
    EXPECT_EQ(lane.database.value("SELECT count(*) FROM tx_version"
                                  " WHERE last_sent_at > first_sent_at"),
              "2");
}

TEST(LaneAttempts, AMinedOneIsFoundByItsBlockAndCanBeOpenAgain)
{
    RELAYER_NEEDS_SERVER();
    Lane lane(4);
    const auto &ids = lane.ids;
    const auto hash = [&](std::size_t i) { return lane.attempts[i].version.hash; };
    await(lane.lanes.markMined(
        kHold, {{ids[1], hash(1), 11}, {ids[0], hash(0), 10}, {ids[2], hash(2), 12}}));
    EXPECT_EQ(lane.open().size(), 1U);
    const auto since = await(lane.lanes.minedSince("main", 11, 99, 10));
    ASSERT_EQ(since.size(), 2U);
    EXPECT_EQ(since[0].id, ids[1]);
    EXPECT_EQ(since[0].state, AttemptState::Mined);
    EXPECT_EQ(since[0].versions.at(0).hash, hash(1));
    EXPECT_EQ(await(lane.lanes.minedSince("main", 0, 99, 2)).size(), 2U);

    await(lane.lanes.markMined(kHold, {{ids[2], hash(2), 10}}));
    EXPECT_EQ(await(lane.lanes.minedSince("main", 11, 99, 10)).size(), 1U)
        << "in another block now";
    EXPECT_TRUE(await(lane.lanes.reopen(kHold, ids[1])));
    EXPECT_FALSE(await(lane.lanes.reopen(kHold, ids[1])));
    EXPECT_FALSE(await(lane.lanes.reopen(kHold, ids[3]))) << "it never was mined";
    EXPECT_EQ(lane.open().at(0).id, ids[1]);
    EXPECT_TRUE(await(lane.lanes.minedSince("main", 11, 99, 10)).empty());
    await(lane.lanes.markConsumed(kHold, ids[1]));
    EXPECT_EQ(lane.open().at(0).id, ids[3]);
    EXPECT_FALSE(await(lane.lanes.reopen(kHold, ids[1])));
}

TEST(LaneAttempts, ARequestWithoutAnOpenOneIsStranded)
{
    RELAYER_NEEDS_SERVER();
    Lane lane(4);
    const auto &ids = lane.ids;
    const auto hash = [&](std::size_t i) { return lane.attempts[i].version.hash; };
    EXPECT_TRUE(await(lane.lanes.stranded(kHold.claimer, 10)).empty());
    await(lane.lanes.markMined(kHold, {{ids[0], hash(0), 10}, {ids[2], hash(2), 10}}));
    await(lane.lanes.markConsumed(kHold, ids[1]));
    await(lane.store->markReceiptReceived(lane.requests[2], kHold.claimer, hash(2), hash32(1),
                                          Kind::UserDecrypt));
    EXPECT_EQ(await(lane.lanes.stranded(kHold.claimer, 10)),
              (std::vector{lane.requests[0], lane.requests[1]}));
    EXPECT_EQ(await(lane.lanes.stranded(kHold.claimer, 1)), std::vector{lane.requests[0]});
    EXPECT_EQ(await(lane.lanes.stranded(kHold.claimer, 1, lane.requests[0])),
              std::vector{lane.requests[1]});
    EXPECT_TRUE(await(lane.lanes.stranded(kOther.claimer, 10)).empty());
}

TEST(LaneAttempts, AreForgottenWhenTheChainIsAnother)
{
    RELAYER_NEEDS_SERVER();
    Lane lane(3);
    ASSERT_TRUE(await(lane.lanes.hold({"second", 7}, {5, 5}, kLease, 0)).held);
    EXPECT_TRUE(await(lane.lanes.startOver(kHold, 1)));
    EXPECT_EQ(lane.database.value("SELECT count(*) FROM tx_attempt"), "0");
    EXPECT_EQ(lane.database.value("SELECT count(*) FROM tx_version"), "0");
    EXPECT_EQ(lane.database.value("SELECT next_nonce FROM signer_lane WHERE name = 'main'"), "1");
    EXPECT_EQ(await(lane.lanes.stranded(kHold.claimer, 10)), lane.requests);
    EXPECT_TRUE(await(lane.lanes.startOver(kHold, 1))) << "twice does no harm";
}
}  // namespace relayer::test
