// A stop with work in hand, against a real chain: what can be handed over is handed over at once,
// what is signed is sent once, and nothing is lost.
#include "e2e/chain_world.h"

#include <gtest/gtest.h>

#include <memory>

namespace relayer::test
{
namespace
{
constexpr int kUnfinished = 75;
// Longer than any test: whoever waits for a lease fails.
constexpr const char *kLongLease = "10m";

class DrainWithChain : public testing::Test
{
  protected:
    void SetUp() override
    {
        RELAYER_NEEDS_CHAIN();
        devnet_ = std::make_unique<Devnet>();
        world_ = std::make_unique<ChainWorld>(*devnet_);
    }

    [[nodiscard]] ServerOptions options(const std::string &name,
                                        const std::string &deadline = "10m") const
    {
        ServerOptions options = world_->serverOptions();
        options.environment["RELAYER_INSTANCE__NAME"] = name;
        options.environment["RELAYER_INSTANCE__LEASE"] = kLongLease;
        options.environment["RELAYER_TX_ENGINE__LANE_LEASE"] = kLongLease;
        options.environment["RELAYER_INSTANCE__DRAIN_DEADLINE"] = deadline;
        return options;
    }
    static std::unique_ptr<ServerProcess> started(const ServerOptions &options)
    {
        auto server = std::make_unique<ServerProcess>(options);
        EXPECT_TRUE(server->becomesHealthy()) << server->output();
        return server;
    }
    // From now on a block comes only by mine().
    void stopMining() const { static_cast<void>(devnet_->call("evm_setAutomine", {false})); }
    void goOnMining() const
    {
        static_cast<void>(devnet_->call("evm_setAutomine", {true}));
        devnet_->mine();
    }

    std::unique_ptr<Devnet> devnet_;
    std::unique_ptr<ChainWorld> world_;
};

TEST_F(DrainWithChain, WhatIsNotSignedIsTakenAtOnceAndTheLaneWhenItsTransactionsAreMined)
{
    for (const int signal : {SIGTERM, SIGINT})
    {
        SCOPED_TRACE(signal);
        world_ = std::make_unique<ChainWorld>(*devnet_);
        const std::string handle = "0x" + core::toHex(Devnet::handle(1));
        devnet_->write("gateway", "ciphertextCommits", "setHidden", {handle, true});
        auto one = started(options("one"));
        ASSERT_TRUE(one->printed("step=lane_held")) << one->output();
        auto two = started(options("two"));
        stopMining();
        world_->submit(0, 1, *one);
        world_->submit(1, 1, *one);
        ASSERT_TRUE(world_->becomes("status = 'tx_in_flight'", 1, *one)) << one->output();
        ASSERT_TRUE(world_->becomes("status = 'queued' AND owner IS NOT NULL", 1, *one));

        one->kill(signal);
        ASSERT_TRUE(one->becomesUnhealthy()) << one->output();
        // The decryption is the other's at once, while this one still waits for its transaction.
        ASSERT_TRUE(
            world_->becomes("status = 'queued' AND owner = " + world_->epochOf("two"), 1, *two))
            << one->output() << two->output();
        EXPECT_EQ(HttpClient(one->port()).get("/liveness").value().status, 200);
        ASSERT_TRUE(world_->submit(5, *one)) << "admitted by one that drains";
        EXPECT_EQ(world_->unanswered().size(), 0U);
        EXPECT_EQ(world_->rows("owner = " + world_->epochOf("one")), 1U) << world_->story();
        EXPECT_EQ(two->output().find("step=lane_held"), std::string::npos);

        goOnMining();
        EXPECT_EQ(one->exitCode(), 0) << one->output();
        devnet_->write("gateway", "ciphertextCommits", "setHidden", {handle, false});
        ASSERT_TRUE(two->printed("step=lane_held")) << two->output();
        ASSERT_TRUE(world_->allEnd(*two)) << world_->story() << two->output();
        world_->expectEachOnce();
    }
}

TEST_F(DrainWithChain, WhatIsNotMinedByTheDeadlineIsFinishedByTheNextWithTheSameTransaction)
{
    auto one = started(options("one", "2s"));
    ASSERT_TRUE(one->printed("step=lane_held")) << one->output();
    stopMining();
    world_->submit(0, 4, *one);
    ASSERT_TRUE(world_->becomes("status = 'tx_in_flight'", 4, *one)) << one->output();
    const std::string attempts =
        world_->database().value("SELECT string_agg(id::text, ',' ORDER BY id) FROM tx_attempt");
    one->kill(SIGTERM);
    EXPECT_EQ(one->exitCode(), kUnfinished) << one->output();
    EXPECT_TRUE(one->printed("left: transactions=4")) << one->output();
    // Though it was late, nobody need wait for its leases.
    EXPECT_EQ(world_->rows("owner IS NOT NULL"), 0U);
    EXPECT_EQ(world_->database().value("SELECT count(*) FROM signer_lane WHERE owner IS NOT NULL"),
              "0");

    auto two = started(options("two"));
    goOnMining();
    ASSERT_TRUE(world_->allEnd(*two)) << world_->story() << two->output();
    world_->expectEachOnce();
    EXPECT_EQ(
        world_->database().value("SELECT string_agg(id::text, ',' ORDER BY id) FROM tx_attempt"),
        attempts)
        << "no other transaction was signed";
}

TEST_F(DrainWithChain, WhatIsBeingPreparedIsGivenBackAtOnce)
{
    // A gateway that is frozen answers no estimate.
    auto one = started(options("one"));
    ASSERT_TRUE(one->printed("step=lane_held")) << one->output();
    ASSERT_TRUE(one->printed("step=held_rows_recovered")) << one->output();
    devnet_->act("gateway", "freeze");
    ASSERT_TRUE(world_->submit(0, *one));
    ASSERT_TRUE(world_->becomes("status = 'processing' AND owner IS NOT NULL", 1, *one))
        << one->output();
    one->kill(SIGTERM);
    EXPECT_EQ(one->exitCode(), 0) << one->output();
    EXPECT_EQ(world_->rows("status = 'processing' AND owner IS NULL"), 1U) << world_->story();
    devnet_->act("gateway", "thaw");
    auto two = started(options("two"));
    ASSERT_TRUE(world_->allEnd(*two)) << world_->story() << two->output();
    world_->expectEachOnce();
}

TEST_F(DrainWithChain, AnotherKeySendsWhatIsHandedOver)
{
    ServerOptions withOtherKey = options("two");
    withOtherKey.environment["RELAYER_SIGNER__LANE"] = "second";
    withOtherKey.environment["RELAYER_SIGNER__PRIVATE_KEY"] = devnet_->relayerKey(1);
    ServerOptions slow = options("one");
    slow.environment["RELAYER_TX_THROTTLER__INPUT_PROOF__PER_SECOND"] = "1";
    auto one = started(slow);
    ASSERT_TRUE(one->printed("step=held_rows_recovered")) << one->output();
    constexpr std::size_t kProofs = 12;
    for (std::size_t i = 0; i < kProofs; ++i)
    {
        ASSERT_TRUE(world_->submit(i * kSorts, *one));
    }
    ASSERT_TRUE(world_->becomes("tx_hash IS NOT NULL", 3, *one)) << one->output();
    one->kill(SIGTERM);
    EXPECT_EQ(one->exitCode(), 0) << one->output();
    EXPECT_EQ(world_->rows("owner IS NOT NULL"), 0U);
    const std::size_t byOne =
        std::stoul(world_->database().value("SELECT count(*) FROM tx_attempt"));
    ASSERT_LT(byOne, kProofs);
    EXPECT_EQ(world_->database().value("SELECT count(*) FROM tx_attempt WHERE open"), "0");

    auto two = started(withOtherKey);
    ASSERT_TRUE(world_->allEnd(*two)) << world_->story() << two->output();
    EXPECT_EQ(world_->database().value("SELECT count(*) FROM tx_attempt WHERE lane = 'second'"),
              std::to_string(kProofs - byOne));
    EXPECT_EQ(world_->database().value("SELECT count(DISTINCT request_id) FROM tx_attempt"),
              std::to_string(kProofs));
    EXPECT_EQ(devnet_->requestLogs().size(), kProofs) << "requests on the chain";
}
}  // namespace
}  // namespace relayer::test
