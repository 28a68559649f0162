#include "e2e/reference_metrics.h"

namespace relayer::test
{
namespace
{
void addSamplesOfEachKind(std::vector<ReferenceMetric> &rows)
{
    for (const std::string type :
         {"input_request", "user_decrypt_request", "public_decrypt_request"})
    {
        rows[3].samples.push_back(
            {{"transaction_type", type}, {"transaction_status", "confirmed"}});
        rows[3].samples.push_back({{"transaction_type", type}, {"transaction_status", "failed"}});
        rows[4].samples.push_back({{"transaction_type", type}});
        rows[5].samples.push_back({{"transaction_type", type}, {"status", "confirmed"}});
    }
    for (const std::string kind : {"user_decrypt", "public_decrypt", "input_proof"})
    {
        for (const std::string status : {"processing", "tx_in_flight", "receipt_received",
                                         "completed", "timed_out", "failure"})
        {
            rows[7].samples.push_back({{"req_type", kind}, {"status", status}});
        }
        rows[8].samples.push_back({{"req_type", kind}, {"previous_status", "tx_in_flight"}});
        rows[8].samples.push_back({{"req_type", kind}, {"previous_status", "receipt_received"}});
    }
}
}  // namespace

std::vector<ReferenceMetric> metricsOfTheReference()
{
    const MetricLabels post = {{"endpoint", "/input-proof"}, {"method", "POST"}, {"version", "v2"}};
    const auto with = [](MetricLabels labels, const std::string &name, const std::string &value) {
        labels[name] = value;
        return labels;
    };
    std::vector<ReferenceMetric> rows = {
        {"relayer_http_requests_total",
         "counter",
         {with(with(post, "relayer_sdk_name", "@zama-fhe/relayer-sdk"), "relayer_sdk_version",
               "0.4"),
          {{"endpoint", "/user-decrypt"}, {"version", "v3"}, {"method", "POST"}},
          {{"endpoint", "/delegated-user-decrypt"}, {"method", "POST"}},
          {{"endpoint", "/keyurl"}, {"relayer_sdk_name", "unknown"}}},
         {"endpoint", "method", "version", "relayer_sdk_name", "relayer_sdk_version"}},
        {"relayer_http_responses_total",
         "counter",
         {with(post, "status", "202"),
          with(post, "status", "400"),
          {{"endpoint", "/keyurl"}, {"status", "200"}}},
         {"endpoint", "method", "version", "status"}},
        {"relayer_http_request_duration_seconds",
         "histogram",
         {with(post, "status", "202")},
         {"endpoint", "method", "version", "status"}},
        {"relayer_transaction_count", "counter", {}, {"transaction_type", "transaction_status"}},
        {"relayer_transaction_pending_gauge", "gauge", {}, {"transaction_type"}},
        {"relayer_transaction_duration_secs", "histogram", {}, {"transaction_type", "status"}},
        {"relayer_transaction_errors_total",
         "counter",
         {},
         {"error_type", "revert_category", "request_type"}},
        {"relayer_request_count", "gauge", {}, {"req_type", "status"}},
        {"relayer_request_status_duration_seconds",
         "histogram",
         {{{"req_type", "public_decrypt"}, {"previous_status", "queued"}}},
         {"req_type", "previous_status"}},
        {"relayer_db_query_duration_seconds",
         "histogram",
         {{{"table", "user_decrypt_req"}},
          {{"table", "user_decrypt_shares"}},
          {{"table", "public_decrypt_req"}},
          {{"table", "input_proof_req"}},
          {{"table", "gateway_block_number_store"}}},
         {"table"}},
        {"relayer_db_errors_total",
         "counter",
         {{{"table", "user_decrypt_shares"}}, {{"table", "gateway_block_number_store"}}},
         {"table"}},
        {"relayer_queue_size_count",
         "gauge",
         {{{"queue_type", "input_proof_tx_throttler"}},
          {{"queue_type", "user_decrypt_tx_throttler"}},
          {{"queue_type", "public_decrypt_tx_throttler"}},
          {{"queue_type", "user_decrypt_readiness_throttler"}},
          {{"queue_type", "public_decrypt_readiness_throttler"}}},
         {"queue_type"}},
        {"relayer_user_decrypt_signature_precheck_total",
         "counter",
         {{{"outcome", "accepted"}}, {{"outcome", "rejected"}}, {{"outcome", "host_call_failed"}}},
         {"outcome"}},
        {"relayer_retry_after_raw_eta_seconds",
         "histogram",
         {{{"req_type", "input_proof"}}, {{"req_type", "user_decrypt"}}},
         {"req_type"}}};
    addSamplesOfEachKind(rows);
    return rows;
}
}  // namespace relayer::test
