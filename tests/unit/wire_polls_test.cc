// What a poll answers: every status and every failure of every kind (http.md sections 6.6, 6.7 and
// 9), and the documents of results, byte for byte.
#include "unit/wire_bodies.h"
#include "wire/decrypt_results.h"
#include "wire/input_proof_result.h"
#include "wire/job.h"
#include "wire/key_urls.h"

#include <gtest/gtest.h>

#include <map>

namespace relayer::wire
{
namespace
{
using core::DecryptShare;
using core::FailureCode;
using core::Kind;
using core::Status;

core::PublicDecryptResult publicResult()
{
    core::PublicDecryptResult result;
    result.decrypted = {0x00, 0x00, 0x00, 0x2A};
    result.signatures = {core::Bytes(2, 0x01), core::Bytes(2, 0xAB)};
    return result;
}

DecryptShare share(std::int32_t index, std::int64_t arrival)
{
    DecryptShare each;
    each.index = index;
    each.arrival = arrival;
    each.payload = {0x00, static_cast<std::uint8_t>(index)};
    each.signature = {0xCD};
    each.extraData = {0x00};
    return each;
}

std::vector<std::int32_t> indexesOf(const std::optional<std::vector<DecryptShare>> &shares)
{
    std::vector<std::int32_t> indexes;
    for (const DecryptShare &each : shares.value_or(std::vector<DecryptShare>{}))
    {
        indexes.push_back(each.index);
    }
    return indexes;
}

Answer poll(Kind kind, const Job &job)
{
    switch (kind)
    {
        case Kind::InputProof: return pollOfInputProof("r", job);
        case Kind::PublicDecrypt: return pollOfPublicDecrypt("r", job);
        case Kind::UserDecrypt: break;
    }
    return pollOfUserDecrypt("r", job, {{share(0, 1)}, 1});
}

struct Ended
{
    int status;
    std::string label;
};

std::string labelled(const std::string &label)
{
    return R"("error":{"label":")" + label + R"(","message":")";
}

TEST(DecryptResults, OfAPublicDecryptHaveOnlyTheirExtraDataWithAPrefix)
{
    core::PublicDecryptResult result = publicResult();
    EXPECT_EQ(publicDecryptResult(result),
              R"({"decryptedValue":"0000002a","signatures":["0101","abab"],"extraData":"0x"})");
    result.extraData = {0x01, 0x07};
    result.signatures.clear();
    result.decrypted.clear();
    EXPECT_EQ(publicDecryptResult(result),
              R"({"decryptedValue":"","signatures":[],"extraData":"0x0107"})");
}

TEST(DecryptResults, OfAUserDecryptAreAListInAMemberNamedResult)
{
    const std::vector<DecryptShare> shares = {share(1, 5), share(3, 2)};
    EXPECT_EQ(userDecryptResult(shares),
              R"({"result":[{"payload":"0001","signature":"cd","extraData":"0x00"},)"
              R"({"payload":"0003","signature":"cd","extraData":"0x00"}]})");
    EXPECT_EQ(userDecryptResult({}), R"({"result":[]})");
}

TEST(DecryptShares, TheEarliestAreChosenAndShownByTheirIndex)
{
    const std::vector<DecryptShare> arrived = {share(0, 40), share(1, 10), share(2, 30),
                                               share(3, 20)};
    EXPECT_EQ(indexesOf(core::earliestShares(arrived, 1)), (std::vector<std::int32_t>{1}));
    EXPECT_EQ(indexesOf(core::earliestShares(arrived, 2)), (std::vector<std::int32_t>{1, 3}));
    EXPECT_EQ(indexesOf(core::earliestShares(arrived, 3)), (std::vector<std::int32_t>{1, 2, 3}));
    EXPECT_EQ(indexesOf(core::earliestShares(arrived, 4)), (std::vector<std::int32_t>{0, 1, 2, 3}));
    EXPECT_EQ(core::earliestShares(arrived, 5), std::nullopt);
    EXPECT_EQ(core::earliestShares(arrived, 0), std::nullopt);
    EXPECT_EQ(core::earliestShares({}, 1), std::nullopt);
    // Of those that came together the one with the smaller index was first.
    EXPECT_EQ(indexesOf(core::earliestShares({share(7, 1), share(4, 1), share(5, 1)}, 2)),
              (std::vector<std::int32_t>{4, 5}));
}

TEST(Polls, WhatIsCompletedIsShown)
{
    const core::Bytes stored = core::encodeResult(publicResult());
    Job job;
    job.status = Status::Completed;
    job.result = stored;
    EXPECT_EQ(pollOfPublicDecrypt("r", job).status, 200);
    EXPECT_EQ(pollOfPublicDecrypt("r", job).body,
              R"({"status":"succeeded","requestId":"r","result":{"decryptedValue":"0000002a",)"
              R"("signatures":["0101","abab"],"extraData":"0x"}})");
    EXPECT_FALSE(pollOfPublicDecrypt("r", job).retryAfterSeconds);
    const Answer user = pollOfUserDecrypt("r", job, {{share(2, 1), share(1, 3), share(0, 2)}, 2});
    EXPECT_EQ(user.status, 200);
    EXPECT_EQ(user.body, R"({"status":"succeeded","requestId":"r","result":{"result":[)"
                         R"({"payload":"0000","signature":"cd","extraData":"0x00"},)"
                         R"({"payload":"0002","signature":"cd","extraData":"0x00"}]}})");
}

TEST(Polls, ACompletedOneWithoutItsResultIsAFaultOfOurs)
{
    Job job;
    job.status = Status::Completed;
    const core::Bytes cut = {1, 0, 0};
    for (const core::ByteView stored : {core::ByteView{}, core::ByteView(cut)})
    {
        job.result = stored;
        for (const Answer &answer :
             {pollOfInputProof("r", job), pollOfPublicDecrypt("r", job),
              pollOfUserDecrypt("r", job, {{share(0, 1)}, 2}), pollOfUserDecrypt("r", job, {})})
        {
            EXPECT_EQ(answer.status, 500);
            EXPECT_NE(answer.body.find(labelled("internal_server_error")), std::string::npos);
        }
    }
}

TEST(Polls, EveryLiveStatusIsQueuedAndSaysItsState)
{
    const std::map<Status, std::string> states = {{Status::Queued, "queued"},
                                                  {Status::Processing, "processing"},
                                                  {Status::TxInFlight, "tx_in_flight"},
                                                  {Status::ReceiptReceived, "receipt_received"}};
    for (const Kind kind : core::kAllKinds)
    {
        for (const auto &[status, state] : states)
        {
            Job job;
            job.status = status;
            job.etaSeconds = 7;
            job.elapsedSeconds = 3;
            // Shares and answers that are here before the end are nobody's business.
            const Answer answer = poll(kind, job);
            EXPECT_EQ(answer.status, 202);
            EXPECT_EQ(answer.retryAfterSeconds, 7);
            EXPECT_EQ(answer.body, R"({"status":"queued","requestId":"r","job_id":")" +
                                       job.id.text() + R"(","state":")" + state +
                                       R"(","eta_seconds":7,"elapsed_seconds":3})");
        }
    }
}

TEST(Polls, EveryFailureHasItsStatusAndLabel)
{
    const std::map<FailureCode, Ended> failures = {
        {FailureCode::NotAllowedOnHostAcl, {400, "not_allowed_on_host_acl"}},
        {FailureCode::HostAclFailed, {500, "host_acl_failed"}},
        {FailureCode::ReadinessFailed, {500, "internal_server_error"}},
        {FailureCode::ProtocolPaused, {503, "protocol_paused"}},
        {FailureCode::InsufficientBalance, {503, "insufficient_balance"}},
        {FailureCode::InsufficientAllowance, {503, "insufficient_allowance"}},
        {FailureCode::InvalidSignature, {400, "validation_failed"}},
        {FailureCode::TransactionFailed, {500, "internal_server_error"}},
        {FailureCode::Undecodable, {500, "internal_server_error"}},
        {FailureCode::Internal, {500, "internal_server_error"}}};
    for (const Kind kind : core::kAllKinds)
    {
        Job job;
        job.status = Status::Failure;
        for (const auto &[code, ended] : failures)
        {
            job.failure = code;
            const Answer answer = poll(kind, job);
            EXPECT_EQ(answer.status, ended.status) << core::name(code);
            EXPECT_NE(answer.body.find(labelled(ended.label)), std::string::npos) << answer.body;
            EXPECT_FALSE(answer.retryAfterSeconds) << "the failure is the answer";
            EXPECT_EQ(answer.body.find(
                          R"("details":[{"field":"signature","issue":"Signature is invalid"}])") !=
                          std::string::npos,
                      code == FailureCode::InvalidSignature);
        }
        job.failure = std::nullopt;
        EXPECT_EQ(poll(kind, job).status, 500);
    }
}

TEST(Polls, ATimeOutSaysWhetherReadinessOrTheAnswerTookTooLong)
{
    const std::string ready = "Ciphertext not ready for decryption on the gateway chain";
    const std::string answered = "Gateway chain did not respond within the expected timeframe";
    for (const Kind kind : core::kAllKinds)
    {
        Job job;
        job.status = Status::TimedOut;
        for (std::size_t i = 0; i < core::kFailureCodes; ++i)
        {
            job.failure = static_cast<FailureCode>(i);
            const bool ofReadiness =
                kind != Kind::InputProof && job.failure == FailureCode::ReadinessTimedOut;
            const Answer answer = poll(kind, job);
            EXPECT_EQ(answer.status, 503);
            EXPECT_NE(answer.body.find(labelled(ofReadiness ? "readiness_check_timed_out"
                                                            : "response_timed_out") +
                                       (ofReadiness ? ready : answered) + "\""),
                      std::string::npos)
                << core::name(*job.failure) << answer.body;
        }
        job.failure = std::nullopt;
        EXPECT_NE(poll(kind, job).body.find(labelled("response_timed_out") +
                                            "Request timed out (reason not available)\""),
                  std::string::npos);
    }
}

TEST(Polls, OnlyOfTheHostAclAreClientsToldMoreThanTheCode)
{
    Job job;
    job.status = Status::Failure;
    job.told = "Not allowed on host ACL: ACL check failed for 1 handle(s): handle=0x12 check=c";
    for (std::size_t i = 0; i < core::kFailureCodes; ++i)
    {
        job.failure = static_cast<FailureCode>(i);
        const bool told = job.failure == FailureCode::NotAllowedOnHostAcl ||
                          job.failure == FailureCode::HostAclFailed;
        EXPECT_EQ(poll(Kind::UserDecrypt, job).body.find(job.told) != std::string::npos, told)
            << core::name(*job.failure);
    }
    job.failure = FailureCode::NotAllowedOnHostAcl;
    job.told = {};
    EXPECT_NE(poll(Kind::PublicDecrypt, job).body.find(R"("message":"Not allowed on host ACL")"),
              std::string::npos);
}

TEST(Labels, WhatIsRefusedBeforeItIsKeptIsSaidInTheWordsOfTheContract)
{
    const Problem chain = unsupportedHostChain(99999);
    EXPECT_EQ(chain.label, Label::HostChainIdNotSupported);
    EXPECT_EQ(chain.message, "Host chain ID 99999 is not supported by this relayer");
    EXPECT_TRUE(chain.details.empty());
    EXPECT_EQ(failed("r", signatureRefused()).status, 400);
    EXPECT_EQ(name(signatureRefused().label), "validation_failed");
    EXPECT_EQ(signatureRefused().details,
              (std::vector<Detail>{{"signature", "Signature is invalid"}}));
}

TEST(Labels, TheRetryableOnesAreThoseOfTheReferencesDocument)
{
    std::vector<std::string_view> retryable;
    for (std::size_t i = 0; i < kLabels; ++i)
    {
        if (isRetryable(static_cast<Label>(i)))
        {
            retryable.push_back(name(static_cast<Label>(i)));
        }
    }
    EXPECT_EQ(retryable, (std::vector<std::string_view>{
                             "rate_limited", "host_acl_failed", "readiness_check_timed_out",
                             "response_timed_out", "protocol_paused", "gateway_not_reachable"}));
}

TEST(Envelope, WhoIsSentAwayIsToldWhenToComeAgain)
{
    for (const auto &[asked, told] :
         std::map<std::int64_t, std::int64_t>{{30, 30}, {0, 1}, {-4, 1}})
    {
        const Answer answer = failedUntil("r", tooManyWaiting(), asked);
        EXPECT_EQ(answer.status, 429);
        EXPECT_EQ(answer.retryAfterSeconds, told);
        EXPECT_NE(answer.body.find(R"("requestId":"r","error":{"label":"rate_limited")"),
                  std::string::npos);
        EXPECT_EQ(answer.body, failed("r", tooManyWaiting()).body);
    }
}

TEST(KeyUrls, AreOneKeyAndOneCrsWithOneUrlEach)
{
    core::Hash32 key{};
    key[31] = 0x0A;
    core::Hash32 crs{};
    crs.fill(0xFF);
    const std::string ofKey =
        materialUrl("http://storage:9000//", "PUB-p1", KeyMaterial::PublicKey, key);
    const std::string ofCrs = materialUrl("http://storage:9000", "PUB-p1", KeyMaterial::Crs, crs);
    EXPECT_EQ(ofKey, "http://storage:9000/PUB-p1/PublicKey/" + std::string(62, '0') + "0a");
    EXPECT_EQ(ofCrs, "http://storage:9000/PUB-p1/CRS/" + std::string(64, 'f'));
    EXPECT_EQ(keyUrls({key, ofKey}, {crs, ofCrs}),
              R"({"status":"succeeded","response":{"fheKeyInfo":[{"fhePublicKey":{"dataId":"0x)" +
                  std::string(62, '0') + R"(0a","urls":[")" + ofKey +
                  R"("]}}],"crs":{"2048":{"dataId":"0x)" + std::string(64, 'f') + R"(","urls":[")" +
                  ofCrs + R"("]}}}})");
}
}  // namespace
}  // namespace relayer::wire
