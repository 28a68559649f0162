// The part of the configuration that is about when clients are told to come back.
#include "config/backoff.h"
#include "config/schema.h"

#include <array>

namespace relayer::config
{
namespace
{
constexpr std::array<std::string_view, 2> estimators = {"nominal", "measured"};
constexpr std::uint64_t longestSeconds = 3600;
constexpr std::uint64_t wholeMargin = 1'000'000;

bool isBackoff(std::string_view text)
{
    return parseBackoff(text).has_value();
}
}  // namespace

void describeRetryAfter(std::vector<Key> &keys, RetryAfterSettings &retryAfter)
{
    NominalTimeSettings &nominal = retryAfter.nominal;
    keys.insert(
        keys.end(),
        {{"http.retry_after.estimator", Choice{&retryAfter.estimator, estimators},
          "nominal computes from the nominal times and the configured rates. measured learns how "
          "fast the queues drain here and how long the rest takes, and is nominal until it has "
          "seen enough."},
         {"http.retry_after.min_seconds", Integer{&retryAfter.minSeconds, 1, longestSeconds},
          "The least that a client is told to wait."},
         {"http.retry_after.max_seconds", Integer{&retryAfter.maxSeconds, 1, longestSeconds},
          "The most."},
         {"http.retry_after.safety_margin",
          Decimal{&retryAfter.safetyMarginMillionths, 0, wholeMargin},
          "What is added to each estimate, as a part of it."},
         {"http.retry_after.copro_kms_backoff_intervals",
          Text{&retryAfter.backoff, 1024, false, isBackoff,
               "intervals such as 0s=4s, 1m=10s: the first from 0s on, ascending, whole seconds"},
          "How long a client is told to wait while the answer of coprocessors or KMS is awaited, "
          "which nobody can foresee: from so long after the transaction was mined on, so long."},
         {"http.retry_after.nominal_times.readiness_check_seconds",
          RequiredInteger{&nominal.readinessCheckSeconds, 1, longestSeconds, 2},
          "What the readiness check of a decryption takes."},
         {"http.retry_after.nominal_times.input_proof_processing_seconds",
          RequiredInteger{&nominal.inputProofSeconds, 1, longestSeconds, 2},
          "From the transaction of an input proof to the coprocessors' answer."},
         {"http.retry_after.nominal_times.user_decrypt_processing_seconds",
          RequiredInteger{&nominal.userDecryptSeconds, 1, longestSeconds, 4},
          "From the transaction of a user decryption to enough shares of the KMS."},
         {"http.retry_after.nominal_times.public_decrypt_processing_seconds",
          RequiredInteger{&nominal.publicDecryptSeconds, 1, longestSeconds, 4},
          "From the transaction of a public decryption to the KMS's answer."},
         {"http.retry_after.nominal_times.tx_confirmation_ms",
          RequiredInteger{&nominal.txConfirmationMs, 1, 60'000, 100},
          "Milliseconds until a transaction is mined."}});
}

void crossCheckRetryAfter(const RetryAfterSettings &retryAfter, Contradictions &wrong)
{
    if (retryAfter.maxSeconds < retryAfter.minSeconds)
    {
        wrong.emplace_back("http.retry_after.max_seconds",
                           "must not be less than http.retry_after.min_seconds");
    }
}
}  // namespace relayer::config
