// The chain that the engine is tested against has to be a chain itself, and its lies have to be
// the ones that their names say.
#include "chain/gateway.h"
#include "chain/private_key_signer.h"
#include "chain/rpc/node.h"
#include "support/await.h"
#include "support/client_loop.h"
#include "support/lying_chain.h"

#include <gtest/gtest.h>

namespace relayer::test
{
namespace
{
using chain::rpc::Node;
using chain::rpc::NodeOptions;
using chain::rpc::RpcError;
using Kind = RpcError::Kind;

class RpcLyingChain : public testing::Test
{
  protected:
    RpcLyingChain()
    {
        core::Hash32 key{};
        key.fill(7);
        signer_ = chain::signerWithKey(key);
    }

    [[nodiscard]] std::shared_ptr<Node> connect(LyingChain &chain)
    {
        NodeOptions options;
        options.read = {{.name = "liar", .url = chain.node().url()}};
        options.syncTimeout = std::chrono::milliseconds(500);
        options.timeout = std::chrono::milliseconds(500);
        return connectNode(loop_.get(), options);
    }

    [[nodiscard]] core::Bytes signedRequest(const LyingChain &chain, std::uint64_t nonce,
                                            std::uint8_t content, core::Kind kind,
                                            std::uint64_t fee = 1000) const
    {
        chain::Transaction transaction;
        transaction.chainId = chain.options().chainId;
        transaction.nonce = nonce;
        transaction.gasLimit = 1'000'000;
        transaction.maxFeePerGas = fee;
        transaction.maxPriorityFeePerGas = 1;
        transaction.to = kind == core::Kind::InputProof
                             ? chain.options().contracts.inputVerification
                             : chain.options().contracts.decryption;
        transaction.data = calldataOf(kind, content);
        core::Bytes raw;
        signer_->sign(signingDigest(transaction), [&](const chain::Signer::Signed &result) {
            raw = encode(transaction, std::get<chain::Signature>(result));
        });
        return raw;
    }

    [[nodiscard]] static core::Bytes calldataOf(core::Kind kind, std::uint8_t content)
    {
        switch (kind)
        {
            case core::Kind::InputProof:
            {
                core::InputProof proof;
                proof.ciphertextWithProof = {content};
                return chain::calldata(proof);
            }
            case core::Kind::PublicDecrypt:
            {
                core::PublicDecrypt request;
                request.extraData = {content};
                return chain::calldata(request);
            }
            case core::Kind::UserDecrypt: break;
        }
        core::UnifiedUserDecrypt request;
        request.extraData = {content};
        return chain::calldata(core::UserDecrypt(request));
    }

    test::ClientLoop loop_;
    std::shared_ptr<chain::Signer> signer_;
};

constexpr core::Kind kKinds[] = {core::Kind::InputProof, core::Kind::PublicDecrypt,
                                 core::Kind::UserDecrypt};

TEST_F(RpcLyingChain, MinesRequestsOfAllKindsWithTheirIdsAndAnswersThem)
{
    LyingChain chain;
    const auto node = connect(chain);
    std::uint64_t nonce = 0;
    for (std::uint8_t round = 0; round < 2; ++round)
    {
        for (const core::Kind kind : kKinds)
        {
            const auto receipt =
                await(node->sendRawTransactionSync(signedRequest(chain, nonce++, round, kind)));
            ASSERT_TRUE(receipt);
            EXPECT_TRUE(receipt->succeeded);
            const auto id = requestIdIn(receipt->logs, kind, chain.options().contracts);
            ASSERT_TRUE(id);
            EXPECT_EQ((*id)[31], round + 1U);
            EXPECT_EQ((*id)[0], static_cast<std::uint8_t>(kind));
            EXPECT_EQ(await(node->receipts({receipt->txHash})).at(0), receipt);
        }
    }
    EXPECT_EQ(chain.requests().size(), 6U);
    EXPECT_EQ(await(node->transactionCount(signer_->address(), "latest")), 6U);
    chain.answerAll();
    chain::rpc::LogFilter everything;
    everything.toBlock = chain.head();
    const auto logs = await(node->logs(everything));
    std::map<std::size_t, int> events;
    for (const chain::Log &log : logs.logs)
    {
        if (const auto event = decodeEvent(log, chain.options().contracts))
        {
            EXPECT_FALSE(std::holds_alternative<chain::MalformedEvent>(*event));
            ++events[event->index()];
        }
    }
    EXPECT_EQ(events[chain::GatewayEvent(chain::RequestAccepted{}).index()], 10);
    EXPECT_EQ(events[chain::GatewayEvent(chain::ProofAccepted{}).index()], 2);
    EXPECT_EQ(events[chain::GatewayEvent(chain::PublicDecrypted{}).index()], 2);
    EXPECT_EQ(events[chain::GatewayEvent(chain::ShareArrived{}).index()], 6);
    EXPECT_EQ(events[chain::GatewayEvent(chain::ThresholdReached{}).index()], 2);
}

// What the caller sees of each lie: an error of this kind, or none.
std::optional<Kind> seenOf(Lie lie)
{
    switch (lie)
    {
        case Lie::TransportLoss: return Kind::Transport;
        case Lie::Silence: return Kind::Timeout;
        case Lie::Busy: return Kind::Busy;
        case Lie::NullResult:
        case Lie::AnsweredTwice: return std::nullopt;
        default: return Kind::Rpc;
    }
}

TEST_F(RpcLyingChain, LiesOnceAndTheTransactionIsThereOrNot)
{
    for (const Lie lie : allLies())
    {
        for (const When when : {When::BeforeAccepting, When::AfterAccepting})
        {
            SCOPED_TRACE(nameOf(lie) + (when == When::AfterAccepting ? " after" : " before"));
            LyingChain chain;
            const auto node = connect(chain);
            chain.lieOnSend(lie, when);
            const core::Bytes raw = signedRequest(chain, 0, 1, core::Kind::InputProof);
            std::optional<Kind> seen;
            try
            {
                const auto receipt = await(node->sendRawTransactionSync(raw));
                EXPECT_EQ(receipt.has_value(), lie == Lie::AnsweredTwice);
            }
            catch (const RpcError &error)
            {
                seen = error.kind();
            }
            EXPECT_EQ(seen, seenOf(lie));
            EXPECT_EQ(chain.liesLeft(), 0U);
            const bool accepted = when == When::AfterAccepting || lie == Lie::AnsweredTwice;
            EXPECT_EQ(chain.requests().size(), accepted ? 1U : 0U);
            EXPECT_EQ(await(node->knowsTransaction(chain::transactionHash(raw))), accepted);
            // And then it tells the truth.
            try
            {
                EXPECT_TRUE(await(node->sendRawTransactionSync(raw)));
                EXPECT_FALSE(accepted);
            }
            catch (const RpcError &error)
            {
                EXPECT_TRUE(accepted);
                EXPECT_EQ(error.message, "nonce too low");
            }
            EXPECT_EQ(chain.requests().size(), 1U);
        }
    }
}

TEST_F(RpcLyingChain, KeepsAGapInItsPoolAndReplacesOnlyForATenthMore)
{
    LyingChain::Options options;
    options.syncWait = std::chrono::milliseconds(50);
    LyingChain chain(options);
    const auto node = connect(chain);
    const core::Hash32 second = await(
        node->sendRawTransaction(signedRequest(chain, 1, 1, core::Kind::PublicDecrypt, 1000)));
    EXPECT_EQ(chain.poolSize(), 1U);
    EXPECT_TRUE(chain.requests().empty());
    EXPECT_TRUE(await(node->knowsTransaction(second)));
    EXPECT_FALSE(await(node->receipts({second})).at(0));
    EXPECT_THROW(await(node->sendRawTransactionSync(
                     signedRequest(chain, 1, 1, core::Kind::PublicDecrypt, 1050))),
                 RpcError);
    try
    {
        static_cast<void>(await(node->sendRawTransactionSync(
            signedRequest(chain, 1, 1, core::Kind::PublicDecrypt, 1100))));
        ADD_FAILURE() << "it waits for the gap to be filled";
    }
    catch (const RpcError &error)
    {
        EXPECT_EQ(error.code, 4);
        EXPECT_EQ(error.data->size(), 32U);
    }
    EXPECT_FALSE(await(node->knowsTransaction(second))) << "it was replaced";
    static_cast<void>(
        await(node->sendRawTransactionSync(signedRequest(chain, 0, 0, core::Kind::InputProof))));
    EXPECT_EQ(chain.requests().size(), 2U);
    EXPECT_EQ(chain.minedNonces(signer_->address()), (std::vector<std::uint64_t>{0, 1}));
}

TEST_F(RpcLyingChain, ReorgsForgetOrMineAgainUnderOtherIds)
{
    for (const Fate fate : {Fate::Forgotten, Fate::BackInPool, Fate::MinedAgain})
    {
        LyingChain chain;
        const auto node = connect(chain);
        std::vector<core::Hash32> hashes;
        for (std::uint8_t i = 0; i < 4; ++i)
        {
            hashes.push_back(await(node->sendRawTransactionSync(
                                       signedRequest(chain, i, i, core::Kind::InputProof)))
                                 ->txHash);
        }
        chain.mineAtOnce(false);
        chain.reorg(3, fate, 1);
        const auto receipts = await(node->receipts(hashes));
        EXPECT_TRUE(receipts[0]);
        EXPECT_EQ(receipts[1].has_value(), fate == Fate::MinedAgain);
        EXPECT_EQ(await(node->knowsTransaction(hashes[3])), fate != Fate::Forgotten);
        chain.mineBlock();
        const auto requests = chain.requests();
        ASSERT_EQ(requests.size(), fate == Fate::Forgotten ? 1U : 4U);
        if (fate != Fate::Forgotten)
        {
            EXPECT_EQ(requests[1].gatewayId[31], 3U) << "somebody else's came before";
        }
        EXPECT_EQ(await(node->transactionCount(signer_->address(), "latest")), requests.size());
    }
}

TEST_F(RpcLyingChain, ForgetsRevertsAndMinesWithoutEvents)
{
    LyingChain chain;
    const auto node = connect(chain);
    chain.mineAtOnce(false);
    const core::Hash32 hash =
        await(node->sendRawTransaction(signedRequest(chain, 0, 0, core::Kind::InputProof)));
    EXPECT_TRUE(chain.forget(hash));
    EXPECT_FALSE(await(node->knowsTransaction(hash)));
    chain.mineAtOnce(true);

    chain.revertWhenMined(
        [](const core::Bytes &) { return std::optional(core::Bytes{0xd9, 0x3c, 0x06, 0x65}); });
    const auto reverted =
        await(node->sendRawTransactionSync(signedRequest(chain, 0, 0, core::Kind::InputProof)));
    EXPECT_FALSE(reverted->succeeded);
    EXPECT_TRUE(reverted->logs.empty());
    EXPECT_THROW(await(node->call({}, "latest")), RpcError);
    chain.revertWhenMined({});

    chain.mineWithoutEvents(1);
    const auto bare =
        await(node->sendRawTransactionSync(signedRequest(chain, 1, 0, core::Kind::InputProof)));
    EXPECT_TRUE(bare->succeeded);
    EXPECT_TRUE(bare->logs.empty());
    EXPECT_TRUE(chain.requests().empty());
    EXPECT_EQ(chain.minedTransactions(), 2U);
}
}  // namespace
}  // namespace relayer::test
