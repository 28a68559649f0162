// One commit for nonce, signed bytes and status: all of it or nothing, and one winner.
#include "models/instance_registry.h"
#include "models/lane_store.h"
#include "support/await.h"
#include "support/lane_attempts.h"
#include "support/test_store.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <set>
#include <thread>

namespace relayer::test
{
using core::Kind;
using core::Status;
using core::Transition;
using models::AttemptsCommitted;
using models::LaneHold;
using models::LaneStore;
using models::NewAttempt;
using Outcome = AttemptsCommitted::Outcome;

namespace
{
constexpr models::Claimer kMine = 7;
constexpr models::Claimer kOther = 8;
constexpr std::chrono::minutes kLease{1};
const LaneHold kHold{"main", kMine};

// A lane that is held, and requests that wait for it.
struct Lane
{
    TestDatabase database;
    TestStore store{database};
    LaneStore lanes{store.writer()};

    Lane() { EXPECT_TRUE(await(lanes.hold(kHold, kAddress, kLease, 5)).held); }

    models::RequestId request(Status status = Status::Processing,
                              std::optional<models::Claimer> owner = kMine)
    {
        return place(database, {.kind = Kind::PublicDecrypt, .status = status, .owner = owner}).id;
    }
    AttemptsCommitted commit(std::int64_t nonce, std::vector<NewAttempt> attempts,
                             LaneHold hold = kHold)
    {
        return await(lanes.commit(std::move(hold), nonce, std::move(attempts)));
    }
    // What a commit that was refused must not have left.
    void expectNothingWritten()
    {
        EXPECT_EQ(database.value("SELECT count(*) FROM tx_attempt"), "0");
        EXPECT_EQ(database.value("SELECT count(*) FROM tx_version"), "0");
        EXPECT_EQ(database.value("SELECT next_nonce FROM signer_lane"), "5");
        EXPECT_EQ(database.value("SELECT count(*) FROM request WHERE status = 'tx_in_flight'"
                                 " OR tx_hash IS NOT NULL"),
                  "0");
    }
};
}  // namespace

TEST(LaneCommit, WritesNoncesBytesHashesAndStatusTogether)
{
    RELAYER_NEEDS_SERVER();
    Lane lane;
    const auto first = lane.request();
    const auto second = lane.request();
    auto attempts = attemptsFor({second, first});
    attempts[0].version.raw = core::Bytes(300'000, 0x5A);
    attempts[1].version.noOp = true;
    const auto committed = lane.commit(5, attempts);
    ASSERT_EQ(committed.outcome, Outcome::Committed);
    ASSERT_EQ(committed.attempts.size(), 2U);
    EXPECT_TRUE(committed.lost.empty());

    const auto open = await(lane.lanes.openAttempts("main", 0, 10));
    ASSERT_EQ(open.size(), 2U);
    EXPECT_EQ(open[0].id, committed.attempts[0]);
    EXPECT_EQ(open[0].nonce, 5);
    EXPECT_EQ(open[0].request, second);
    EXPECT_EQ(open[1].nonce, 6);
    EXPECT_EQ(open[1].request, first);
    for (std::size_t i = 0; i < 2; ++i)
    {
        EXPECT_EQ(open[i].sends, 1);
        EXPECT_EQ(open[i].state, models::AttemptState::Signed);
        EXPECT_EQ(open[i].kind, Kind::PublicDecrypt);
        EXPECT_EQ(open[i].status, Status::TxInFlight);
        EXPECT_EQ(open[i].owner, kMine);
        EXPECT_FALSE(open[i].closingWith);
        EXPECT_LT(open[i].secondsOld, 60);
        ASSERT_EQ(open[i].versions.size(), 1U);
        expectEqual(open[i].versions[0], attempts[i].version);
        const auto row = await(lane.store->findByTxHash(attempts[i].version.hash));
        ASSERT_TRUE(row);
        EXPECT_EQ(row->getValueOfId(), open[i].request);
        EXPECT_EQ(row->getValueOfTxHashAsString(),
                  std::string(attempts[i].version.hash.begin(), attempts[i].version.hash.end()));
    }
    EXPECT_EQ(lane.database.value("SELECT next_nonce FROM signer_lane"), "7");
    EXPECT_EQ(lane.database.value("SELECT count(*) FROM tx_version WHERE first_sent_at ="
                                  " last_sent_at"),
              "2");
    EXPECT_TRUE(await(lane.lanes.openAttempts("main", 7, 10)).empty());
    EXPECT_EQ(await(lane.lanes.openAttempts("main", 0, 1)).size(), 1U);
}

TEST(LaneCommit, OfALaneThatIsNotHeldWritesNothing)
{
    RELAYER_NEEDS_SERVER();
    Lane lane;
    const auto attempts = attemptsFor({lane.request(), lane.request(Status::Processing, kOther)});
    EXPECT_EQ(lane.commit(5, attempts, {"main", kOther}).outcome, Outcome::LaneLost);
    EXPECT_EQ(lane.commit(5, attempts, {"none", kMine}).outcome, Outcome::LaneLost);
    await(models::InstanceRegistry(lane.store.writer()).leave(kMine));
    EXPECT_EQ(lane.commit(5, attempts).outcome, Outcome::LaneLost);
    lane.expectNothingWritten();
}

TEST(LaneCommit, AtAnotherNonceThanTheLanesWritesNothing)
{
    RELAYER_NEEDS_SERVER();
    Lane lane;
    const auto attempts = attemptsFor({lane.request()});
    for (const std::int64_t nonce : {4, 6, 0})
    {
        const auto committed = lane.commit(nonce, attempts);
        EXPECT_EQ(committed.outcome, Outcome::NonceMoved) << nonce;
        EXPECT_TRUE(committed.lost.empty());
    }
    lane.expectNothingWritten();
    EXPECT_EQ(lane.commit(5, attempts).outcome, Outcome::Committed);
    EXPECT_EQ(lane.commit(5, attemptsFor({lane.request()})).outcome, Outcome::NonceMoved);
}

TEST(LaneCommit, WhereAttemptsStandAlreadyWritesNothing)
{
    RELAYER_NEEDS_SERVER();
    Lane lane;
    ASSERT_EQ(lane.commit(5, attemptsFor({lane.request()})).outcome, Outcome::Committed);
    // nobody does this, but a lane whose nonce was set back by hand must not end in an error
    lane.database.query("UPDATE signer_lane SET next_nonce = 5");
    EXPECT_EQ(lane.commit(5, attemptsFor({lane.request()})).outcome, Outcome::NonceMoved);
    EXPECT_EQ(lane.database.value("SELECT count(*) FROM tx_attempt"), "1");
}

TEST(LaneCommit, NamesTheRequestsThatAreNotTheCallersAndWritesNothing)
{
    RELAYER_NEEDS_SERVER();
    Lane lane;
    const auto good = lane.request();
    const std::vector<models::RequestId> bad = {lane.request(Status::Processing, kOther),
                                                lane.request(Status::Processing, std::nullopt),
                                                lane.request(Status::Queued),
                                                lane.request(Status::ReceiptReceived),
                                                lane.request(Status::Failure),
                                                lane.request(Status::Completed),
                                                1'000'000};
    for (const auto id : bad)
    {
        const auto committed = lane.commit(5, attemptsFor({good, id}));
        EXPECT_EQ(committed.outcome, Outcome::RowsLost) << id;
        EXPECT_EQ(committed.lost, std::vector{id});
        EXPECT_TRUE(committed.attempts.empty());
    }
    std::vector<models::RequestId> all(bad.begin(), bad.begin() + 3);
    all.push_back(good);
    all.insert(all.end(), bad.begin() + 3, bad.end());
    auto committed = lane.commit(5, attemptsFor(all));
    EXPECT_EQ(committed.lost, bad) << "all of them, in the order given";
    committed = lane.commit(5, attemptsFor({good, good}));
    EXPECT_EQ(committed.outcome, Outcome::RowsLost);
    EXPECT_EQ(committed.lost, std::vector{good}) << "twice in one commit";
    lane.expectNothingWritten();
    EXPECT_EQ(lane.commit(5, attemptsFor({good})).outcome, Outcome::Committed);
}

TEST(LaneCommit, OfARequestWithAnOpenAttemptOrOfAKnownHashWritesNothing)
{
    RELAYER_NEEDS_SERVER();
    Lane lane;
    const auto request = lane.request();
    const auto first = attemptsFor({request});
    const auto committed = lane.commit(5, first);
    ASSERT_EQ(committed.outcome, Outcome::Committed);

    models::Step recover;
    recover.transition = Transition::Recover;
    recover.id = request;
    recover.claimer = kMine;
    EXPECT_EQ(await(lane.store->apply(recover)), models::StepOutcome::Lost)
        << "what is on its way is not sent anew";
    // As a start does, which has yet to find out.
    lane.database.query("UPDATE request SET status = 'processing'");
    EXPECT_EQ(lane.commit(6, attemptsFor({request})).outcome, Outcome::RowsLost);

    await(lane.lanes.markConsumed(kHold, committed.attempts[0]));
    auto sameHash = attemptsFor({request});
    sameHash[0].version.hash = first[0].version.hash;
    EXPECT_EQ(lane.commit(6, sameHash).outcome, Outcome::RowsLost);
    EXPECT_EQ(lane.commit(6, attemptsFor({request})).outcome, Outcome::Committed)
        << "its first nonce is proven gone, so it may have another";
}

TEST(LaneCommit, OfNothingIsNothing)
{
    RELAYER_NEEDS_SERVER();
    Lane lane;
    const auto committed = lane.commit(5, {});
    EXPECT_EQ(committed.outcome, Outcome::Committed);
    EXPECT_TRUE(committed.attempts.empty());
    lane.expectNothingWritten();
}

TEST(LaneCommit, ThatIsInDoubtIsFoundByReadingTheLane)
{
    RELAYER_NEEDS_SERVER();
    Lane lane;
    const auto attempts = attemptsFor({lane.request(), lane.request()});
    // the engine dies, or its connection does, before it has the answer
    start(lane.lanes.commit(kHold, 5, attempts)).wait();
    LaneStore successor(lane.store.writer());
    const auto open = await(successor.openAttempts("main", 5, 10));
    ASSERT_EQ(open.size(), 2U);
    EXPECT_EQ(open[1].versions.at(0).raw, attempts[1].version.raw)
        << "these bytes are sent, and no others";
    EXPECT_EQ(await(successor.commit(kHold, 5, attempts)).outcome, Outcome::NonceMoved)
        << "asked again, it does nothing";
    EXPECT_EQ(await(successor.openAttempts("main", 0, 10)).size(), 2U);
}

namespace
{
constexpr int kThreads = 12;
constexpr std::size_t kRows = 300;

struct Tally
{
    std::atomic<std::int64_t> committed{0};
    std::atomic<int> refused{0};
};

// Takes the lane, then claims and commits like an engine that never looks at its lease again: it
// goes on until it is refused.
void sendUntilRefused(TestStore &store, const LaneHold &hold, Tally &tally)
{
    LaneStore lanes(store.writer());
    auto state = await(lanes.hold(hold, kAddress, std::chrono::milliseconds(10), 0));
    while (state.held && tally.committed < static_cast<std::int64_t>(kRows))
    {
        const auto rows =
            await(store->claim(Kind::InputProof, Status::Processing, hold.claimer, 3));
        std::vector<models::RequestId> ids;
        std::transform(rows.begin(), rows.end(), std::back_inserter(ids),
                       [](const auto &row) { return row.getValueOfId(); });
        const auto result = await(lanes.commit(hold, state.nextNonce, attemptsFor(ids)));
        if (result.outcome != Outcome::Committed)
        {
            ++tally.refused;
            await(store->release(ids, hold.claimer));
            return;
        }
        state.nextNonce += static_cast<std::int64_t>(ids.size());
        tally.committed += static_cast<std::int64_t>(ids.size());
    }
}
}  // namespace

TEST(LaneCommit, OfManyInstancesThatTakeTheLaneFromEachOtherLosesNothingAndRepeatsNothing)
{
    RELAYER_NEEDS_SERVER();
    const TestDatabase database;
    TestStore one(database);
    TestStore two(database);
    for (std::size_t i = 1; i <= kRows; ++i)
    {
        await(one->admit(newRequest(Kind::InputProof, i, i)));
    }
    Tally tally;
    {
        const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
        std::vector<std::jthread> threads;
        for (int t = 0; t < kThreads; ++t)
        {
            threads.emplace_back([&, t] {
                while (tally.committed < static_cast<std::int64_t>(kRows) &&
                       std::chrono::steady_clock::now() < deadline)
                {
                    sendUntilRefused(t % 2 == 0 ? one : two, {"main", 100 + t}, tally);
                }
            });
        }
    }
    const std::string rows = std::to_string(kRows);
    EXPECT_EQ(tally.committed, static_cast<std::int64_t>(kRows));
    EXPECT_GT(tally.refused, 0) << "nobody was ever in another's way: this proves nothing";
    EXPECT_EQ(database.value("SELECT count(DISTINCT request_id) FROM tx_attempt"), rows);
    EXPECT_EQ(database.value("SELECT count(*) FROM tx_attempt"), rows);
    EXPECT_EQ(database.value("SELECT count(*) FROM tx_version"), rows);
    EXPECT_EQ(database.value("SELECT max(nonce) - min(nonce) + 1 FROM tx_attempt"), rows)
        << "nonces have no gap";
    EXPECT_EQ(database.value("SELECT next_nonce FROM signer_lane"), rows);
    EXPECT_EQ(database.value("SELECT count(*) FROM request r JOIN tx_attempt a ON"
                             " a.request_id = r.id JOIN tx_version v ON v.attempt_id = a.id"
                             " WHERE r.status = 'tx_in_flight' AND r.tx_hash = v.hash"),
              rows);
}
}  // namespace relayer::test
