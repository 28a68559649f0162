// Our codecs against contracts: what we encode and sign is understood there, and what is said there
// we read; also the signatures of both sides.

#include "chain/address.h"
#include "chain/ecdsa.h"
#include "chain/eip712.h"
#include "chain/gateway.h"
#include "chain/hex.h"
#include "chain/private_key_signer.h"
#include "chain/rpc/json_answers.h"
#include "chain/transaction.h"
#include "support/devnet.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace relayer::test
{
namespace
{
using chain::GatewayEvent;
using core::Bytes;
using core::Hash32;
using core::Kind;

constexpr std::uint64_t kGatewayChain = 654321;
constexpr std::uint64_t kHostChain = 8009;
constexpr std::chrono::seconds kPatience{30};
// What KMS nodes put in place of 0x00, since that is what clients verify.
const Bytes kSignedExtraData;

Bytes joined(const chain::Signature &signature)
{
    Bytes bytes(65);
    std::copy(signature.r.begin(), signature.r.end(), bytes.begin());
    std::copy(signature.s.begin(), signature.s.end(), bytes.begin() + 32);
    bytes.back() = static_cast<std::uint8_t>(27 + signature.recoveryId);
    return bytes;
}

chain::Signature signedBy(const std::string &key, const Hash32 &digest)
{
    chain::Signature signature;
    const auto signer = chain::signerWithKey(chain::parsePrivateKey(key).value());
    signer->sign(digest, [&signature](const chain::Signer::Signed &made) {
        signature = std::get<chain::Signature>(made);
    });
    return signature;
}

core::Address addressAt(const Json::Value &text)
{
    return chain::parseCheckedAddress(text.asString()).value();
}

class DevnetCodecs : public testing::Test
{
  protected:
    void SetUp() override
    {
        if (const std::string why = Devnet::whyMissing(); !why.empty())
        {
            GTEST_SKIP() << why;
        }
        devnet_ = std::make_unique<Devnet>();
        const auto &deployed = devnet_->gateway().contracts;
        contracts_ = {addressAt(deployed.at("decryption")),
                      addressAt(deployed.at("inputVerification"))};
        user_ = devnet_->description()["users"][0];
    }

    // The receipt of this call, sent by the first relayer.
    chain::Receipt send(const core::Address &to, const Bytes &data) const
    {
        chain::Transaction transaction;
        transaction.chainId = kGatewayChain;
        transaction.nonce = devnet_->transactionsOf(devnet_->relayerAddress());
        transaction.gasLimit = 3000000;
        transaction.maxFeePerGas = 10'000'000'000;
        transaction.maxPriorityFeePerGas = 1;
        transaction.to = to;
        transaction.data = data;
        const auto signature = signedBy(devnet_->relayerKey(), chain::signingDigest(transaction));
        const Bytes raw = chain::encode(transaction, signature);
        const auto answer = devnet_->call("eth_sendRawTransactionSync", {chain::toHexData(raw)});
        const auto decoded = chain::rpc::decodeReceipt(answer);
        EXPECT_TRUE(decoded && decoded->receipt.succeeded);
        EXPECT_EQ(decoded->receipt.txHash, chain::transactionHash(raw));
        return decoded->receipt;
    }

    // Events about this request that are no requests, as soon as there are so many.
    std::vector<GatewayEvent> answers(const Hash32 &id, std::size_t count) const
    {
        Json::Value filter;
        filter["fromBlock"] = "0x0";
        filter["topics"].append(Json::Value());
        filter["topics"].append(chain::toHexData(id));
        std::vector<GatewayEvent> found;
        const auto deadline = std::chrono::steady_clock::now() + kPatience;
        while (found.size() < count && std::chrono::steady_clock::now() < deadline)
        {
            found.clear();
            for (const Json::Value &json : devnet_->call("eth_getLogs", {filter}))
            {
                const auto log = chain::rpc::decodeLog(json);
                const auto event = log ? chain::decodeEvent(*log, contracts_) : std::nullopt;
                if (event && !std::holds_alternative<chain::RequestAccepted>(*event))
                {
                    found.push_back(*event);
                }
            }
        }
        return found;
    }

    std::string userKey() const { return user_["privateKey"].asString(); }

    core::DirectUserDecrypt directRequest() const
    {
        const core::Address contract{0x11};
        core::DirectUserDecrypt request;
        request.handles = {{Devnet::handle(1), contract}, {Devnet::handle(2), contract}};
        const Json::Value block = devnet_->call("eth_getBlockByNumber", {"latest", false});
        request.startTimestamp = std::stoull(block["timestamp"].asString(), nullptr, 16) - 60;
        request.durationDays = 7;
        request.contractsChainId = kHostChain;
        request.contracts = {contract};
        request.user = addressAt(user_["address"]);
        request.publicKey = Bytes(800, 0xab);
        request.extraData = {0};
        request.signature = joined(signedBy(
            userKey(), chain::typedDigest(
                           chain::decryptionDomain(kHostChain, contracts_.decryption), request)));
        return request;
    }

    // Who has signed this for the gateway.
    template <typename Struct>
    static std::string signerOf(const chain::TypedDomain &domain, const Struct &said,
                                const Bytes &signature)
    {
        chain::Signature parts;
        std::copy_n(signature.begin(), 32, parts.r.begin());
        std::copy_n(signature.begin() + 32, 32, parts.s.begin());
        parts.recoveryId = static_cast<std::uint8_t>(signature.back() - 27);
        return chain::checksummed(
            chain::recoverAddress(chain::typedDigest(domain, said), parts).value());
    }

    std::unique_ptr<Devnet> devnet_;
    chain::GatewayContracts contracts_;
    Json::Value user_;
};
}  // namespace

TEST_F(DevnetCodecs, AnInputProofIsVerified)
{
    core::InputProof proof{kHostChain, {0x11}, addressAt(user_["address"]), Bytes(64, 7), {0}};
    const auto receipt = send(contracts_.inputVerification, chain::calldata(proof));
    const auto id = chain::requestIdIn(receipt.logs, Kind::InputProof, contracts_);
    ASSERT_TRUE(id);
    const auto events = answers(*id, 1);
    ASSERT_EQ(events.size(), 1U);
    const auto &accepted = std::get<chain::ProofAccepted>(events[0]);
    ASSERT_EQ(accepted.handles.size(), 2U);
    ASSERT_EQ(accepted.signatures.size(), 2U) << "the coprocessors' threshold";
    const chain::VerifiedInput said{
        accepted.handles, proof.userAddress, proof.contractAddress, kHostChain, {0}};
    EXPECT_EQ(signerOf(chain::inputVerificationDomain(kGatewayChain, contracts_.inputVerification),
                       said, accepted.signatures[0]),
              devnet_->description()["coprocessors"][0]["signer"].asString());
}

TEST_F(DevnetCodecs, ABadInputProofIsRejected)
{
    devnet_->turn({{"rejectAll", true}});
    core::InputProof proof{kHostChain, {0x11}, addressAt(user_["address"]), {1, 2, 3}, {0}};
    const auto receipt = send(contracts_.inputVerification, chain::calldata(proof));
    const auto id = chain::requestIdIn(receipt.logs, Kind::InputProof, contracts_);
    ASSERT_TRUE(id);
    const auto events = answers(*id, 1);
    ASSERT_EQ(events.size(), 1U);
    EXPECT_EQ(std::get<chain::ProofRejected>(events[0]).gatewayId, *id);
}

TEST_F(DevnetCodecs, APublicDecryptionIsAnswered)
{
    const core::PublicDecrypt request{{Devnet::handle(1), Devnet::handle(2)}, {0}};
    const auto receipt = send(contracts_.decryption, chain::calldata(request));
    const auto id = chain::requestIdIn(receipt.logs, Kind::PublicDecrypt, contracts_);
    ASSERT_TRUE(id);
    EXPECT_EQ(id->front(), 1);
    const auto events = answers(*id, 1);
    ASSERT_EQ(events.size(), 1U);
    const auto &answer = std::get<chain::PublicDecrypted>(events[0]);
    EXPECT_EQ(answer.result.size(), 64U);
    EXPECT_EQ(answer.extraData, request.extraData);
    ASSERT_EQ(answer.signatures.size(), 3U) << "the KMS nodes' threshold";
    EXPECT_EQ(signerOf(chain::decryptionDomain(kGatewayChain, contracts_.decryption),
                       chain::PublicDecryptAnswer{request.handles, answer.result, kSignedExtraData},
                       answer.signatures[0]),
              devnet_->description()["kmsNodes"][0]["signer"].asString());
}

TEST_F(DevnetCodecs, AUserDecryptionThatTheUserSignedGetsItsShares)
{
    const core::DirectUserDecrypt request = directRequest();
    const auto receipt = send(contracts_.decryption, chain::calldata(core::UserDecrypt(request)));
    const auto id = chain::requestIdIn(receipt.logs, Kind::UserDecrypt, contracts_);
    ASSERT_TRUE(id);
    EXPECT_EQ(id->front(), 2);
    const auto events = answers(*id, 5);
    ASSERT_EQ(events.size(), 5U)
        << "a share of each of four nodes, and the third reached the threshold";
    const auto &share = std::get<chain::ShareArrived>(events[0]);
    EXPECT_EQ(share.index, 0U);
    EXPECT_TRUE(std::holds_alternative<chain::ThresholdReached>(events[3]));
    const std::vector<Hash32> handles = {Devnet::handle(1), Devnet::handle(2)};
    EXPECT_EQ(
        signerOf(chain::decryptionDomain(kGatewayChain, contracts_.decryption),
                 chain::UserDecryptShare{request.publicKey, handles, share.share, kSignedExtraData},
                 share.signature),
        devnet_->description()["kmsNodes"][0]["signer"].asString());
}

TEST_F(DevnetCodecs, AUserDecryptionThatAnotherSignedIsRefusedWithItsReason)
{
    core::DirectUserDecrypt request = directRequest();
    request.durationDays = 8;
    Json::Value call;
    call["from"] = devnet_->relayerAddress();
    call["to"] = devnet_->gateway().contracts.at("decryption");
    call["input"] = chain::toHexData(chain::calldata(core::UserDecrypt(request)));
    try
    {
        static_cast<void>(devnet_->call("eth_call", {call, "latest"}));
        FAIL() << "it was taken";
    }
    catch (const std::runtime_error &error)
    {
        EXPECT_NE(std::string(error.what()).find("0x2a873d27"), std::string::npos) << error.what();
    }
}
}  // namespace relayer::test
