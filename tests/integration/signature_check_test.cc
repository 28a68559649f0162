// Who may ask for a decryption of version 3: what the signature says by itself, and what contracts
// say for their own.
#include "chain/address.h"
#include "chain/private_key_signer.h"
#include "chain/rpc/node.h"
#include "core/handle.h"
#include "plugins/signature_checker.h"
#include "support/await.h"
#include "support/devnet.h"
#include "support/fake_node.h"
#include "support/wallet.h"

#include <gtest/gtest.h>
#include <trantor/net/EventLoopThread.h>

#include <atomic>
#include <memory>
#include <vector>

namespace relayer::test
{
namespace
{
using plugins::ContractSigner;
using plugins::SignatureChecker;
using Verdict = SignatureChecker::Verdict;

constexpr std::uint64_t kNow = 1'700'000'100;
const std::string kYes = "\"0x1626ba7e" + std::string(56, '0') + "\"";

core::Address filledWith(std::uint8_t number)
{
    core::Address address{};
    address.fill(number);
    return address;
}
const core::Address kDecryption = filledWith(0xDC);

core::UnifiedUserDecrypt requestOf(const core::Address &user)
{
    core::UnifiedUserDecrypt request;
    request.handles = {{Devnet::handle(1), filledWith(0x11), user}};
    request.user = user;
    request.publicKey = core::Bytes(40, 9);
    request.startTimestamp = kNow - 100;
    request.durationSeconds = 600;
    request.extraData = {0};
    return request;
}

// A checker whose chain 8009 is at that URL.
class CheckerOn
{
  public:
    explicit CheckerOn(const std::string &url, ContractSigner::Options options = {},
                       const core::Address &decryption = kDecryption)
    {
        loop_.run();
        chain::rpc::NodeOptions nodes;
        nodes.read = {{"host", url}};
        nodes.timeout = std::chrono::seconds(5);
        node_ = chain::rpc::connectNode(loop_.getLoop(), std::move(nodes));
        checker_ = std::make_unique<SignatureChecker>(
            decryption,
            [this](std::uint64_t id) {
                return id == 8009
                           ? std::optional<SignatureChecker::ChainNode>({loop_.getLoop(), node_})
                           : std::nullopt;
            },
            std::move(options));
    }
    ~CheckerOn()
    {
        EXPECT_TRUE(checker_->close(std::chrono::seconds(10)));
        std::promise<void> gone;
        loop_.getLoop()->queueInLoop([this, &gone] {
            node_.reset();
            gone.set_value();
        });
        gone.get_future().wait();
    }
    CheckerOn(const CheckerOn &) = delete;
    CheckerOn &operator=(const CheckerOn &) = delete;

    Verdict check(const core::UserDecrypt &request)
    {
        return await(checker_->check(request, kNow));
    }
    SignatureChecker &operator*() { return *checker_; }

  private:
    trantor::EventLoopThread loop_;
    std::shared_ptr<chain::rpc::Node> node_;
    std::unique_ptr<SignatureChecker> checker_;
};

ContractSigner::Options impatient()
{
    ContractSigner::Options options;
    options.interval = std::chrono::milliseconds(1);
    return options;
}
}  // namespace

TEST(SignatureCheck, TheSignatureOfAPlainAccountIsSeenWithoutACall)
{
    FakeNode node;
    CheckerOn checker(node.url());
    const Wallet user(1);
    EXPECT_EQ(checker.check(user.signedFor(requestOf(user.address()), kDecryption)),
              Verdict::Proven);
    EXPECT_EQ(node.calls("eth_call"), 0U);
    EXPECT_EQ((*checker).counts().accepted, 1U);
}

TEST(SignatureCheck, TheOlderSortsAreNeverRefusedAndNeverAskedFor)
{
    FakeNode node;
    CheckerOn checker(node.url());
    const Wallet user(1);
    core::DirectUserDecrypt request;
    request.handles = {{Devnet::handle(1), filledWith(0x11)}};
    request.startTimestamp = kNow - 100;
    request.durationDays = 1;
    request.contractsChainId = 8009;
    request.user = user.address();
    request.signature = core::Bytes(65, 3);
    EXPECT_EQ(checker.check(request), Verdict::Unproven);
    EXPECT_EQ(checker.check(user.signedFor(request, kDecryption)), Verdict::Proven);
    request.startTimestamp = kNow - 86'401;
    EXPECT_EQ(checker.check(user.signedFor(request, kDecryption)), Verdict::Unproven)
        << "its time is over";
    EXPECT_EQ(node.calls("eth_call"), 0U);
    EXPECT_EQ((*checker).counts().accepted, 0U) << "only the unified sort counts";
}

TEST(SignatureCheck, HandlesOfTwoChainsAreRefusedWhateverIsSigned)
{
    FakeNode node;
    CheckerOn checker(node.url());
    const Wallet user(1);
    core::UnifiedUserDecrypt request = requestOf(user.address());
    request.handles.push_back({Devnet::handle(2, 9001), filledWith(0x11), user.address()});
    EXPECT_EQ(checker.check(user.signedFor(request, kDecryption)), Verdict::Refused);
    EXPECT_EQ(node.calls("eth_call"), 0U);
    EXPECT_EQ((*checker).counts().rejected, 1U);
}

TEST(SignatureCheck, TheAccountIsAskedAtPendingWithTheGasOfTheConfiguration)
{
    FakeNode node;
    node.answer("eth_call", kYes);
    ContractSigner::Options options;
    options.gasLimit = 123'456;
    CheckerOn checker(node.url(), options);
    core::UnifiedUserDecrypt request = requestOf(filledWith(0x77));
    request.signature = {1, 2, 3};
    EXPECT_EQ(checker.check(request), Verdict::Proven);
    const auto calls = node.params("eth_call");
    ASSERT_EQ(calls.size(), 1U);
    EXPECT_EQ(calls[0][1], "pending");
    EXPECT_EQ(calls[0][0]["to"], "0x" + core::toHex(filledWith(0x77)));
    EXPECT_EQ(calls[0][0]["gas"], "0x1e240");
    EXPECT_TRUE(calls[0][0]["input"].asString().starts_with("0x1626ba7e"));
    EXPECT_TRUE(calls[0][0]["input"].asString().ends_with("010203" + std::string(58, '0')));
}

TEST(SignatureCheck, WhatAnAnswerMeansStandsInTheTable)
{
    struct Answered
    {
        std::string what;
        FakeNode::Reply reply;
        Verdict verdict;
        std::size_t calls;
    };
    const std::string reverted = "execution reverted";
    const std::vector<Answered> table = {
        {"yes", FakeNode::result(kYes), Verdict::Proven, 1},
        {"yes and more", FakeNode::result("\"0x1626ba7e" + std::string(120, 'f') + "\""),
         Verdict::Proven, 1},
        {"no code", FakeNode::result("\"0x\""), Verdict::Refused, 1},
        {"the magic alone", FakeNode::result("\"0x1626ba7e\""), Verdict::Refused, 1},
        {"31 bytes", FakeNode::result("\"0x1626ba7e" + std::string(54, '0') + "\""),
         Verdict::Refused, 1},
        {"another magic", FakeNode::result("\"0xffffffff" + std::string(56, '0') + "\""),
         Verdict::Refused, 1},
        {"a revert with data", FakeNode::error(3, reverted, "\"0x08c379a0\""), Verdict::Refused, 1},
        {"a revert with empty data", FakeNode::error(3, reverted, "\"0x\""), Verdict::Refused, 1},
        {"data further in", FakeNode::error(-32000, reverted, R"({"data":"0xdeadbeef"})"),
         Verdict::Refused, 1},
        {"a revert without data", FakeNode::error(-32000, reverted), Verdict::Unknown, 3},
        {"data without a revert", FakeNode::error(-32000, "out of gas", "\"0x\""), Verdict::Unknown,
         3},
        {"out of gas", FakeNode::error(-32603, "EVM error OutOfGas"), Verdict::Unknown, 3},
        {"nonsense", FakeNode::result("17"), Verdict::Unknown, 3},
    };
    for (const Answered &each : table)
    {
        SCOPED_TRACE(each.what);
        FakeNode node;
        node.on("eth_call", [&each](const Json::Value &) { return each.reply; });
        CheckerOn checker(node.url(), impatient());
        EXPECT_EQ(checker.check(requestOf(filledWith(0x77))), each.verdict);
        EXPECT_EQ(node.calls("eth_call"), each.calls);
    }
}

TEST(SignatureCheck, AnErrorThatPassesIsNotTheEnd)
{
    FakeNode node;
    std::atomic<int> call{0};
    node.on("eth_call", [&call](const Json::Value &) {
        return ++call < 3 ? FakeNode::error(-32000, "busy") : FakeNode::result(kYes);
    });
    CheckerOn checker(node.url(), impatient());
    EXPECT_EQ(checker.check(requestOf(filledWith(0x77))), Verdict::Proven);
    EXPECT_EQ(node.calls("eth_call"), 3U);
}

TEST(SignatureCheck, ANodeThatIsAwayIsAskedAsOftenAsConfiguredAndNothingIsKnownThen)
{
    std::string nobody;
    {
        FakeNode gone;
        nobody = gone.url();
    }
    CheckerOn checker(nobody, impatient());
    EXPECT_EQ(checker.check(requestOf(filledWith(0x77))), Verdict::Unknown);
    EXPECT_EQ((*checker).counts().hostCallFailed, 1U);
    core::UnifiedUserDecrypt elsewhere = requestOf(filledWith(0x77));
    elsewhere.handles.front().handle = Devnet::handle(1, 9001);
    EXPECT_EQ(checker.check(elsewhere), Verdict::Unknown) << "a chain that is not served";
}

TEST(SignatureCheck, AfterItsTimeNothingIsAskedAgain)
{
    FakeNode node;
    node.on("eth_call", [](const Json::Value &) { return FakeNode::error(-32000, "busy"); });
    ContractSigner::Options options;
    options.maxAttempts = 1000;
    options.interval = std::chrono::milliseconds(1);
    options.timeout = std::chrono::seconds(10);
    // Each look at the clock is a second.
    const auto seconds = std::make_shared<std::atomic<int>>(0);
    options.now = [seconds] {
        return ContractSigner::Clock::time_point(std::chrono::seconds((*seconds)++));
    };
    CheckerOn checker(node.url(), options);
    EXPECT_EQ(checker.check(requestOf(filledWith(0x77))), Verdict::Unknown);
    EXPECT_EQ(node.calls("eth_call"), 10U);
}

TEST(SignatureCheck, OnlySoManyQuestionsAreOnTheirWayAtOnce)
{
    FakeNode node;
    std::promise<void> answerNow;
    const std::shared_future<void> answered = answerNow.get_future().share();
    node.on("eth_call", [answered](const Json::Value &) {
        answered.wait();
        return FakeNode::result(kYes);
    });
    ContractSigner::Options options;
    options.maxConcurrent = 2;
    CheckerOn checker(node.url(), options);
    auto first = start((*checker).check(requestOf(filledWith(0x71)), kNow));
    auto second = start((*checker).check(requestOf(filledWith(0x72)), kNow));
    ASSERT_TRUE(node.waitForCalls("eth_call", 2));
    EXPECT_EQ(checker.check(requestOf(filledWith(0x73))), Verdict::Busy);
    answerNow.set_value();
    EXPECT_EQ(first.get(), Verdict::Proven);
    EXPECT_EQ(second.get(), Verdict::Proven);
    EXPECT_EQ(checker.check(requestOf(filledWith(0x74))), Verdict::Proven) << "there is room again";
    EXPECT_EQ((*checker).counts().turnedAway, 1U);
}

TEST(SignatureCheckOnAnvil, AContractSaysForItselfWhatItHasSigned)
{
    if (const std::string why = Devnet::whyMissing(); !why.empty())
    {
        GTEST_SKIP() << why;
    }
    const Devnet devnet;
    const auto &host = devnet.chain("host-8009");
    const auto account = chain::parseAddress(host.contracts.at("smartAccount")).value();
    const auto decryption =
        chain::parseAddress(devnet.gateway().contracts.at("decryption")).value();
    CheckerOn checker(host.http, impatient(), decryption);
    // Its key is the first user's.
    const Wallet owner(
        chain::parsePrivateKey(devnet.description()["users"][0]["privateKey"].asString()).value());
    const Wallet stranger(2);
    const auto bySomebody = [&](const Wallet &wallet) {
        return checker.check(wallet.signedFor(requestOf(account), decryption));
    };
    EXPECT_EQ(bySomebody(owner), Verdict::Proven);
    EXPECT_EQ(bySomebody(stranger), Verdict::Refused);
    EXPECT_EQ(checker.check(requestOf(account)), Verdict::Refused) << "no signature";
    EXPECT_EQ(checker.check(stranger.signedFor(requestOf(owner.address()), decryption)),
              Verdict::Refused)
        << "an account without code, signed by somebody else";
    const std::vector<std::pair<int, Verdict>> moods = {{1, Verdict::Refused},   // reverts
                                                        {2, Verdict::Refused},   // wrong magic
                                                        {3, Verdict::Refused},   // short answer
                                                        {4, Verdict::Unknown}};  // burns all gas
    for (const auto &[mood, verdict] : moods)
    {
        devnet.write("host-8009", "smartAccount", "setMood", {mood});
        EXPECT_EQ(bySomebody(owner), verdict) << mood;
    }
    devnet.write("host-8009", "smartAccount", "setMood", {0});
    EXPECT_EQ(bySomebody(owner), Verdict::Proven);
}
}  // namespace relayer::test
