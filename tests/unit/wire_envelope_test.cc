// The bodies of answers, byte for byte.
#include "wire/envelope.h"
#include "wire/input_proof_result.h"
#include "wire/job.h"
#include "wire/json_writer.h"
#include "wire/request_id.h"
#include "wire/service.h"
#include "wire/strict_json.h"

#include <gtest/gtest.h>

#include <random>

namespace relayer::wire
{
namespace
{
using core::FailureCode;
using core::Status;

const std::string kJob = "0f1e2d3c-4b5a-4978-8f6e-5d4c3b2a1908";

core::JobId job()
{
    return core::JobId::parse(kJob).value();
}

InputProofResult sampleResult()
{
    InputProofResult result;
    result.handles.resize(2);
    result.handles[0].fill(0xAB);
    result.handles[1].fill(0x01);
    result.signatures = {core::Bytes(65, 0xCD), core::Bytes{}};
    return result;
}

TEST(Envelope, Post202HasTheMembersOfTheReferenceFirstAndOursBehindThem)
{
    const Answer answer = accepted("r-1", job(), 12);
    EXPECT_EQ(answer.status, 202);
    EXPECT_EQ(answer.retryAfterSeconds, 12);
    EXPECT_EQ(answer.body, R"({"status":"queued","requestId":"r-1","result":{"jobId":")" + kJob +
                               R"("},"job_id":")" + kJob + R"(","eta_seconds":12})");
}

TEST(Envelope, Get202HasNoResult)
{
    const Answer answer = stillQueued("r-1", {job(), Status::TxInFlight, 10, 15});
    EXPECT_EQ(answer.status, 202);
    EXPECT_EQ(answer.retryAfterSeconds, 10);
    EXPECT_EQ(answer.body,
              R"({"status":"queued","requestId":"r-1","job_id":")" + kJob +
                  R"(","state":"tx_in_flight","eta_seconds":10,"elapsed_seconds":15})");
}

TEST(Envelope, RetryAfterIsAtLeastOneAndElapsedNeverNegative)
{
    EXPECT_EQ(accepted("r", job(), 0).retryAfterSeconds, 1);
    EXPECT_EQ(accepted("r", job(), -5).retryAfterSeconds, 1);
    const Answer answer = stillQueued("r", {job(), Status::Queued, 0, -3});
    EXPECT_EQ(answer.retryAfterSeconds, 1);
    EXPECT_NE(answer.body.find(R"("eta_seconds":1,"elapsed_seconds":0})"), std::string::npos);
}

TEST(Envelope, DetailsStandExactlyWithTheTwoLabelsThatHaveThem)
{
    for (std::size_t i = 0; i < kLabels; ++i)
    {
        const auto label = static_cast<Label>(i);
        const Answer answer = failed("r-1", {label, "text", {{"f", "i"}}});
        const std::string details =
            hasDetails(label) ? R"(,"details":[{"field":"f","issue":"i"}])" : "";
        EXPECT_EQ(answer.body, R"({"status":"failed","requestId":"r-1","error":{"label":")" +
                                   std::string(name(label)) + R"(","message":"text")" + details +
                                   "}}");
        EXPECT_EQ(answer.status, httpStatus(label));
        EXPECT_FALSE(answer.retryAfterSeconds);
        EXPECT_EQ(hasDetails(label),
                  label == Label::MissingFields || label == Label::ValidationFailed);
    }
}

TEST(Labels, EachHasTheNameAndTheStatusOfTheContract)
{
    const std::vector<std::pair<std::string, int>> expected = {{"malformed_json", 400},
                                                               {"missing_fields", 400},
                                                               {"validation_failed", 400},
                                                               {"request_error", 400},
                                                               {"host_chain_id_not_supported", 400},
                                                               {"not_allowed_on_host_acl", 400},
                                                               {"not_found", 404},
                                                               {"rate_limited", 429},
                                                               {"internal_server_error", 500},
                                                               {"host_acl_failed", 500},
                                                               {"readiness_check_timed_out", 503},
                                                               {"response_timed_out", 503},
                                                               {"protocol_paused", 503},
                                                               {"insufficient_balance", 503},
                                                               {"insufficient_allowance", 503},
                                                               {"gateway_not_reachable", 503},
                                                               {"idempotency_key_reused", 422}};
    ASSERT_EQ(expected.size(), kLabels);
    for (std::size_t i = 0; i < kLabels; ++i)
    {
        EXPECT_EQ(name(static_cast<Label>(i)), expected[i].first);
        EXPECT_EQ(httpStatus(static_cast<Label>(i)), expected[i].second);
    }
}

TEST(Labels, EveryFailureCodeHasItsLabelAndAMessage)
{
    const std::vector<std::pair<FailureCode, Label>> expected = {
        {FailureCode::ReadinessTimedOut, Label::ReadinessCheckTimedOut},
        {FailureCode::ResponseTimedOut, Label::ResponseTimedOut},
        {FailureCode::NotAllowedOnHostAcl, Label::NotAllowedOnHostAcl},
        {FailureCode::HostAclFailed, Label::HostAclFailed},
        {FailureCode::ReadinessFailed, Label::InternalServerError},
        {FailureCode::ProtocolPaused, Label::ProtocolPaused},
        {FailureCode::InsufficientBalance, Label::InsufficientBalance},
        {FailureCode::InsufficientAllowance, Label::InsufficientAllowance},
        {FailureCode::InvalidSignature, Label::ValidationFailed},
        {FailureCode::TransactionFailed, Label::InternalServerError},
        {FailureCode::ProofRejected, Label::InternalServerError},
        {FailureCode::Undecodable, Label::InternalServerError},
        {FailureCode::Internal, Label::InternalServerError},
        {FailureCode::StoppedByOperator, Label::InternalServerError}};
    ASSERT_EQ(expected.size(), core::kFailureCodes);
    for (const auto &[code, label] : expected)
    {
        const Problem problem = problemOf(code);
        EXPECT_EQ(problem.label, label) << core::name(code);
        EXPECT_FALSE(problem.message.empty());
        EXPECT_EQ(problem.details.empty(), !hasDetails(label));
    }
    EXPECT_EQ(problemOf(FailureCode::ResponseTimedOut).message,
              "Gateway chain did not respond within the expected timeframe");
    EXPECT_EQ(problemOf(FailureCode::InvalidSignature).details,
              (std::vector<Detail>{{"signature", "Signature is invalid"}}));
}

TEST(InputProofResult, ItComesBackAsItWasAndNoPrefixIsTaken)
{
    EXPECT_EQ(decodeInputProofResult(encodeResult({})), InputProofResult{});
    const core::Bytes bytes = encodeResult(sampleResult());
    EXPECT_EQ(decodeInputProofResult(bytes), sampleResult());
    for (std::size_t length = 0; length < bytes.size(); ++length)
    {
        EXPECT_FALSE(decodeInputProofResult(core::ByteView(bytes).first(length))) << length;
    }
    core::Bytes longer = bytes;
    longer.push_back(0);
    EXPECT_FALSE(decodeInputProofResult(longer));
}

TEST(InputProofResult, ACountThatTheBytesCanNotHoldIsRefused)
{
    EXPECT_FALSE(decodeInputProofResult(core::fromHex("01ffffffff").value()));
    EXPECT_FALSE(decodeInputProofResult(core::fromHex("0100000000ffffffff").value()));
    EXPECT_FALSE(decodeInputProofResult(core::fromHex("010000000000000001ffffffff").value()));
    EXPECT_FALSE(decodeInputProofResult(core::fromHex("020000000000000000").value()));
}

TEST(InputProofResult, AnyBytesGiveAValueOrNothing)
{
    std::mt19937 random(99);
    const core::Bytes original = encodeResult(sampleResult());
    for (int round = 0; round < 10000; ++round)
    {
        core::Bytes bytes = original;
        for (unsigned i = 0; i < 1 + random() % 4; ++i)
        {
            bytes[random() % bytes.size()] = static_cast<std::uint8_t>(random());
        }
        if (const auto result = decodeInputProofResult(bytes))
        {
            ASSERT_EQ(encodeResult(*result), bytes);
        }
    }
}

TEST(InputProofResult, ItIsShownWithPrefixesAndAlwaysTheSameExtraData)
{
    InputProofResult result;
    result.handles.resize(1);
    result.handles[0].fill(0xAB);
    result.signatures = {core::Bytes{0xBE, 0xEF}};
    EXPECT_EQ(
        acceptedProof(result), R"({"accepted":true,"extraData":"0x00","handles":["0x)" +
                                   std::string("ab") +
                                   [] {
                                       std::string rest;
                                       for (int i = 1; i < 32; ++i)
                                       {
                                           rest += "ab";
                                       }
                                       return rest;
                                   }() +
                                   R"("],"signatures":["0xbeef"]})");
    EXPECT_EQ(rejectedProof(), R"({"accepted":false,"extraData":"0x00"})");
}

TEST(InputProofResult, WithoutHandlesOrSignaturesItIsShownAsNotAccepted)
{
    InputProofResult result = sampleResult();
    result.handles.clear();
    EXPECT_EQ(acceptedProof(result), rejectedProof());
    result = sampleResult();
    result.signatures.clear();
    EXPECT_EQ(acceptedProof(result), rejectedProof());
}

TEST(Poll, EveryStatusOfAnInputProofHasItsAnswer)
{
    const core::Bytes result = encodeResult(sampleResult());
    Job shown;
    shown.id = job();
    for (const Status status :
         {Status::Queued, Status::Processing, Status::TxInFlight, Status::ReceiptReceived})
    {
        shown.status = status;
        EXPECT_EQ(pollOfInputProof("r", shown).status, 202) << core::name(status);
    }
    shown.status = Status::Completed;
    EXPECT_EQ(pollOfInputProof("r", shown).status, 500) << "a result that can not be read";
    shown.result = result;
    EXPECT_EQ(
        pollOfInputProof("r", shown).body,
        R"({"status":"succeeded","requestId":"r","result":)" + acceptedProof(sampleResult()) + "}");
    shown.status = Status::TimedOut;
    shown.failure = FailureCode::ReadinessTimedOut;
    EXPECT_NE(pollOfInputProof("r", shown).body.find("response_timed_out"), std::string::npos);
    shown.status = Status::Failure;
    shown.failure = std::nullopt;
    EXPECT_EQ(pollOfInputProof("r", shown).status, 500);
    shown.failure = FailureCode::ProtocolPaused;
    EXPECT_EQ(pollOfInputProof("r", shown).status, 503);
}

TEST(Poll, ARejectedProofHasSucceeded)
{
    const std::string expected =
        R"({"status":"succeeded","requestId":"r","result":{"accepted":false,"extraData":"0x00"}})";
    Job shown;
    shown.status = Status::Failure;
    shown.accepted = false;
    EXPECT_EQ(pollOfInputProof("r", shown).body, expected);
    EXPECT_EQ(pollOfInputProof("r", shown).status, 200);
    shown.accepted = std::nullopt;
    shown.failure = FailureCode::ProofRejected;
    EXPECT_EQ(pollOfInputProof("r", shown).body, expected);
}

TEST(JsonWriter, WhatItWritesIsJsonWhateverTheTexts)
{
    std::string text;
    for (int c = 0; c < 128; ++c)
    {
        text.push_back(static_cast<char>(c));
    }
    JsonWriter json;
    json.beginObject().key(text).text(text).key("l").beginList().beginList().endList().number(-7);
    json.boolean(false).json("null").endList().key("o").beginObject().endObject().endObject();
    const std::string written = std::move(json).take();
    const auto root = readJson(written).root;
    ASSERT_TRUE(root) << written;
    EXPECT_EQ(root->members()[0].name, text);
    EXPECT_EQ(root->members()[0].value.text(), text);
    EXPECT_NE(written.find(R"("l":[[],-7,false,null],"o":{}})"), std::string::npos) << written;
}

TEST(RequestId, OnlyHarmlessTokensAreSane)
{
    for (const std::string &sane :
         {std::string("a"), std::string("A-z_0.9:x"), std::string(128, 'a')})
    {
        EXPECT_TRUE(isSaneRequestId(sane)) << sane;
    }
    EXPECT_FALSE(isSaneRequestId(""));
    EXPECT_FALSE(isSaneRequestId(std::string(129, 'a')));
    int sane = 0;
    for (int c = -128; c < 128; ++c)
    {
        sane += isSaneRequestId(std::string("a") + static_cast<char>(c)) ? 1 : 0;
    }
    EXPECT_EQ(sane, 26 + 26 + 10 + 4);
}

TEST(Service, HealthNamesEveryDependency)
{
    EXPECT_EQ(liveness(), R"({"status":"alive"})");
    EXPECT_EQ(health({{"database", true}}),
              R"({"status":"healthy","dependencies":{"database":"ok"}})");
    EXPECT_EQ(health({{"database", true}, {"gateway_http", false}}),
              R"({"status":"unhealthy","dependencies":{"database":"ok","gateway_http":"fail"}})");
    EXPECT_TRUE(allHealthy({{"database", true}}));
    EXPECT_FALSE(allHealthy({{"database", true}, {"gateway_http", false}}));
    EXPECT_TRUE(allHealthy({{"database", true}, {"keyurl", false, false}}));
    EXPECT_EQ(health({{"database", true}, {"keyurl", false, false}}),
              R"({"status":"healthy","dependencies":{"database":"ok","keyurl":"fail"}})");
    EXPECT_EQ(version("relayer-service", {"1.2.3", "abc-clean"}),
              R"({"name":"relayer-service","version":"1.2.3","build":"abc-clean"})");
}
}  // namespace
}  // namespace relayer::wire
