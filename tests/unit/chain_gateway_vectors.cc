// Calls and events of the gateway, transactions and typed data against ethers.
#include "chain/contract_views.h"
#include "chain/eip712.h"
#include "chain/gateway.h"
#include "chain/keccak.h"
#include "chain/private_key_signer.h"
#include "chain/transaction.h"
#include "unit/chain_vectors.h"

#include <functional>
#include <map>

namespace relayer::chain
{
namespace
{
using namespace vectors;

constexpr std::size_t kCases = 2000;

std::vector<core::HandleOfContract> pairs(const Json::Value &values)
{
    return list(values, [](const Json::Value &value) {
        return core::HandleOfContract{hash(value[0]), address(value[1])};
    });
}

std::vector<core::HandleOfOwner> entries(const Json::Value &values)
{
    return list(values, [](const Json::Value &value) {
        return core::HandleOfOwner{hash(value[0]), address(value[1]), address(value[2])};
    });
}

core::Bytes proofCall(const Json::Value &args)
{
    core::InputProof proof;
    proof.contractChainId = integer(args[0]);
    proof.contractAddress = address(args[1]);
    proof.userAddress = address(args[2]);
    proof.ciphertextWithProof = bytes(args[3]);
    proof.extraData = bytes(args[4]);
    return calldata(proof);
}

core::Bytes directCall(const Json::Value &args)
{
    core::DirectUserDecrypt request;
    request.handles = pairs(args[0]);
    request.startTimestamp = integer(args[1][0]);
    request.durationDays = integer<std::uint32_t>(args[1][1]);
    request.contractsChainId = integer(args[2][0]);
    request.contracts = addresses(args[2][1]);
    request.user = address(args[3]);
    request.publicKey = bytes(args[4]);
    request.signature = bytes(args[5]);
    request.extraData = bytes(args[6]);
    return calldata(core::UserDecrypt(request));
}

core::Bytes delegatedCall(const Json::Value &args)
{
    core::DelegatedUserDecrypt request;
    request.handles = pairs(args[0]);
    request.startTimestamp = integer(args[1][0]);
    request.durationDays = integer<std::uint32_t>(args[1][1]);
    request.delegator = address(args[2][0]);
    request.delegate = address(args[2][1]);
    request.contractsChainId = integer(args[3][0]);
    request.contracts = addresses(args[3][1]);
    request.publicKey = bytes(args[4]);
    request.signature = bytes(args[5]);
    request.extraData = bytes(args[6]);
    return calldata(core::UserDecrypt(request));
}

core::Bytes unifiedCall(const Json::Value &args)
{
    core::UnifiedUserDecrypt request;
    request.handles = entries(args[0]);
    request.user = address(args[1]);
    request.publicKey = bytes(args[2]);
    request.allowedContracts = addresses(args[3]);
    request.startTimestamp = integer(args[4][0]);
    request.durationSeconds = integer(args[4][1]);
    request.signature = bytes(args[5]);
    request.extraData = bytes(args[6]);
    return calldata(core::UserDecrypt(request));
}

using Encode = std::function<core::Bytes(const Json::Value &)>;

const std::map<std::string, Encode> &encoders()
{
    static const std::map<std::string, Encode> all = {
        {"verifyProofRequest", proofCall},
        {"publicDecryptionRequest",
         [](const Json::Value &args) {
             return calldata(core::PublicDecrypt{hashes(args[0]), bytes(args[1])});
         }},
        {"direct", directCall},
        {"delegatedUserDecryptionRequest", delegatedCall},
        {"unified", unifiedCall},
        {"isPublicDecryptionReady",
         [](const Json::Value &args) {
             return isPublicDecryptionReady(hashes(args[0]), bytes(args[1]));
         }},
        {"isUserDecryptionReady",
         [](const Json::Value &args) {
             return isUserDecryptionReady(pairs(args[0]), bytes(args[1]));
         }},
        {"getUserDecryptionThresholdForContext",
         [](const Json::Value &args) { return userDecryptionThresholdFor(hash(args[0])); }},
    };
    return all;
}

TEST(VectorsOfEthers, Calls)
{
    std::map<std::string, int> seen;
    for (const Row &row : read("calls", 3, kCases))
    {
        ++seen[row[0]];
        ASSERT_TRUE(encoders().contains(row[0])) << row[0];
        ASSERT_EQ(toHexData(encoders().at(row[0])(json(row[1]))), row[2]) << row[0];
    }
    EXPECT_EQ(seen.size(), encoders().size());
}

GatewayContracts contracts()
{
    GatewayContracts contracts;
    contracts.decryption.fill(0xDE);
    contracts.inputVerification.fill(0x1F);
    return contracts;
}

Log logOf(const Row &row)
{
    Log log;
    const bool proof = row[0].find("Proof") != std::string::npos;
    log.address = proof ? contracts().inputVerification : contracts().decryption;
    for (std::size_t at = 0; at < row[2].size(); at += 67)
    {
        log.topics.push_back(hash(row[2].substr(at, 66)));
    }
    log.data = bytes(row[3]);
    return log;
}

void expectProofAccepted(const GatewayEvent &event, const Json::Value &args)
{
    const auto &accepted = std::get<ProofAccepted>(event);
    ASSERT_EQ(accepted.gatewayId, bigEndian(number(args[0])));
    ASSERT_EQ(accepted.handles, hashes(args[1]));
    ASSERT_EQ(accepted.signatures, byteStrings(args[2]));
}

void expectPublicDecrypted(const GatewayEvent &event, const Json::Value &args)
{
    const auto &decrypted = std::get<PublicDecrypted>(event);
    ASSERT_EQ(decrypted.gatewayId, bigEndian(number(args[0])));
    ASSERT_EQ(decrypted.result, bytes(args[1]));
    ASSERT_EQ(decrypted.signatures, byteStrings(args[2]));
    ASSERT_EQ(decrypted.extraData, bytes(args[3]));
}

void expectShare(const GatewayEvent &event, const Json::Value &args)
{
    const auto &share = std::get<ShareArrived>(event);
    ASSERT_EQ(share.gatewayId, bigEndian(number(args[0])));
    ASSERT_EQ(share.index, integer<std::uint32_t>(args[1]));
    ASSERT_EQ(share.share, bytes(args[2]));
    ASSERT_EQ(share.signature, bytes(args[3]));
    ASSERT_EQ(share.extraData, bytes(args[4]));
}

template <typename Expected>
void expectOnlyAnId(const GatewayEvent &event, const Json::Value &args)
{
    ASSERT_EQ(std::get<Expected>(event).gatewayId, bigEndian(number(args[0])));
}

template <core::Kind KindOfRequest>
void expectRequest(const GatewayEvent &event, const Json::Value &args)
{
    expectOnlyAnId<RequestAccepted>(event, args);
    ASSERT_EQ(std::get<RequestAccepted>(event).kind, KindOfRequest);
}

void expectMalformed(const GatewayEvent &event, const Json::Value &)
{
    ASSERT_TRUE(std::holds_alternative<MalformedEvent>(event));
}

using Expect = void (*)(const GatewayEvent &, const Json::Value &);

const std::map<std::string, Expect> &expectations()
{
    static const std::map<std::string, Expect> all = {
        {"VerifyProofResponse", expectProofAccepted},
        {"PublicDecryptionResponse", expectPublicDecrypted},
        {"UserDecryptionResponse", expectShare},
        {"RejectProofResponse", expectOnlyAnId<ProofRejected>},
        {"UserDecryptionResponseThresholdReached", expectOnlyAnId<ThresholdReached>},
        {"VerifyProofRequest", expectRequest<core::Kind::InputProof>},
        {"PublicDecryptionRequest", expectRequest<core::Kind::PublicDecrypt>},
        {"UserDecryptionRequest", expectRequest<core::Kind::UserDecrypt>},
        {"Malformed", expectMalformed},
    };
    return all;
}

TEST(VectorsOfEthers, Events)
{
    std::map<std::string, int> seen;
    for (const Row &row : read("events", 4, kCases))
    {
        ++seen[row[0]];
        ASSERT_TRUE(expectations().contains(row[0])) << row[0];
        const auto event = decodeEvent(logOf(row), contracts());
        ASSERT_TRUE(event) << row[0];
        expectations().at(row[0])(*event, json(row[1]));
        ASSERT_FALSE(testing::Test::HasFatalFailure()) << row[0] << " " << row[1];
    }
    EXPECT_EQ(seen.size(), expectations().size());
}

Transaction transactionOf(const Json::Value &fields)
{
    Transaction transaction;
    transaction.chainId = integer(fields[0]);
    transaction.nonce = integer(fields[1]);
    transaction.gasLimit = integer(fields[2]);
    transaction.maxFeePerGas = number(fields[3]);
    if (!fields[4].isNull())
    {
        transaction.maxPriorityFeePerGas = number(fields[4]);
    }
    transaction.to = address(fields[5]);
    transaction.value = number(fields[6]);
    transaction.data = bytes(fields[7]);
    return transaction;
}

// fields, key, signed bytes, hash, sender
TEST(VectorsOfEthers, Transactions)
{
    int type2 = 0;
    for (const Row &row : read("transactions", 5, 2 * kCases))
    {
        const Transaction transaction = transactionOf(json(row[0]));
        type2 += transaction.maxPriorityFeePerGas ? 1 : 0;
        const auto signer = signerWithKey(hash(row[1]));
        Signature signature;
        signer->sign(signingDigest(transaction), [&signature](const Signer::Signed &made) {
            signature = std::get<Signature>(made);
        });
        const core::Bytes raw = encode(transaction, signature);
        ASSERT_EQ(toHexData(raw), row[2]) << row[0];
        ASSERT_EQ(toHexData(transactionHash(raw)), row[3]);
        const auto back = decodeTransaction(raw);
        ASSERT_TRUE(back) << row[2];
        ASSERT_EQ(back->transaction, transaction);
        ASSERT_EQ(back->signature, signature);
        const auto sender = senderOf(*back);
        ASSERT_TRUE(sender);
        ASSERT_EQ(checksummed(*sender), row[4]);
    }
    EXPECT_EQ(type2, kCases);
}

core::Hash32 directDigest(const TypedDomain &domain, const Json::Value &args)
{
    core::DirectUserDecrypt request;
    request.publicKey = bytes(args[0]);
    request.contracts = addresses(args[1]);
    request.startTimestamp = integer(args[2]);
    request.durationDays = integer<std::uint32_t>(args[3]);
    request.extraData = bytes(args[4]);
    return typedDigest(domain, request);
}

core::Hash32 delegatedDigest(const TypedDomain &domain, const Json::Value &args)
{
    core::DelegatedUserDecrypt request;
    request.publicKey = bytes(args[0]);
    request.contracts = addresses(args[1]);
    request.delegator = address(args[2]);
    request.startTimestamp = integer(args[3]);
    request.durationDays = integer<std::uint32_t>(args[4]);
    request.extraData = bytes(args[5]);
    return typedDigest(domain, request);
}

core::Hash32 unifiedDigest(const TypedDomain &domain, const Json::Value &args)
{
    core::UnifiedUserDecrypt request;
    request.user = address(args[0]);
    request.publicKey = bytes(args[1]);
    request.allowedContracts = addresses(args[2]);
    request.startTimestamp = integer(args[3]);
    request.durationSeconds = integer(args[4]);
    request.extraData = bytes(args[5]);
    return typedDigest(domain, request);
}

core::Hash32 digestOf(const std::string &kind, const TypedDomain &domain, const Json::Value &args)
{
    if (kind == "direct")
    {
        return directDigest(domain, args);
    }
    if (kind == "delegated")
    {
        return delegatedDigest(domain, args);
    }
    if (kind == "unified")
    {
        return unifiedDigest(domain, args);
    }
    if (kind == "public")
    {
        return typedDigest(domain,
                           PublicDecryptAnswer{hashes(args[0]), bytes(args[1]), bytes(args[2])});
    }
    if (kind == "share")
    {
        return typedDigest(domain, UserDecryptShare{bytes(args[0]), hashes(args[1]), bytes(args[2]),
                                                    bytes(args[3])});
    }
    return typedDigest(domain, VerifiedInput{hashes(args[0]), address(args[1]), address(args[2]),
                                             integer(args[3]), bytes(args[4])});
}

// struct, chain id and contract of the domain, fields, digest
TEST(VectorsOfEthers, TypedData)
{
    std::map<std::string, std::size_t> seen;
    for (const Row &row : read("typedData", 5, 6 * kCases))
    {
        ++seen[row[0]];
        const auto chainId = integer(Json::Value(row[1]));
        const core::Address contract = address(Json::Value(row[2]));
        const TypedDomain domain = row[0] == "input" ? inputVerificationDomain(chainId, contract)
                                                     : decryptionDomain(chainId, contract);
        ASSERT_EQ(toHexData(digestOf(row[0], domain, json(row[3]))), row[4]) << row[0] << row[3];
    }
    ASSERT_EQ(seen.size(), 6U);
    for (const auto &[kind, count] : seen)
    {
        EXPECT_GE(count, kCases) << kind;
    }
}
}  // namespace
}  // namespace relayer::chain
