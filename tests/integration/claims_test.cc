// Who works on a row: claims in ticket order, by one owner at a time.
#include "models/instance_registry.h"
#include "models/lane_store.h"
#include "models/sweep_store.h"
#include "support/await.h"
#include "support/test_store.h"

#include <gtest/gtest.h>

#include <set>
#include <thread>

namespace relayer::test
{
using core::Kind;
using core::Status;
using core::Transition;

TEST(Claims, AreGivenInTicketOrderAndOnlyOnce)
{
    RELAYER_NEEDS_SERVER();
    const TestDatabase database;
    TestStore store(database);
    for (std::uint64_t i = 1; i <= 10; ++i)
    {
        await(store->admit(newRequest(Kind::PublicDecrypt, i, i)));
    }
    const auto first = await(store->claim(Kind::PublicDecrypt, Status::Queued, 1, 4));
    const auto second = await(store->claim(Kind::PublicDecrypt, Status::Queued, 2, 100));
    ASSERT_EQ(first.size(), 4U);
    ASSERT_EQ(second.size(), 6U);
    EXPECT_LT(first.back().getValueOfTicket(), second.front().getValueOfTicket());
    EXPECT_EQ(first.front().getValueOfOwner(), 1);
    EXPECT_NE(first.front().getPayload(), nullptr) << "the claimer needs what was asked";
    EXPECT_TRUE(await(store->claim(Kind::PublicDecrypt, Status::Queued, 3, 100)).empty());
    EXPECT_TRUE(await(store->claim(Kind::UserDecrypt, Status::Queued, 3, 100)).empty());
}

TEST(Claims, OfManyInstancesNeverOverlap)
{
    RELAYER_NEEDS_SERVER();
    constexpr std::uint64_t kRows = 400;
    const TestDatabase database;
    TestStore one(database);
    TestStore two(database);
    for (std::uint64_t i = 1; i <= kRows; ++i)
    {
        await(one->admit(newRequest(Kind::PublicDecrypt, i, i)));
    }
    std::mutex mutex;
    std::multiset<models::RequestId> claimed;
    {
        std::vector<std::jthread> threads;
        for (int t = 0; t < 8; ++t)
        {
            threads.emplace_back([&, t] {
                TestStore &store = t % 2 == 0 ? one : two;
                for (;;)
                {
                    const auto rows =
                        await(store->claim(Kind::PublicDecrypt, Status::Queued, 100 + t, 7));
                    if (rows.empty())
                    {
                        return;
                    }
                    const std::lock_guard lock(mutex);
                    for (const auto &row : rows)
                    {
                        claimed.insert(row.getValueOfId());
                    }
                }
            });
        }
    }
    EXPECT_EQ(claimed.size(), kRows);
    EXPECT_EQ(std::set(claimed.begin(), claimed.end()).size(), kRows);
}

TEST(Claims, AreReleasedByTheirOwnerOnly)
{
    RELAYER_NEEDS_SERVER();
    const TestDatabase database;
    TestStore store(database);
    const auto admission = await(store->admit(newRequest(Kind::InputProof, 1, 1)));
    ASSERT_EQ(await(store->claim(Kind::InputProof, Status::Processing, 5, 1)).size(), 1U);
    EXPECT_EQ(await(store->release({admission.id}, 6)), 0U);
    EXPECT_EQ(await(store->release({admission.id}, 5)), 1U);
    EXPECT_EQ(await(store->claim(Kind::InputProof, Status::Processing, 6, 1)).size(), 1U);
}

TEST(Claims, PassFromADeadOwnerToItsSuccessorWhoThenAloneCanMoveTheRow)
{
    RELAYER_NEEDS_SERVER();
    const TestDatabase database;
    TestStore store(database);
    models::InstanceRegistry instances(store.writer());
    const auto before = await(instances.enrol("relayer-1", "test"));
    EXPECT_FALSE(before.previous);
    const auto admission = await(store->admit(newRequest(Kind::InputProof, 1, 1)));
    await(store->claim(Kind::InputProof, Status::Processing, before.epoch, 1));

    const auto after = await(instances.enrol("relayer-1", "test"));
    ASSERT_EQ(after.previous, before.epoch);
    EXPECT_EQ(after.takenBack, 1);
    EXPECT_EQ(database.value("SELECT count(*) FROM request WHERE owner = " +
                             std::to_string(before.epoch)),
              "0")
        << "nothing is left behind";

    models::Step step;
    step.transition = Transition::MarkTxInFlight;
    step.id = admission.id;
    step.claimer = before.epoch;
    EXPECT_EQ(await(store->apply(step)), models::StepOutcome::Lost) << "the zombie moved it";
    step.claimer = after.epoch;
    EXPECT_EQ(await(store->apply(step)), models::StepOutcome::Won);

    EXPECT_FALSE(await(instances.beat(before.epoch)).enrolled) << "the old process learns of it";
    EXPECT_TRUE(await(instances.beat(after.epoch)).enrolled);
}

TEST(Claims, AnInstanceThatLeftHasNoDutyAndNoLaneAndOthersKeepTheirs)
{
    RELAYER_NEEDS_SERVER();
    const TestDatabase database;
    TestStore store(database);
    models::InstanceRegistry instances(store.writer());
    models::SweepStore sweeps(store.writer(), nullptr);
    models::LaneStore lanes(store.writer());
    const auto one = await(instances.enrol("one", "test"));
    const auto two = await(instances.enrol("two", "test"));
    const models::LaneHold ofOne{"main", one.epoch};
    const models::LaneHold ofTwo{"second", two.epoch};
    constexpr auto lease = std::chrono::minutes(10);
    ASSERT_TRUE(await(sweeps.lead(one.epoch, lease)));
    ASSERT_TRUE(await(lanes.hold(ofOne, {1}, lease, 0)).held);
    ASSERT_TRUE(await(lanes.hold(ofTwo, {2}, lease, 0)).held);

    await(instances.leave(one.epoch));
    EXPECT_TRUE(await(sweeps.lead(two.epoch, lease)));
    EXPECT_FALSE(await(lanes.renew(ofOne, lease)));
    EXPECT_TRUE(await(lanes.hold({"main", two.epoch}, {1}, lease, 0)).held);
    await(instances.leave(one.epoch));
    EXPECT_TRUE(await(lanes.renew(ofTwo, lease))) << "that was another's";
    EXPECT_FALSE(await(sweeps.lead(one.epoch, lease)));
}

TEST(Claims, AnInstanceThatLeftHasNoLeaseToWaitFor)
{
    RELAYER_NEEDS_SERVER();
    const TestDatabase database;
    TestStore store(database);
    models::InstanceRegistry instances(store.writer());
    const auto one = await(instances.enrol("one", "test"));
    const auto two = await(instances.enrol("two", "test"));
    EXPECT_TRUE(await(instances.expired(std::chrono::minutes(1))).empty());
    await(instances.leave(one.epoch));
    EXPECT_EQ(await(instances.expired(std::chrono::minutes(1))), std::vector{one.epoch});
    EXPECT_NE(one.epoch, two.epoch);
}

TEST(Finds, ByGatewayIdByStatusAndByCount)
{
    RELAYER_NEEDS_SERVER();
    const TestDatabase database;
    TestStore store(database);
    const Placed row =
        place(database,
              {.kind = Kind::PublicDecrypt, .status = Status::ReceiptReceived, .referred = true});
    for (int i = 0; i < 5; ++i)
    {
        place(database, {.kind = Kind::PublicDecrypt, .status = Status::Completed});
        place(database, {.kind = Kind::PublicDecrypt, .status = Status::Queued});
    }
    const auto found = await(store->findByGatewayId(Kind::PublicDecrypt, row.gatewayId));
    ASSERT_TRUE(found);
    EXPECT_EQ(found->getValueOfId(), row.id);
    EXPECT_FALSE(await(store->findByGatewayId(Kind::UserDecrypt, row.gatewayId)));

    for (const Status status : {Status::Completed, Status::Queued})
    {
        const auto page = await(store->findByStatus(Kind::PublicDecrypt, status, INT64_MAX, 3));
        ASSERT_EQ(page.size(), 3U);
        EXPECT_GT(page[0].getValueOfId(), page[2].getValueOfId());
        const auto rest =
            await(store->findByStatus(Kind::PublicDecrypt, status, page[2].getValueOfId(), 3));
        EXPECT_EQ(rest.size(), 2U);
    }
    const auto live = await(store->countByStatus(true));
    EXPECT_EQ(live.size(), 2U);
    EXPECT_EQ(live.at({Kind::PublicDecrypt, Status::Queued}), 5);
    const auto all = await(store->countByStatus(false));
    EXPECT_EQ(all.at({Kind::PublicDecrypt, Status::Completed}), 5);
}

TEST(Thresholds, AreResolvedOnceAndDecideOnlyFromThenOn)
{
    RELAYER_NEEDS_SERVER();
    const TestDatabase database;
    TestStore store(database);
    const Placed row = place(
        database, {.kind = Kind::UserDecrypt, .status = Status::ReceiptReceived, .referred = true});
    models::Share share;
    share.gatewayId = row.gatewayId;
    share.payload = {1};
    const auto early = await(store->keepShare(share));
    EXPECT_TRUE(early.fresh);
    EXPECT_FALSE(early.ended) << "nobody knows yet how many it takes";
    EXPECT_TRUE(await(store->resolveThreshold(row.id, 1)));
    EXPECT_FALSE(await(store->resolveThreshold(row.id, 2)));
    const auto again = await(store->keepShare(share));
    EXPECT_FALSE(again.fresh);
    EXPECT_EQ(again.ended, Status::Completed) << "a repeated share looks again, too";
}
}  // namespace relayer::test
