// What moves of requests are counted as, and what remembers where they came from.
#include "plugins/request_metrics.h"

#include "plugins/loop_lag.h"
#include "plugins/request_origins.h"
#include "support/exposition.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <trantor/net/EventLoopThread.h>

#include <future>

namespace relayer::plugins
{
namespace
{
using core::FailureCode;
using core::Kind;
using core::Status;
using test::Exposition;

template <typename Source>
Exposition shown(const Source &source)
{
    MetricsText text;
    source.write(text);
    return Exposition(std::move(text).take());
}

models::Move move(Kind kind, Status from, Status to,
                  std::optional<FailureCode> failure = std::nullopt)
{
    models::Move move;
    move.kind = kind;
    move.from = from;
    move.to = to;
    move.inStatus = std::chrono::milliseconds(1500);
    move.age = std::chrono::milliseconds(7000);
    move.failure = failure;
    return move;
}

TEST(RequestMetrics, ATransactionIsCountedOnceAndBySortOfItsEnd)
{
    RequestMetrics metrics;
    metrics.moved(move(Kind::PublicDecrypt, Status::Queued, Status::Processing));
    metrics.moved(move(Kind::PublicDecrypt, Status::Processing, Status::TxInFlight));
    metrics.moved(move(Kind::PublicDecrypt, Status::TxInFlight, Status::ReceiptReceived));
    metrics.moved(move(Kind::PublicDecrypt, Status::ReceiptReceived, Status::Completed));
    metrics.moved(move(Kind::UserDecrypt, Status::TxInFlight, Status::Failure,
                       FailureCode::InsufficientAllowance));
    metrics.moved(move(Kind::InputProof, Status::ReceiptReceived, Status::Failure,
                       FailureCode::ProofRejected));
    metrics.moved(
        move(Kind::UserDecrypt, Status::Queued, Status::TimedOut, FailureCode::ReadinessTimedOut));
    metrics.sendFailed(RequestMetrics::SendError::Nonce);
    const Exposition found = shown(metrics);
    EXPECT_THAT(found.problems(), testing::IsEmpty());
    const std::string count = "relayer_transaction_count";
    EXPECT_EQ(found.value(count, {{"transaction_type", "public_decrypt_request"},
                                  {"transaction_status", "confirmed"}}),
              1);
    EXPECT_EQ(found.value(count, {{"transaction_type", "user_decrypt_request"},
                                  {"transaction_status", "failed"}}),
              1);
    EXPECT_EQ(found.value(
                  count, {{"transaction_type", "input_request"}, {"transaction_status", "failed"}}),
              0)
        << "that a proof is wrong is not the transaction's fault";
    const std::string errors = "relayer_transaction_errors_total";
    EXPECT_EQ(found.find(errors).size(), 2U) << "once each";
    EXPECT_EQ(found.value(errors, {{"error_type", "reverted"},
                                   {"revert_category", "insufficient_allowance"},
                                   {"request_type", "user_decrypt"}}),
              1);
    EXPECT_EQ(found.value(errors, {{"error_type", "nonce_error"},
                                   {"revert_category", ""},
                                   {"request_type", "unknown"}}),
              1);
    const std::string ends = "relayer_request_duration_seconds_count";
    EXPECT_EQ(found.value(ends, {{"req_type", "public_decrypt"}, {"outcome", "completed"}}), 1);
    EXPECT_EQ(found.value(ends, {{"req_type", "input_proof"}, {"outcome", "rejected"}}), 1);
    EXPECT_EQ(found.value(ends, {{"req_type", "user_decrypt"}, {"outcome", "failed"}}), 1);
    EXPECT_EQ(found.value(ends, {{"req_type", "user_decrypt"}, {"outcome", "timed_out"}}), 1);
    EXPECT_EQ(found.value("relayer_request_duration_seconds_sum",
                          {{"req_type", "public_decrypt"}, {"outcome", "completed"}}),
              7);
    EXPECT_EQ(found.value("relayer_transaction_duration_secs_sum",
                          {{"transaction_type", "public_decrypt_request"}}),
              1.5);
    EXPECT_EQ(found.value("relayer_request_failures_total", {{"code", "proof_rejected"}}), 1);
    EXPECT_EQ(found.value("relayer_dedup_hits_total", {{"req_type", "input_proof"}}), 0)
        << "zero is told, so that the first one is an increase";
}

TEST(RequestOrigins, ForgetTheOldestWhenThereAreTooMany)
{
    RequestOrigins origins(2);
    for (models::RequestId id = 1; id <= 3; ++id)
    {
        origins.keep(id, {core::JobId(), "exchange " + std::to_string(id), {}});
    }
    EXPECT_FALSE(origins.find(1));
    EXPECT_EQ(origins.find(2)->requestId, "exchange 2");
    origins.forget(2);
    EXPECT_FALSE(origins.find(2));
    EXPECT_EQ(origins.find(3)->requestId, "exchange 3");
}

TEST(LoopLag, CountsEachLoopUnderItsNameAndStrangersTogether)
{
    trantor::EventLoopThread thread;
    thread.run();
    const auto lag = std::make_shared<LoopLag>();
    lag->ask([&](const OwnLoop::Visit &visit) {
        visit("http 0", thread.getLoop());
        visit("http 1", thread.getLoop());
        visit("main", thread.getLoop());
        visit("NobodyKnows", thread.getLoop());
    });
    std::promise<void> turned;
    thread.getLoop()->queueInLoop([&] { turned.set_value(); });
    turned.get_future().get();
    const Exposition found = shown(*lag);
    const std::string count = "relayer_event_loop_lag_seconds_count";
    EXPECT_EQ(found.value(count, {{"loop", "http"}}), 2);
    EXPECT_EQ(found.value(count, {{"loop", "main"}}), 1);
    EXPECT_EQ(found.value(count, {{"loop", "other"}}), 1);
}

// The reader of the tests, which has to see what is wrong.
TEST(Exposition, SeesWhatPrometheusWouldNotTake)
{
    const std::string about = "# HELP a A.\n# TYPE a counter\n";
    EXPECT_THAT(Exposition(about + "a{b=\"c\"} 1\n").problems(), testing::IsEmpty());
    for (const std::string &bad :
         {about + "a 1", about + "a 1\na 2\n", about + "b 1\n", about + "a{b=c} 1\n",
          about + "a{b=\"c\" 1\n", about + "a one\n", about + about, std::string("# HELP a\n"),
          std::string("# HELP h H.\n# TYPE h histogram\nh_bucket{le=\"1\"} 2\n"
                      "h_bucket{le=\"+Inf\"} 1\nh_sum 1\nh_count 1\n"),
          std::string("# HELP h H.\n# TYPE h histogram\nh_bucket{le=\"+Inf\"} 1\nh_sum 1\n"
                      "h_count 2\n")})
    {
        EXPECT_THAT(Exposition(bad).problems(), testing::Not(testing::IsEmpty())) << bad;
    }
}
}  // namespace
}  // namespace relayer::plugins
