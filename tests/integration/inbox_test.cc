// The inbox: every log once, in the order of the chain, whoever brings it and however often.
#include "models/inbox_store.h"
#include "models/lane_store.h"
#include "support/await.h"
#include "support/lane_attempts.h"
#include "support/test_store.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <thread>

namespace relayer::test
{
using core::Kind;
using core::Status;
using models::ChainCursor;
using models::InboxEvent;
using models::InboxStore;
using models::LaneHold;
using models::LaneStore;

namespace
{
constexpr models::Claimer kMine = 7;
constexpr std::chrono::minutes kKeep{1};
const LaneHold kHold{"main", kMine};
const core::Hash32 kGenesis = hash32(1, 0x6E);

struct Inbox
{
    TestDatabase database;
    TestStore store{database};
    InboxStore inbox{store.writer(), store.reader()};
    LaneStore lanes{store.writer()};

    // A request that waits for its answer, and its gateway id.
    Placed waiting(Kind kind = Kind::PublicDecrypt)
    {
        return place(database, {.kind = kind, .status = Status::ReceiptReceived, .referred = true});
    }
    // A request whose transaction is on its way; nobody knows its gateway id yet.
    models::NewAttempt inFlight(Kind kind)
    {
        const auto request =
            place(database, {.kind = kind, .status = Status::Processing, .owner = kMine}).id;
        const auto lane = await(lanes.hold(kHold, kAddress, kKeep, 0));
        auto attempts = attemptsFor({request});
        EXPECT_EQ(await(lanes.commit(kHold, lane.nextNonce, attempts)).outcome,
                  models::AttemptsCommitted::Outcome::Committed);
        return attempts[0];
    }
    models::Delivered deliver(std::vector<InboxEvent> events,
                              std::chrono::milliseconds keepFor = kKeep)
    {
        return await(inbox.deliver(std::move(events), std::nullopt, keepFor));
    }
    std::string stored() { return database.value("SELECT count(*) FROM gateway_event"); }
};

InboxEvent answerTo(Kind kind, const models::GatewayId &id, std::int64_t block, std::int32_t index)
{
    InboxEvent event;
    event.kind = kind;
    event.gatewayId = id;
    event.blockNumber = block;
    event.blockHash = hash32(static_cast<std::uint64_t>(block), 0xB1);
    event.logIndex = index;
    event.txHash = hash32(static_cast<std::uint64_t>(block * 1000 + index), 0x7E);
    event.address = {0x0A, 0x0B};
    event.topics = {hash32(9, 0x70), id};
    event.data = core::Bytes(40, static_cast<std::uint8_t>(index));
    return event;
}

ChainCursor cursorAt(std::int64_t block, const std::string &listener = "one")
{
    ChainCursor cursor;
    cursor.listener = listener;
    cursor.chainId = UINT64_MAX;
    cursor.genesisHash = kGenesis;
    cursor.blockNumber = block;
    cursor.blockHash = hash32(static_cast<std::uint64_t>(block), 0xB1);
    return cursor;
}
}  // namespace

TEST(Inbox, GivesBackWhatWasDeliveredInTheOrderOfTheChain)
{
    RELAYER_NEEDS_SERVER();
    Inbox our;
    const Placed request = our.waiting();
    constexpr std::int32_t kLogs = 40;  // more than any buffer of a node's subscription
    std::vector<InboxEvent> events;
    for (std::int32_t i = 0; i < kLogs; ++i)
    {
        events.push_back(answerTo(Kind::PublicDecrypt, request.gatewayId, 100 + i / 20, i));
    }
    events[3].data = core::Bytes(200'000, 0x77);
    events[4].data.clear();
    auto shuffled = events;
    std::shuffle(shuffled.begin(), shuffled.end(), std::mt19937(5));
    const auto delivered = our.deliver(shuffled);
    EXPECT_EQ(delivered.stored, static_cast<std::size_t>(kLogs));
    EXPECT_EQ(delivered.known + delivered.foreign, 0U);

    const auto pending = await(our.inbox.pending(0, 100));
    ASSERT_EQ(pending.size(), events.size());
    for (std::size_t i = 0; i < events.size(); ++i)
    {
        const InboxEvent &actual = pending[i].event;
        EXPECT_EQ(pending[i].requestId, request.id);
        EXPECT_EQ(pending[i].status, Status::ReceiptReceived);
        EXPECT_EQ(actual.kind, Kind::PublicDecrypt);
        EXPECT_EQ(actual.gatewayId, request.gatewayId);
        EXPECT_FALSE(actual.request);
        EXPECT_EQ(actual.blockNumber, events[i].blockNumber);
        EXPECT_EQ(actual.blockHash, events[i].blockHash);
        EXPECT_EQ(actual.logIndex, events[i].logIndex);
        EXPECT_EQ(actual.txHash, events[i].txHash);
        EXPECT_EQ(actual.address, events[i].address);
        EXPECT_EQ(actual.topics, events[i].topics);
        EXPECT_EQ(actual.data, events[i].data);
    }
    const auto page = await(our.inbox.pending(pending[9].id, 5));
    ASSERT_EQ(page.size(), 5U);
    EXPECT_EQ(page[0].id, pending[10].id);

    await(our.inbox.markHandled({pending[0].id, pending[2].id}));
    const auto rest = await(our.inbox.pending(0, 2));
    ASSERT_EQ(rest.size(), 2U);
    EXPECT_EQ(rest[0].id, pending[1].id);
    EXPECT_EQ(rest[1].id, pending[3].id);
}

TEST(Inbox, KnowsALogByBlockHashIndexAndTransaction)
{
    RELAYER_NEEDS_SERVER();
    Inbox our;
    const Placed request = our.waiting();
    const InboxEvent event = answerTo(Kind::PublicDecrypt, request.gatewayId, 100, 1);
    InboxEvent otherBlock = event;
    otherBlock.blockHash = hash32(1, 0xB2);
    InboxEvent otherIndex = event;
    otherIndex.logIndex = 2;
    InboxEvent otherTransaction = event;
    otherTransaction.txHash = hash32(1, 0x7F);
    const auto first = our.deliver({event, event, otherBlock});
    EXPECT_EQ(first.stored, 2U);
    EXPECT_EQ(first.known, 1U) << "twice in one delivery";
    const auto second = our.deliver({event, otherIndex, otherTransaction, otherBlock});
    EXPECT_EQ(second.stored, 2U);
    EXPECT_EQ(second.known, 2U);
    EXPECT_EQ(our.stored(), "4");
}

TEST(Inbox, StoresOnceWhatManyListenersDeliverAtOnce)
{
    RELAYER_NEEDS_SERVER();
    Inbox our;
    TestStore other(our.database);
    const Placed request = our.waiting();
    constexpr int kListeners = 8;
    constexpr std::int32_t kLogs = 400;
    std::vector<InboxEvent> events;
    for (std::int32_t i = 0; i < kLogs; ++i)
    {
        events.push_back(answerTo(Kind::PublicDecrypt, request.gatewayId, 100 + i / 25, i % 25));
    }
    std::atomic<std::size_t> stored{0};
    std::atomic<std::size_t> known{0};
    {
        std::vector<std::jthread> listeners;
        for (int t = 0; t < kListeners; ++t)
        {
            listeners.emplace_back([&, t] {
                TestStore &store = t % 2 == 0 ? our.store : other;
                InboxStore inbox(store.writer(), store.reader());
                auto mine = events;
                std::shuffle(mine.begin(), mine.end(), std::mt19937(static_cast<std::uint32_t>(t)));
                for (std::size_t at = 0; at < mine.size(); at += 50)
                {
                    const auto begin = mine.begin() + static_cast<std::ptrdiff_t>(at);
                    const auto cursor = cursorAt(static_cast<std::int64_t>(at), "all");
                    const std::vector<InboxEvent> part(begin, begin + 50);
                    const auto delivered = await(inbox.deliver(part, cursor, kKeep));
                    stored += delivered.stored;
                    known += delivered.known;
                }
            });
        }
    }
    EXPECT_EQ(stored, static_cast<std::size_t>(kLogs));
    EXPECT_EQ(known, static_cast<std::size_t>(kLogs * (kListeners - 1)));
    EXPECT_EQ(our.stored(), std::to_string(kLogs));
    EXPECT_EQ(await(our.inbox.cursor("all"))->blockNumber, kLogs - 50);
}

TEST(Inbox, DropsWhatNoRequestOfOursCanBeMeantBy)
{
    RELAYER_NEEDS_SERVER();
    Inbox our;
    our.waiting(Kind::UserDecrypt);
    InboxEvent request = answerTo(Kind::UserDecrypt, hash32(77), 100, 2);
    request.request = true;
    const auto delivered =
        our.deliver({answerTo(Kind::UserDecrypt, hash32(77), 100, 0),
                     answerTo(Kind::PublicDecrypt, hash32(78), 100, 1), request});
    EXPECT_EQ(delivered.foreign, 3U);
    EXPECT_EQ(delivered.stored + delivered.known, 0U);
    EXPECT_EQ(our.stored(), "0");
}

TEST(Inbox, KeepsAnswersWhileARequestOfTheirKindMayHaveTheirId)
{
    RELAYER_NEEDS_SERVER();
    Inbox our;
    const auto attempt = our.inFlight(Kind::UserDecrypt);
    const auto id = hash32(77, 0x6A);
    const auto delivered = our.deliver({answerTo(Kind::UserDecrypt, id, 100, 0),
                                        answerTo(Kind::PublicDecrypt, id, 100, 1),
                                        answerTo(Kind::UserDecrypt, hash32(78), 100, 2)});
    EXPECT_EQ(delivered.stored, 2U);
    EXPECT_EQ(delivered.foreign, 1U) << "no public decryption is on its way";
    EXPECT_TRUE(await(our.inbox.pending(0, 10)).empty()) << "nobody knows yet whose it is";

    ASSERT_EQ(await(our.store->markReceiptReceived(attempt.request, kMine, attempt.version.hash, id,
                                                   Kind::UserDecrypt))
                  .outcome,
              models::StepOutcome::Won);
    const auto pending = await(our.inbox.pending(0, 10));
    ASSERT_EQ(pending.size(), 1U);
    EXPECT_EQ(pending[0].requestId, attempt.request);
    EXPECT_EQ(pending[0].event.gatewayId, id);
}

TEST(Inbox, KeepsAnswersBetweenTheEndOfAnAttemptAndItsReceipt)
{
    RELAYER_NEEDS_SERVER();
    Inbox our;
    const auto attempt = our.inFlight(Kind::InputProof);
    const auto open = await(our.lanes.openAttempts("main", 0, 1));
    await(our.lanes.markMined(kHold, {{open.at(0).id, attempt.version.hash, 99}}));
    EXPECT_EQ(our.deliver({answerTo(Kind::InputProof, hash32(77), 100, 0)}).stored, 1U);
    await(our.store->markReceiptReceived(attempt.request, kMine, attempt.version.hash, hash32(77),
                                         Kind::InputProof));
    EXPECT_EQ(our.deliver({answerTo(Kind::InputProof, hash32(78), 100, 1)}).foreign, 1U)
        << "all ids are known now";
}

TEST(Inbox, KeepsAnswersWhileAReorgMayHaveGivenOneOfOurRequestsAnotherId)
{
    RELAYER_NEEDS_SERVER();
    Inbox our;
    const auto attempt = our.inFlight(Kind::InputProof);
    const auto open = await(our.lanes.openAttempts("main", 0, 1));
    await(our.store->markReceiptReceived(attempt.request, kMine, attempt.version.hash, hash32(77),
                                         Kind::InputProof));
    await(our.lanes.markMined(kHold, {{open.at(0).id, attempt.version.hash, 99}}));
    const auto minedAnew = [&](std::uint64_t id, std::int64_t block) {
        InboxEvent event = answerTo(Kind::InputProof, hash32(id), block, 0);
        event.request = true;
        event.txHash = attempt.version.hash;
        return event;
    };
    EXPECT_EQ(our.deliver({answerTo(Kind::InputProof, hash32(78), 100, 1)}).foreign, 1U);

    // The event and the answer may come together, or the answer while the event waits its turn.
    EXPECT_EQ(
        our.deliver({minedAnew(78, 101), answerTo(Kind::InputProof, hash32(78), 101, 1)}).stored,
        2U);
    EXPECT_EQ(our.deliver({answerTo(Kind::InputProof, hash32(79), 102, 1),
                           answerTo(Kind::UserDecrypt, hash32(79), 102, 2)})
                  .stored,
              1U)
        << "no event tells of the other kind";
    const auto pending = await(our.inbox.pending(0, 10));
    ASSERT_EQ(pending.size(), 1U);
    EXPECT_TRUE(pending[0].event.request);
    await(our.inbox.markHandled({pending[0].id}));
    EXPECT_EQ(our.deliver({answerTo(Kind::InputProof, hash32(80), 103, 1)}).foreign, 1U);

    ASSERT_EQ(await(our.store->replaceReceipt(attempt.request, std::nullopt, attempt.version.hash,
                                              hash32(78)))
                  .outcome,
              models::StepOutcome::Won);
    EXPECT_EQ(await(our.inbox.pending(0, 10)).size(), 1U) << "its answer was here all the time";
}

TEST(Inbox, KeepsRequestEventsOfOurOwnTransactions)
{
    RELAYER_NEEDS_SERVER();
    Inbox our;
    const auto attempt = our.inFlight(Kind::UserDecrypt);
    InboxEvent event = answerTo(Kind::UserDecrypt, hash32(77), 100, 0);
    event.request = true;
    InboxEvent foreign = event;
    foreign.logIndex = 1;
    event.txHash = attempt.version.hash;
    const auto delivered = our.deliver({event, foreign});
    EXPECT_EQ(delivered.stored, 1U);
    EXPECT_EQ(delivered.foreign, 1U);
    const auto pending = await(our.inbox.pending(0, 10));
    ASSERT_EQ(pending.size(), 1U);
    EXPECT_TRUE(pending[0].event.request);
    EXPECT_EQ(pending[0].requestId, attempt.request);
    EXPECT_EQ(pending[0].status, Status::TxInFlight);
}

TEST(Inbox, ForgetsWhatNobodyClaimedAndWhatWasHandledLongAgo)
{
    RELAYER_NEEDS_SERVER();
    Inbox our;
    const Placed request = our.waiting(Kind::UserDecrypt);
    const auto attempt = our.inFlight(Kind::UserDecrypt);
    const std::chrono::milliseconds past(-1);
    const auto late = hash32(79);
    our.deliver({answerTo(Kind::UserDecrypt, request.gatewayId, 100, 0),
                 answerTo(Kind::UserDecrypt, hash32(77), 100, 1),
                 answerTo(Kind::UserDecrypt, hash32(78), 100, 2),
                 answerTo(Kind::UserDecrypt, late, 100, 3)},
                past);
    our.deliver({answerTo(Kind::UserDecrypt, hash32(80), 100, 4)});
    await(our.store->markReceiptReceived(attempt.request, kMine, attempt.version.hash, late,
                                         Kind::UserDecrypt));
    EXPECT_EQ(await(our.inbox.expire(kKeep, 1)), 1U) << "in pieces";
    EXPECT_EQ(await(our.inbox.expire(kKeep, 10)), 1U);
    EXPECT_EQ(await(our.inbox.expire(kKeep, 10)), 0U);
    EXPECT_EQ(our.stored(), "3") << "ours, what became ours, and what is young";

    const auto pending = await(our.inbox.pending(0, 10));
    ASSERT_EQ(pending.size(), 2U);
    await(our.inbox.markHandled({pending[0].id}));
    EXPECT_EQ(await(our.inbox.expire(kKeep, 10)), 0U);
    EXPECT_EQ(await(our.inbox.expire(past, 10)), 1U);
    EXPECT_EQ(await(our.inbox.pending(0, 10)).size(), 1U);
}

TEST(Inbox, TheCursorNeverGoesBackByADelivery)
{
    RELAYER_NEEDS_SERVER();
    Inbox our;
    EXPECT_FALSE(await(our.inbox.cursor("one")));
    const auto deliver = [&](const ChainCursor &cursor) {
        const auto delivered = await(our.inbox.deliver({}, cursor, kKeep));
        EXPECT_EQ(delivered.stored, 0U);
        return await(our.inbox.cursor("one"))->blockNumber;
    };
    EXPECT_EQ(deliver(cursorAt(10)), 10);
    EXPECT_EQ(deliver(cursorAt(12)), 12);
    EXPECT_EQ(deliver(cursorAt(11)), 12);
    ChainCursor otherChain = cursorAt(50);
    otherChain.genesisHash = hash32(2, 0x6E);
    EXPECT_EQ(deliver(otherChain), 12);
    ChainCursor sameHeight = cursorAt(12);
    sameHeight.blockHash = hash32(3, 0xB2);
    deliver(sameHeight);

    const auto cursor = await(our.inbox.cursor("one"));
    EXPECT_EQ(cursor->chainId, UINT64_MAX);
    EXPECT_EQ(cursor->genesisHash, kGenesis);
    EXPECT_EQ(cursor->blockHash, sameHeight.blockHash);
    EXPECT_FALSE(await(our.inbox.cursor("two")));

    await(our.inbox.setCursor(otherChain));
    EXPECT_EQ(await(our.inbox.cursor("one"))->genesisHash, otherChain.genesisHash);
    otherChain.blockNumber = 3;
    await(our.inbox.setCursor(otherChain));
    EXPECT_EQ(await(our.inbox.cursor("one"))->blockNumber, 3);
}

TEST(Inbox, ARemovedBlockIsHandledNoMoreUnlessTheChainTakesItAgain)
{
    RELAYER_NEEDS_SERVER();
    Inbox our;
    const Placed request = our.waiting();
    std::vector<InboxEvent> events;
    for (std::int32_t i = 0; i < 4; ++i)
    {
        events.push_back(answerTo(Kind::PublicDecrypt, request.gatewayId, 100 + i / 2, i));
    }
    our.deliver(events);
    const auto first = await(our.inbox.pending(0, 1));
    await(our.inbox.markHandled({first.at(0).id}));
    const auto blocks = await(our.inbox.blocksSince(100, 10));
    ASSERT_EQ(blocks.size(), 2U);
    EXPECT_EQ(blocks[1].number, 101);
    EXPECT_EQ(blocks[1].hash, events[2].blockHash);
    EXPECT_EQ(await(our.inbox.blocksSince(101, 10)).size(), 1U);

    EXPECT_EQ(await(our.inbox.removeBlocks({events[0].blockHash, hash32(5)})), 2U);
    EXPECT_EQ(await(our.inbox.removeBlocks({events[0].blockHash})), 0U);
    EXPECT_EQ(await(our.inbox.pending(0, 10)).size(), 2U);
    EXPECT_EQ(await(our.inbox.blocksSince(100, 10)).size(), 1U);

    const auto again = our.deliver(events);
    EXPECT_EQ(again.stored, 2U);
    EXPECT_EQ(again.known, 2U);
    EXPECT_EQ(await(our.inbox.pending(0, 10)).size(), 4U);
}

TEST(Inbox, WithABlockGoTheAnswersThatItBroughtUnlessTheyEndedTheirRequest)
{
    RELAYER_NEEDS_SERVER();
    Inbox our;
    const Placed waiting = place(our.database, {.kind = Kind::UserDecrypt,
                                                .status = Status::ReceiptReceived,
                                                .threshold = 2,
                                                .referred = true});
    const Placed ended = our.waiting();
    const InboxEvent share = answerTo(Kind::UserDecrypt, waiting.gatewayId, 100, 0);
    InboxEvent answer = answerTo(Kind::PublicDecrypt, ended.gatewayId, 100, 1);
    our.deliver({share, answer});
    const auto keepShare = [&](std::int32_t index, const core::Hash32 &txHash, std::uint8_t text) {
        models::Share kept;
        kept.gatewayId = waiting.gatewayId;
        kept.index = index;
        kept.payload = {text};
        kept.responseTxHash = txHash;
        return await(our.store->keepShare(kept));
    };
    EXPECT_TRUE(keepShare(1, share.txHash, 1).fresh);
    models::Answer kept;
    kept.kind = Kind::PublicDecrypt;
    kept.gatewayId = ended.gatewayId;
    kept.responseTxHash = answer.txHash;
    ASSERT_EQ(await(our.store->keepAnswer(kept)).ended, Status::Completed);

    EXPECT_EQ(await(our.inbox.removeBlocks({share.blockHash})), 2U);
    EXPECT_EQ(our.database.value("SELECT count(*) FROM kms_share"), "0");
    EXPECT_EQ(our.database.value("SELECT count(*) FROM gateway_answer"), "1");
    EXPECT_EQ(our.database.value("SELECT count(*) FROM gateway_reference"), "2");
    EXPECT_EQ(our.database.value("SELECT max(shares_seen) FROM request"), "0");

    const auto newHash = hash32(1, 0x7F);
    const auto first = keepShare(1, newHash, 2);
    EXPECT_TRUE(first.fresh) << "the share of the new chain counts";
    EXPECT_FALSE(first.ended) << "the one that was taken back does not";
    EXPECT_EQ(keepShare(2, newHash, 2).ended, Status::Completed);
}

// The other branch brings the same share again, and its event is handled while the first one is
// still kept: so it is handled once more when that one goes.
TEST(Inbox, WhatCameBesideAnAnswerThatIsTakenBackIsHandledAgain)
{
    RELAYER_NEEDS_SERVER();
    Inbox our;
    const Placed waiting = our.waiting(Kind::UserDecrypt);
    InboxEvent old = answerTo(Kind::UserDecrypt, waiting.gatewayId, 100, 0);
    InboxEvent anew = answerTo(Kind::UserDecrypt, waiting.gatewayId, 100, 1);
    anew.blockHash = hash32(100, 0x66);
    our.deliver({old, anew});
    std::vector<models::EventId> ids;
    for (const auto &pending : await(our.inbox.pending(0, 10)))
    {
        ids.push_back(pending.id);
    }
    ASSERT_EQ(ids.size(), 2U);
    await(our.inbox.markHandled(ids));
    EXPECT_EQ(await(our.inbox.removeBlocks({old.blockHash})), 1U);
    const auto left = await(our.inbox.pending(0, 10));
    ASSERT_EQ(left.size(), 1U);
    EXPECT_EQ(left[0].event.blockHash, anew.blockHash);
}

TEST(Inbox, OfAChainThatWasResetStartsOverAndGivesNoOldAnswerToANewId)
{
    RELAYER_NEEDS_SERVER();
    Inbox our;
    const Placed old = our.waiting();
    models::Answer answer;
    answer.kind = Kind::PublicDecrypt;
    answer.gatewayId = old.gatewayId;
    answer.result = {1, 2, 3};
    ASSERT_EQ(await(our.store->keepAnswer(answer)).ended, Status::Completed);
    our.deliver({answerTo(Kind::PublicDecrypt, old.gatewayId, 100, 0)});
    await(our.inbox.setCursor(cursorAt(100)));

    await(our.inbox.forget(kGenesis));
    EXPECT_EQ(our.stored(), "1") << "all cursors are of this chain: there is nothing to forget";
    EXPECT_TRUE(await(our.inbox.cursor("one")));
    const auto newGenesis = hash32(2, 0x6E);
    await(our.inbox.forget(newGenesis));
    EXPECT_EQ(our.stored(), "0");
    EXPECT_FALSE(await(our.inbox.cursor("one")));

    const auto attempt = our.inFlight(Kind::PublicDecrypt);
    const auto receipt = await(our.store->markReceiptReceived(
        attempt.request, kMine, attempt.version.hash, old.gatewayId, Kind::PublicDecrypt));
    EXPECT_EQ(receipt.outcome, models::StepOutcome::Won) << "the new chain gives out the same id";
    EXPECT_FALSE(receipt.ended) << "the answer was to the old chain's request";
    const auto job =
        our.database.value("SELECT job_id FROM request WHERE id = " + std::to_string(old.id));
    const auto poll = await(our.store->poll(core::JobId::parse(job).value()));
    ASSERT_TRUE(poll && poll->result);
    EXPECT_EQ(*poll->result, answer.result) << "what was answered stays";
}
}  // namespace relayer::test
