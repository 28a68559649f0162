#include "importer/reference_rules.h"

namespace relayer::importer
{
namespace
{
constexpr std::string_view kAllWatch =
    "subscriptions are watched all the time, and /healthz asks nobody (listener.silence, "
    "http.health_interval)";
constexpr std::string_view kForEver = "connections are made anew for ever, with growing pauses";
constexpr std::string_view kInbox =
    "answers wait in an inbox in the database until their request is known "
    "(listener.keep_unmatched)";
constexpr std::string_view kIdentity = "an event is known by its identity, in the database";
constexpr std::string_view kBuckets = "the buckets of histograms are fixed (docs/metrics.md)";
constexpr std::string_view kPools =
    "there is one small pool for writes and one for reads (database.write_connections, "
    "database.read_connections)";
constexpr std::string_view kLogShape = "the log has one shape for each log.format";
constexpr std::string_view kAtOnce =
    "it begins at once: a start takes nothing that is under way from anybody";
constexpr std::string_view kSweeping =
    "one sweeper does all of it, as often as sweeper.interval says";
constexpr std::string_view kNodesAgain =
    "a call that fails goes to the next node, within gateway.rpc.timeout";

constexpr Rule kRules[] = {
    {"gateway.blockchain_rpc.http_url", How::AsNode, "gateway.rpc.write"},
    {"gateway.blockchain_rpc.read_http_url", How::AsNode, "gateway.rpc.read"},
    {"gateway.blockchain_rpc.chain_id", How::AsNumber, "gateway.chain_id"},
    {"gateway.blockchain_rpc.ws_health_check_timeout_secs", How::Nowhere, kAllWatch},
    {"gateway.blockchain_rpc.http_health_check_timeout_secs", How::Nowhere, kAllWatch},
    {"gateway.listener_pool.last_block_number", How::AsNumber, "listener.start_block"},
    {"gateway.listener_pool.reconnect_config.*", How::Nowhere, kForEver},
    {"gateway.listener_pool.polling_max_attempts", How::Nowhere, kForEver},
    {"gateway.listener_pool.recycle_interval_mins", How::AsMinutes, "listener.recycle"},
    {"gateway.listener_pool.poll_interval_ms", How::AsMilliseconds, "listener.poll_interval"},
    {"gateway.listener_pool.dedup_ttl_seconds", How::Nowhere, kIdentity},
    {"gateway.listener_pool.dedup_max_capacity", How::Nowhere, kIdentity},
    {"gateway.listener_pool.listeners[]", How::InAnotherWay, "listener.endpoints"},
    {"gateway.tx_engine.signer.type", How::AsText, "signer.type"},
    {"gateway.tx_engine.signer.private_key", How::AsSecret, "RELAYER_SIGNER__PRIVATE_KEY"},
    {"gateway.tx_engine.signer.key_id", How::AsText, "signer.kms.key_id"},
    {"gateway.tx_engine.signer.region", How::AsText, "signer.kms.region"},
    {"gateway.tx_engine.signer.endpoint", How::AsText, "signer.kms.endpoint"},
    {"gateway.tx_engine.max_concurrency", How::AsNumber, "tx_engine.max_in_flight"},
    {"gateway.tx_engine.retry.max_attempts", How::AsNumber, "tx_engine.retry.max_attempts"},
    {"gateway.tx_engine.retry.retry_interval_ms", How::AsMilliseconds, "tx_engine.retry.interval"},
    {"gateway.tx_engine.tx_throttlers.input_proof.per_seconds", How::AsNumber,
     "tx_throttler.input_proof.per_second"},
    {"gateway.tx_engine.tx_throttlers.input_proof.capacity", How::AsNumber,
     "tx_throttler.input_proof.capacity"},
    {"gateway.tx_engine.tx_throttlers.input_proof.safety_margin", How::AsNumber,
     "tx_throttler.input_proof.safety_margin"},
    {"gateway.tx_engine.tx_throttlers.user_decrypt.per_seconds", How::AsNumber,
     "tx_throttler.user_decrypt.per_second"},
    {"gateway.tx_engine.tx_throttlers.user_decrypt.capacity", How::AsNumber,
     "tx_throttler.user_decrypt.capacity"},
    {"gateway.tx_engine.tx_throttlers.user_decrypt.safety_margin", How::AsNumber,
     "tx_throttler.user_decrypt.safety_margin"},
    {"gateway.tx_engine.tx_throttlers.public_decrypt.per_seconds", How::AsNumber,
     "tx_throttler.public_decrypt.per_second"},
    {"gateway.tx_engine.tx_throttlers.public_decrypt.capacity", How::AsNumber,
     "tx_throttler.public_decrypt.capacity"},
    {"gateway.tx_engine.tx_throttlers.public_decrypt.safety_margin", How::AsNumber,
     "tx_throttler.public_decrypt.safety_margin"},
    {"gateway.readiness_checker.host_acl_check.retry.max_attempts", How::AsNumber,
     "gateway.readiness_checker.host_acl_check.retry.max_attempts"},
    {"gateway.readiness_checker.host_acl_check.retry.retry_interval_ms", How::AsMilliseconds,
     "gateway.readiness_checker.host_acl_check.retry.interval"},
    {"gateway.readiness_checker.gw_ciphertext_check.retry.max_attempts", How::AsNumber,
     "gateway.readiness_checker.gw_ciphertext_check.retry.max_attempts"},
    {"gateway.readiness_checker.gw_ciphertext_check.retry.retry_interval_ms", How::AsMilliseconds,
     "gateway.readiness_checker.gw_ciphertext_check.retry.interval"},
    {"gateway.readiness_checker.public_decrypt.max_concurrency", How::AsNumber,
     "gateway.readiness_checker.public_decrypt.max_concurrency"},
    {"gateway.readiness_checker.public_decrypt.capacity", How::AsNumber,
     "gateway.readiness_checker.public_decrypt.capacity"},
    {"gateway.readiness_checker.public_decrypt.safety_margin", How::AsNumber,
     "gateway.readiness_checker.public_decrypt.safety_margin"},
    {"gateway.readiness_checker.user_decrypt.max_concurrency", How::AsNumber,
     "gateway.readiness_checker.user_decrypt.max_concurrency"},
    {"gateway.readiness_checker.user_decrypt.capacity", How::AsNumber,
     "gateway.readiness_checker.user_decrypt.capacity"},
    {"gateway.readiness_checker.user_decrypt.safety_margin", How::AsNumber,
     "gateway.readiness_checker.user_decrypt.safety_margin"},
    {"gateway.contracts.decryption_address", How::AsText, "gateway.contracts.decryption"},
    {"gateway.contracts.input_verification_address", How::AsText,
     "gateway.contracts.input_verification"},
    {"gateway.contracts.user_decrypt_shares_threshold", How::AsNumber,
     "gateway.user_decrypt_shares_threshold"},
    {"gateway.gw_event_not_found_retry.*", How::Nowhere, kInbox},
    {"host_chains[]", How::InAnotherWay, "host_chains"},
    {"protocol_config.ethereum_http_rpc_url", How::AsNode, "protocol_config.rpc"},
    {"protocol_config.address", How::AsText, "protocol_config.address"},
    {"protocol_config.retry.*", How::Nowhere, kNodesAgain},
    {"keyurl.kms_generation_address", How::AsText, "keyurl.kms_generation_address"},
    {"keyurl.poll_interval_ms", How::AsMilliseconds, "keyurl.poll_interval"},
    {"user_decrypt_signature_check.erc1271_gas_limit", How::AsNumber,
     "user_decrypt_signature_check.erc1271_gas_limit"},
    {"log.format", How::InAnotherWay, "log.format"},
    {"log.*", How::Nowhere, kLogShape},
    {"http.endpoint", How::InAnotherWay, "host.address, host.port"},
    {"http.metrics.histogram_buckets[]", How::Nowhere, kBuckets},
    {"http.api_retry_after_seconds", How::Nowhere,
     "who is turned away is told when there will be a place, or the 429 of a limit its own time"},
    {"http.enable_admin_endpoint", How::InAnotherWay, "admin.access"},
    {"http.retry_after.min_seconds", How::AsNumber, "http.retry_after.min_seconds"},
    {"http.retry_after.max_seconds", How::AsNumber, "http.retry_after.max_seconds"},
    {"http.retry_after.safety_margin", How::AsNumber, "http.retry_after.safety_margin"},
    {"http.retry_after.nominal_times.readiness_check_seconds", How::AsNumber,
     "http.retry_after.nominal_times.readiness_check_seconds"},
    {"http.retry_after.nominal_times.input_proof_processing_seconds", How::AsNumber,
     "http.retry_after.nominal_times.input_proof_processing_seconds"},
    {"http.retry_after.nominal_times.user_decrypt_processing_seconds", How::AsNumber,
     "http.retry_after.nominal_times.user_decrypt_processing_seconds"},
    {"http.retry_after.nominal_times.public_decrypt_processing_seconds", How::AsNumber,
     "http.retry_after.nominal_times.public_decrypt_processing_seconds"},
    {"http.retry_after.nominal_times.tx_confirmation_ms", How::AsNumber,
     "http.retry_after.nominal_times.tx_confirmation_ms"},
    {"http.retry_after.copro_kms_backoff_intervals[]", How::InAnotherWay,
     "http.retry_after.copro_kms_backoff_intervals"},
    {"metrics.endpoint", How::InAnotherWay, "metrics.address, metrics.port"},
    {"metrics.query_duration_histogram_bucket[]", How::Nowhere, kBuckets},
    {"metrics.request_status_duration_histogram_bucket[]", How::Nowhere, kBuckets},
    {"metrics.transaction_duration_secs_histogram_bucket[]", How::Nowhere, kBuckets},
    {"metrics.retry_after_raw_eta_histogram_bucket[]", How::Nowhere, kBuckets},
    {"storage.sql_database_url", How::AsSecret, "RELAYER_DATABASE__URL"},
    {"storage.app_pool.*", How::Nowhere, kPools},
    {"storage.cron_pool.*", How::Nowhere, kPools},
    {"storage.sql_health_check_timeout_secs", How::Nowhere,
     "the heartbeat asks the database anyway (instance.heartbeat, database.client_timeout)"},
    {"storage.cron.timeout_cron_interval", How::Nowhere, kSweeping},
    {"storage.cron.public_decrypt_timeout", How::AsSpan, "sweeper.response_timeout.public_decrypt"},
    {"storage.cron.user_decrypt_timeout", How::AsSpan, "sweeper.response_timeout.user_decrypt"},
    {"storage.cron.input_proof_timeout", How::AsSpan, "sweeper.response_timeout.input_proof"},
    {"storage.cron.expiry_enabled", How::InAnotherWay, "sweeper.keep"},
    {"storage.cron.expiry_cron_interval", How::Nowhere, kSweeping},
    {"storage.cron.public_decrypt_expiry", How::InAnotherWay, "sweeper.keep.public_decrypt"},
    {"storage.cron.user_decrypt_expiry", How::InAnotherWay, "sweeper.keep.user_decrypt"},
    {"storage.cron.input_proof_expiry", How::InAnotherWay, "sweeper.keep.input_proof"},
    {"storage.cron.cron_startup_delay_after_recovery", How::Nowhere, kAtOnce},
};
}  // namespace

std::span<const Rule> rules()
{
    return kRules;
}
}  // namespace relayer::importer
