// Decryptions between `queued` and `processing`, on a real database, with chains that a test
// scripts.
#include "support/await.h"
#include "support/captured_log.h"
#include "support/eventually.h"
#include "support/readiness_world.h"
#include "support/tx_testing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <iostream>
#include <numeric>

namespace relayer::test
{
namespace
{
using core::Hash32;
using core::Kind;
using core::Status;
using models::Admission;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using namespace std::chrono_literals;

const std::string kRefused = "Not allowed on host ACL: ACL check failed for ";

std::string hex(const Hash32 &handle)
{
    return "handle=0x" + core::toHex(handle);
}

class Readiness : public testing::Test
{
  protected:
    void SetUp() override
    {
        RELAYER_NEEDS_SERVER();
        database_ = std::make_unique<TestDatabase>();
    }

    ReadinessWorld &world(const ReadinessWorldOptions &options = {.checks = impatientChecks()})
    {
        if (!world_)
        {
            world_ = std::make_unique<ReadinessWorld>(*database_, acl_, ciphertexts_, options,
                                                      &otherAcl_);
            world_->start();
        }
        return *world_;
    }
    Admission takeIn(const std::vector<Hash32> &handles, std::uint64_t job)
    {
        return world().takeIn(publicDecryptOf(handles, job));
    }
    std::string endOf(const Admission &admission)
    {
        EXPECT_TRUE(
            world().becomes("id = " + std::to_string(admission.id) + " AND status <> 'queued'", 1));
        return world().endOf(admission);
    }
    [[nodiscard]] std::string owners() const
    {
        return database_->value("SELECT count(*) FROM request WHERE owner IS NOT NULL");
    }

    std::unique_ptr<TestDatabase> database_;
    FakeAcl acl_;
    FakeAcl otherAcl_;
    FakeCiphertexts ciphertexts_;
    std::unique_ptr<ReadinessWorld> world_;  // last: it uses all of the above
};

TEST_F(Readiness, WhatIsAllowedAndThereGoesOnToTheQueueBeforeTheChain)
{
    std::vector<Admission> taken;
    for (std::uint64_t i = 0; i < 30; ++i)
    {
        taken.push_back(takeIn({handleOf(i), handleOf(i, kOtherChain)}, i));
        world().takeIn(requestOf(Kind::UserDecrypt, 1000 + i));
    }
    ASSERT_TRUE(world().becomes("status = 'processing'", 60));
    EXPECT_EQ(owners(), "0") << "in the queue before the chain they are anybody's";
    // A look that was on its way still counted the last of them; the next one does not.
    EXPECT_TRUE(
        eventually([this] { return world().lines().snapshot(Kind::PublicDecrypt).waiting == 0; }));
    world().stop();
    EXPECT_EQ(world().queues().snapshot(Kind::PublicDecrypt).waiting, 30U);
    EXPECT_EQ(world().queues().snapshot(Kind::UserDecrypt).waiting, 30U);
    EXPECT_EQ(world().queues().snapshot(Kind::UserDecrypt).reserved, 0U);
    const auto rows = database_->query(
        "SELECT r.ticket FROM live_request l JOIN request r ON r.id = l.request_id"
        " AND r.ticket = l.ticket WHERE l.kind = 'public_decrypt' ORDER BY l.ticket");
    ASSERT_EQ(rows.size(), 30U);
    for (std::size_t i = 0; i < rows.size(); ++i)
    {
        EXPECT_EQ(world().queues().position(Kind::PublicDecrypt, std::stoll(rows[i][0])), i);
    }
}

TEST_F(Readiness, ACleanNoOfAnyChainIsFinalAndNamesAllThatWasRefused)
{
    acl_.deny(handleOf(2));
    otherAcl_.deny(handleOf(3, kOtherChain));
    const Admission good = takeIn({handleOf(1)}, 1);
    const Admission bad = takeIn({handleOf(2), handleOf(1), handleOf(3, kOtherChain)}, 2);
    EXPECT_EQ(endOf(good), "processing");
    EXPECT_EQ(endOf(bad), "failure | not_allowed_on_host_acl | " + kRefused + "2 handle(s): " +
                              hex(handleOf(2)) + " check=isAllowedForDecryption, " +
                              hex(handleOf(3, kOtherChain)) + " check=isAllowedForDecryption");
    const auto calls = acl_.calls();
    EXPECT_EQ(std::accumulate(calls.begin(), calls.end(), std::size_t{0}), 3U)
        << "nothing is asked twice";
    EXPECT_EQ(otherAcl_.calls().size(), 1U);
    EXPECT_EQ(ciphertexts_.asked(handleOf(2)), 0U);
}

TEST_F(Readiness, AHostChainThatFailsIsAskedAsOftenAsConfiguredAndItsWordsStayHere)
{
    acl_.takesAtMost(0);
    const Admission request = takeIn({handleOf(1)}, 1);
    const std::string end = endOf(request);
    EXPECT_EQ(end,
              "failure | host_acl_failed | Host ACL check failed: Host chain 8009 call "
              "failed: the node answered with error 3");
    EXPECT_EQ(acl_.calls().size(), 3U);
    EXPECT_THAT(end, Not(HasSubstr("geheim")));
}

TEST_F(Readiness, AHardFailureOnOneChainWinsOverANoOnAnother)
{
    acl_.deny(handleOf(1));
    otherAcl_.takesAtMost(0);
    EXPECT_THAT(endOf(takeIn({handleOf(1), handleOf(2, kOtherChain)}, 1)),
                StartsWith("failure | host_acl_failed | Host ACL check failed: Host chain 9001"));
}

TEST_F(Readiness, AHandleOfAChainThatIsNotServedFails)
{
    EXPECT_EQ(endOf(takeIn({handleOf(1), handleOf(1, 77)}, 1)),
              "failure | host_acl_failed | Host ACL check failed: No ACL binding configured for "
              "host chain 77");
}

TEST_F(Readiness, ACallForManyThatIsRefusedOrComesBackShortIsRepeatedForEachAlone)
{
    acl_.deny(handleOf(7));
    for (const bool comesShort : {false, true})
    {
        acl_.answersShort(comesShort);
        acl_.takesAtMost(comesShort ? 1000 : 1);
        const std::uint64_t first = comesShort ? 100 : 0;
        TestStore before(*database_);
        std::vector<Admission> taken;
        for (std::uint64_t i = 0; i < 20; ++i)
        {
            const std::uint64_t number = i == 7 ? 7 : 1000 + first + i;
            taken.push_back(await(before->admit(publicDecryptOf({handleOf(number)}, first + i))));
        }
        world();
        for (std::size_t i = 0; i < taken.size(); ++i)
        {
            EXPECT_THAT(endOf(taken[i]),
                        StartsWith(i == 7 ? "failure | not_allowed_on_host_acl" : "processing"))
                << i << (comesShort ? " short" : " refused");
        }
        const auto calls = acl_.calls();
        EXPECT_GT(*std::ranges::max_element(calls), 1U) << "they were asked about together first";
    }
}

TEST_F(Readiness, WaitsForACiphertextAndGoesOnOnceItIsThere)
{
    ciphertexts_.hide(handleOf(1));
    ReadinessWorldOptions options{.checks = impatientChecks()};
    options.checks.gwCiphertext.maxAttempts = 100'000;
    world(options);
    const Admission request = takeIn({handleOf(1)}, 1);
    ASSERT_TRUE(eventually([this] { return ciphertexts_.asked(handleOf(1)) >= 10; }));
    EXPECT_EQ(world().endOf(request), "queued");
    ciphertexts_.hide(handleOf(1), false);
    EXPECT_EQ(endOf(request), "processing");
    EXPECT_EQ(acl_.calls().size(), 1U) << "the host chain is not asked again";
}

TEST_F(Readiness, AfterTheLastCheckTheLastOutcomeDecides)
{
    const auto error = FakeNode::error(-32000, "geheim");
    ciphertexts_.script([error](const Hash32 &handle, std::size_t nth) {
        const bool last = nth == 5;
        if (handle == handleOf(1))  // never ready
        {
            return FakeCiphertexts::says(false);
        }
        if (handle == handleOf(2))  // errors, and then a no
        {
            return last ? FakeCiphertexts::says(false) : error;
        }
        if (handle == handleOf(3))  // a no, and then an error
        {
            return last ? error : FakeCiphertexts::says(false);
        }
        if (handle == handleOf(4))  // ready after errors, at the last moment
        {
            return last ? FakeCiphertexts::says(true) : error;
        }
        return FakeNode::error(3, "execution reverted", "\"0xd93c0665\"");  // paused
    });
    std::vector<Admission> taken;
    for (std::uint64_t i = 1; i <= 5; ++i)
    {
        taken.push_back(takeIn({handleOf(i)}, i));
    }
    EXPECT_EQ(endOf(taken[0]), "timed_out | readiness_timed_out | not ready after 5 checks");
    EXPECT_EQ(endOf(taken[1]), "timed_out | readiness_timed_out | not ready after 5 checks");
    EXPECT_THAT(endOf(taken[2]), StartsWith("failure | readiness_failed | Contract call failed"));
    EXPECT_EQ(endOf(taken[3]), "processing");
    EXPECT_THAT(endOf(taken[4]), StartsWith("failure | protocol_paused"));
    EXPECT_EQ(ciphertexts_.asked(handleOf(1)), 5U);
    EXPECT_EQ(ciphertexts_.asked(handleOf(3)), 5U);
}

TEST_F(Readiness, AGatewayThatTakesNoBatchesIsAskedOneByOne)
{
    ciphertexts_.node().batches(FakeNode::Batches::Refused);
    TestStore before(*database_);
    for (std::uint64_t i = 0; i < 20; ++i)
    {
        await(before->admit(publicDecryptOf({handleOf(i)}, i)));
    }
    ASSERT_TRUE(world().becomes("status = 'processing'", 20));
    EXPECT_EQ(ciphertexts_.asked(handleOf(3)), 1U);
}

TEST_F(Readiness, AStartGivesBackWhatItsPredecessorHadClaimedAndNothingElse)
{
    TestStore before(*database_);
    for (std::uint64_t i = 0; i < 4; ++i)
    {
        await(before->admit(publicDecryptOf({handleOf(i)}, i)));
    }
    ASSERT_EQ(await(before->claim(Kind::PublicDecrypt, Status::Queued, 7, 2)).size(), 2U);
    ASSERT_EQ(await(before->claim(Kind::PublicDecrypt, Status::Queued, 8, 1)).size(), 1U);
    ASSERT_TRUE(world().becomes("status = 'processing'", 3));
    EXPECT_EQ(database_->value("SELECT owner FROM request WHERE status = 'queued'"), "8");
}

TEST_F(Readiness, AStopGivesBackWhatWaitsForItsNextTry)
{
    ciphertexts_.hideAll(true);
    ReadinessWorldOptions options{.checks = impatientChecks()};
    options.checks.gwCiphertext = {100, 60s, 100};
    world(options);
    for (std::uint64_t i = 0; i < 10; ++i)
    {
        takeIn({handleOf(i)}, i);
    }
    ASSERT_TRUE(world().becomes("owner = 7 AND status = 'queued'", 10));
    world().stop();
    EXPECT_EQ(owners(), "0");
    EXPECT_EQ(database_->value("SELECT count(*) FROM request WHERE status = 'queued'"), "10");
}

TEST_F(Readiness, ARowThatCanNotBeReadFailsWithAnAlertAndHoldsNobodyUp)
{
    const CapturedLog log;
    // As a row of another version, or of a disk that lies.
    const Admission broken = await(TestStore(*database_)->admit(publicDecryptOf({handleOf(1)}, 1)));
    database_->query("UPDATE request SET payload = '\\x00ff' WHERE id = " +
                     std::to_string(broken.id));
    const Admission sound = takeIn({handleOf(2)}, 2);
    EXPECT_EQ(endOf(sound), "processing");
    EXPECT_THAT(endOf(broken), StartsWith("failure | undecodable"));
    EXPECT_TRUE(
        log.says("step=payload_undecodable alert=true request=" + std::to_string(broken.id)));
    world_.reset();  // before the log that its threads write to
}

TEST_F(Readiness, OfTwoInstancesEachRowIsCheckedAndMovedByOne)
{
    constexpr std::uint64_t kRows = 600;
    ReadinessWorldOptions options{.claimer = 8, .checks = impatientChecks()};
    ReadinessWorld other(*database_, acl_, ciphertexts_, options, &otherAcl_);
    std::vector<std::future<Admission>> admissions;
    for (std::uint64_t i = 0; i < kRows; ++i)
    {
        admissions.push_back(start(other.store()->admit(publicDecryptOf({handleOf(i)}, i))));
    }
    std::ranges::for_each(admissions, [](auto &each) { each.get(); });
    other.start();
    ASSERT_TRUE(world().becomes("status = 'processing'", kRows));
    world().stop();
    other.stop();
    EXPECT_EQ(world().queues().snapshot(Kind::PublicDecrypt).waiting +
                  other.queues().snapshot(Kind::PublicDecrypt).waiting,
              kRows);
    EXPECT_EQ(owners(), "0");
}

TEST_F(Readiness, WithoutRoomBeforeTheChainTheyWaitAndThenGoOn)
{
    ReadinessWorldOptions options{.checks = impatientChecks()};
    options.before = {20, 2, 1};
    world(options);
    for (std::uint64_t i = 0; i < 5; ++i)
    {
        takeIn({handleOf(i)}, i);
    }
    ASSERT_TRUE(world().becomes("status = 'processing'", 2));
    EXPECT_EQ(database_->value("SELECT count(*) FROM request WHERE status = 'queued'"), "3");
    for (std::size_t moved = 3; moved <= 5; ++moved)
    {
        const std::int64_t gone[] = {*world().queues().snapshot(Kind::PublicDecrypt).head};
        world().queues().pulled(Kind::PublicDecrypt, gone);
        ASSERT_TRUE(world().becomes("status = 'processing'", moved));
    }
}

TEST_F(Readiness, MoreThanThereIsRoomForInMemoryWaitInTheDatabaseForTheirTurn)
{
    ciphertexts_.hideAll(true);
    ReadinessWorldOptions options{.checks = impatientChecks()};
    options.checks.capacity = {5, 5, 5};
    options.checks.gwCiphertext.maxAttempts = 100'000;
    TestStore before(*database_);
    for (std::uint64_t i = 0; i < 12; ++i)
    {
        await(before->admit(publicDecryptOf({handleOf(i)}, i)));
    }
    world(options);
    ASSERT_TRUE(world().becomes("owner = 7", 5));
    ASSERT_TRUE(eventually([this] { return ciphertexts_.asked(handleOf(4)) >= 5; }));
    EXPECT_EQ(owners(), "5");
    EXPECT_EQ(ciphertexts_.asked(handleOf(5)), 0U) << "the oldest come first";
    ciphertexts_.hideAll(false);
    ASSERT_TRUE(world().becomes("status = 'processing'", 12));
}

// The numbers that the issue asks for.
class ReadinessOfAThousand : public Readiness
{
  protected:
    static constexpr std::uint64_t kMany = 1000;

    // Half on each host chain.
    void admitMany()
    {
        TestStore before(*database_);
        std::vector<std::future<Admission>> admissions;
        for (std::uint64_t i = 0; i < kMany; ++i)
        {
            const Hash32 handle = handleOf(i, i % 2 == 0 ? kHostChain : kOtherChain);
            ciphertexts_.hide(handle);
            admissions.push_back(start(before->admit(publicDecryptOf({handle}, i))));
        }
        std::ranges::for_each(admissions, [](auto &each) { each.get(); });
    }
};

TEST_F(ReadinessOfAThousand, NeverReadyCostsHardlyMoreCallsThanFullBatchesWould)
{
    constexpr std::size_t kAttempts = 5;
    constexpr std::size_t kBatch = 100;
    admitMany();
    ReadinessWorldOptions options{.checks = impatientChecks()};
    options.checks.gwCiphertext = {kAttempts, 1s, kBatch};
    acl_.node().misbehaveAlways(Wire{.delay = 20ms});
    otherAcl_.node().misbehaveAlways(Wire{.delay = 20ms});
    ciphertexts_.node().misbehaveAlways(Wire{.delay = 10ms});
    world(options);
    ASSERT_TRUE(world().becomes("status = 'timed_out'", kMany));

    const std::size_t toHosts = acl_.node().exchanges() + otherAcl_.node().exchanges();
    const std::size_t toGateway = ciphertexts_.node().exchanges();
    const std::size_t leastToHosts = 2 * (kMany / 2 / kBatch);
    const std::size_t leastToGateway = kAttempts * (kMany / kBatch);
    const double ratio = static_cast<double>(toHosts + toGateway) /
                         static_cast<double>(leastToHosts + leastToGateway);
    std::cout << "# " << kMany << " requests that are never ready, " << kAttempts
              << " rounds: " << toHosts << " calls to 2 host chains (full batches: " << leastToHosts
              << "), " << toGateway << " to the gateway (full batches: " << leastToGateway
              << "); ratio " << ratio << "\n";
    EXPECT_LE(ratio, 1.2);
    EXPECT_EQ(ciphertexts_.node().calls("eth_call"), kMany * kAttempts);
}

TEST_F(ReadinessOfAThousand, NeverReadyDoNotDelayOneThatIsByMoreThanOneCheck)
{
    constexpr auto kOneCheck = 200ms;
    admitMany();
    ReadinessWorldOptions options{.checks = impatientChecks()};
    options.checks.gwCiphertext = {100'000, 300ms, 100};
    ciphertexts_.node().misbehaveAlways(Wire{.delay = kOneCheck});
    std::atomic<std::size_t> before{0};
    std::atomic<std::size_t> mine{0};
    ciphertexts_.script([&](const Hash32 &handle, std::size_t) {
        if (handle == handleOf(5000))
        {
            mine = ciphertexts_.node().exchanges();
        }
        return std::optional<FakeNode::Reply>();
    });
    world(options);
    // Each was asked about at least once: they are never ready, and many of them always due again.
    for (std::uint64_t i = 0; i < kMany; ++i)
    {
        ASSERT_TRUE(eventually([&] {
            return ciphertexts_.asked(handleOf(i, i % 2 == 0 ? kHostChain : kOtherChain)) != 0;
        }));
    }
    const auto began = std::chrono::steady_clock::now();
    const Admission ready = takeIn({handleOf(5000)}, 5000);
    ASSERT_TRUE(eventually([this] { return !acl_.calls().empty() && acl_.calls().back() == 1; }));
    before = ciphertexts_.node().exchanges();
    ASSERT_EQ(endOf(ready), "processing");
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - began;
    const auto due = world().run().snapshots().at(static_cast<std::size_t>(Kind::PublicDecrypt));
    std::cout << "# one that is ready beside " << kMany << " that never are (" << due.due
              << " of them due at the last look): in gateway call " << mine - before
              << " after its host chain was asked, " << took.count() << " ms in all; a call takes "
              << kOneCheck.count() << " ms\n";
    // Two are in the air at a time, and one more may have left while its host chain answered.
    EXPECT_LE(mine - before, 2U);
}
}  // namespace
}  // namespace relayer::test
