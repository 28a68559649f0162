// Decryptions that the host chain does not allow, or that the gateway has no ciphertext for yet,
// through a running server, on the devnet.
#include "chain/address.h"
#include "core/bytes.h"
#include "e2e/chain_world.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace relayer::test
{
namespace
{
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

// One of each sort of decryption: see chain_requests.h.
constexpr std::uint64_t kPublic = 1;
constexpr std::uint64_t kDirect = 2;
constexpr std::uint64_t kDelegated = 3;
constexpr std::uint64_t kUnified = 4;

std::string handleOf(std::uint64_t number)
{
    return "0x" + core::toHex(Devnet::handle(static_cast<std::uint32_t>(number)));
}

class ReadinessFlow : public testing::Test
{
  protected:
    void SetUp() override
    {
        RELAYER_NEEDS_CHAIN();
        devnet_ = std::make_unique<Devnet>();
        world_ = std::make_unique<ChainWorld>(*devnet_);
    }

    ServerProcess &server(const std::string &attempts = "5000")
    {
        if (!server_)
        {
            ServerOptions options = world_->serverOptions();
            const std::string readiness = "RELAYER_GATEWAY__READINESS_CHECKER__";
            options.environment[readiness + "HOST_ACL_CHECK__RETRY__INTERVAL"] = "20ms";
            options.environment[readiness + "GW_CIPHERTEXT_CHECK__RETRY__INTERVAL"] = "20ms";
            options.environment[readiness + "GW_CIPHERTEXT_CHECK__RETRY__MAX_ATTEMPTS"] = attempts;
            server_ = std::make_unique<ServerProcess>(options);
            EXPECT_TRUE(server_->becomesHealthy()) << server_->output();
        }
        return *server_;
    }
    HttpReply endOf(std::uint64_t number)
    {
        EXPECT_TRUE(world_->submit(number, server())) << server().output();
        EXPECT_TRUE(world_->unanswered().empty());
        return pollToTheEnd(server(), world_->jobPathOf(number));
    }
    static std::string messageOf(const HttpReply &reply)
    {
        return reply.json()["error"]["message"].asString();
    }

    std::unique_ptr<Devnet> devnet_;
    std::unique_ptr<ChainWorld> world_;
    std::unique_ptr<ServerProcess> server_;
};

TEST_F(ReadinessFlow, WhatTheAclDeniesEndsWithItsNameAndWhatItAllowsIsDecrypted)
{
    for (const std::uint64_t number : {kPublic, kDirect, kDelegated, kUnified})
    {
        devnet_->write("host-8009", "acl", "setDenied", {handleOf(number), true});
    }
    const std::string start = "Not allowed on host ACL: ACL check failed for ";
    const HttpReply reply = endOf(kPublic);
    EXPECT_EQ(reply.status, 400) << reply.body;
    EXPECT_EQ(labelOf(reply), "not_allowed_on_host_acl");
    EXPECT_EQ(messageOf(reply),
              start + "1 handle(s): handle=" + handleOf(kPublic) + " check=isAllowedForDecryption");
    EXPECT_THAT(messageOf(endOf(kDirect)),
                StartsWith(start + "2 handle(s): handle=" + handleOf(kDirect) +
                           " check=isAllowed(user 0x"));
    EXPECT_EQ(messageOf(endOf(kDelegated)), start + "1 handle(s): handle=" + handleOf(kDelegated) +
                                                " check=isHandleDelegatedForUserDecryption");
    EXPECT_THAT(messageOf(endOf(kUnified)),
                StartsWith(start + "1 handle(s): handle=" + handleOf(kUnified) +
                           " check=isAllowed(user 0x"));
    EXPECT_TRUE(devnet_->requestLogs().empty()) << "nothing was sent for them";
    EXPECT_EQ(endOf(kPublic + 5).status, 200);
    EXPECT_EQ(endOf(kUnified + 5).status, 200);
}

TEST_F(ReadinessFlow, AnAclThatIsOutOfOrderFailsTheRequestWithoutItsWords)
{
    devnet_->write("host-8009", "acl", "setOutOfOrder", {true});
    const HttpReply reply = endOf(kPublic);
    EXPECT_EQ(reply.status, 500) << reply.body;
    EXPECT_EQ(labelOf(reply), "host_acl_failed");
    EXPECT_THAT(messageOf(reply),
                StartsWith("Host ACL check failed: Host chain 8009 call failed: "));
    EXPECT_THAT(reply.body, Not(HasSubstr("127.0.0.1")));
    EXPECT_THAT(reply.body, Not(HasSubstr("revert")));
    devnet_->write("host-8009", "acl", "setOutOfOrder", {false});
    EXPECT_EQ(endOf(kPublic + 5).status, 200);
}

TEST_F(ReadinessFlow, ACiphertextThatComesLaterIsWaitedFor)
{
    devnet_->write("gateway", "ciphertextCommits", "setHidden", {handleOf(kUnified), true});
    ASSERT_TRUE(world_->submit(kUnified, server()));
    ASSERT_TRUE(world_->becomes("status = 'queued' AND owner IS NOT NULL", 1, server()));
    EXPECT_EQ(endOf(kPublic).status, 200) << "others do not wait for it";
    const HttpReply waiting = HttpClient(server().port()).get(world_->jobPathOf(kUnified)).value();
    EXPECT_EQ(waiting.status, 202);
    EXPECT_EQ(waiting.json()["state"].asString(), "queued");
    devnet_->write("gateway", "ciphertextCommits", "setHidden", {handleOf(kUnified), false});
    EXPECT_EQ(pollToTheEnd(server(), world_->jobPathOf(kUnified)).status, 200);
}

TEST_F(ReadinessFlow, ACiphertextThatNeverComesTimesOut)
{
    devnet_->write("gateway", "ciphertextCommits", "setHidden", {handleOf(kDirect), true});
    server("4");
    const HttpReply reply = endOf(kDirect);
    EXPECT_EQ(reply.status, 503) << reply.body;
    EXPECT_EQ(labelOf(reply), "readiness_check_timed_out");
    EXPECT_EQ(messageOf(reply), "Ciphertext not ready for decryption on the gateway chain");
}
}  // namespace
}  // namespace relayer::test
