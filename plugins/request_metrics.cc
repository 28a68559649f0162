#include "plugins/request_metrics.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

namespace relayer::plugins
{
using core::FailureCode;
using core::Status;
using models::Move;

namespace
{
// In the order of core::Kind.
constexpr std::array<std::string_view, core::kKinds> kTransactionTypes = {
    "input_request", "public_decrypt_request", "user_decrypt_request"};

// The reference's shipped bounds.
std::vector<double> longBounds()
{
    return {.1, .25, .5, 1, 2.5, 5, 10, 30, 60, 300, 600, 1800, 3600};
}
std::vector<double> transactionBounds()
{
    return {.01, .1, .25, .5, .75, 1, 1.25, 1.5, 2, 5, 10};
}

enum Outcome : std::size_t
{
    Completed,
    Rejected,
    TimedOut,
    Failed,
};
enum ErrorType : std::size_t
{
    InvalidAddress,
    NonceError,
    TransportError,
    Reverted,
    RevertedAclSelector,
    RpcError,
    UnknownError,
    MaxRetriesExceeded,
};
enum Category : std::size_t
{
    None,
    Balance,
    Allowance,
    Paused,
    Signature,
    Unknown,
};
constexpr std::size_t kUnknownRequest = core::kKinds;

MetricLabel statusLabel()
{
    MetricLabel label{"previous_status", {}};
    for (const Status status : core::kAllStatuses)
    {
        label.values.push_back(core::name(status));
    }
    return label;
}

MetricLabel codeLabel()
{
    MetricLabel label{"code", {}};
    for (std::size_t i = 0; i < core::kFailureCodes; ++i)
    {
        label.values.push_back(core::name(static_cast<FailureCode>(i)));
    }
    return label;
}

MetricLabel transactionLabel()
{
    return {"transaction_type", {kTransactionTypes.begin(), kTransactionTypes.end()}};
}

MetricLabel requestTypes()
{
    MetricLabel label = kindLabel("request_type");
    label.values.emplace_back("unknown");
    return label;
}

std::uint64_t micros(std::chrono::milliseconds time)
{
    return static_cast<std::uint64_t>(
        std::max<std::int64_t>(0, std::chrono::microseconds(time).count()));
}

Outcome outcomeOf(const Move &move)
{
    if (move.to == Status::Completed)
    {
        return Completed;
    }
    if (move.to == Status::TimedOut)
    {
        return TimedOut;
    }
    return move.failure == FailureCode::ProofRejected ? Rejected : Failed;
}

struct Trouble
{
    ErrorType type = UnknownError;
    Category category = None;
};

Trouble troubleOf(FailureCode code)
{
    switch (code)
    {
        case FailureCode::InsufficientBalance: return {Reverted, Balance};
        case FailureCode::InsufficientAllowance: return {Reverted, Allowance};
        case FailureCode::ProtocolPaused: return {Reverted, Paused};
        case FailureCode::InvalidSignature: return {Reverted, Signature};
        case FailureCode::TransactionFailed: return {Reverted, Unknown};
        default: return {UnknownError, None};
    }
}
}  // namespace

MetricLabel kindLabel(std::string_view name)
{
    MetricLabel label{name, {}};
    for (const core::Kind kind : core::kAllKinds)
    {
        label.values.push_back(core::name(kind));
    }
    return label;
}

std::string_view transactionType(core::Kind kind)
{
    return kTransactionTypes.at(placeOf(kind));
}

RequestMetrics::RequestMetrics()
    : admitted_("relayer_requests_admitted_total",
                "New requests that this instance took in, committed.", {kindLabel()}, Zeros::Shown),
      joined_("relayer_dedup_hits_total",
              "Posts at this instance whose content was here already, and which joined its job.",
              {kindLabel()}, Zeros::Shown),
      durations_(
          "relayer_request_duration_seconds",
          "From a request's row to its end, by the database's clock; counted by the instance "
          "that ended it.",
          {kindLabel(), {"outcome", {"completed", "rejected", "timed_out", "failed"}}},
          longBounds()),
      statusDurations_("relayer_request_status_duration_seconds",
                       "How long a request was in a status that it has left now.",
                       {kindLabel(), statusLabel()}, longBounds()),
      failures_("relayer_request_failures_total",
                "Requests that this instance ended without a result, by the stored code.",
                {kindLabel(), codeLabel()}),
      shares_("relayer_kms_shares_stored_total", "Shares of KMS nodes that were new.", {},
              Zeros::Shown),
      transactions_("relayer_transaction_count",
                    "Transactions of requests that came to an end: mined with their event, or not.",
                    {transactionLabel(), {"transaction_status", {"failed", "confirmed"}}},
                    Zeros::Shown),
      transactionDurations_("relayer_transaction_duration_secs",
                            "From the signed transaction on disk to its receipt, or its failure.",
                            {transactionLabel(), {"status", {"failed", "confirmed"}}},
                            transactionBounds()),
      transactionErrors_(
          "relayer_transaction_errors_total",
          "What ended transactions (once for each request), and what nodes said instead of taking "
          "one (request_type unknown, once for each try).",
          {{"error_type",
            {"invalid_address", "nonce_error", "transport_error", "reverted",
             "reverted_acl_selector", "rpc_error", "unknown_error", "max_retries_exceeded"}},
           {"revert_category",
            {"", "insufficient_balance", "insufficient_allowance", "contract_paused",
             "invalid_signature", "unknown"}},
           requestTypes()})
{}

void RequestMetrics::admitted(core::Kind kind, bool fresh)
{
    (fresh ? admitted_ : joined_).add({placeOf(kind)});
}

void RequestMetrics::moved(const Move &move)
{
    statusDurations_.observe({placeOf(move.kind), static_cast<std::size_t>(move.from)},
                             micros(move.inStatus));
    transactionMoved(move);
    if (core::isTerminal(move.to))
    {
        ended(move);
    }
}

void RequestMetrics::ended(const Move &move)
{
    durations_.observe({placeOf(move.kind), outcomeOf(move)}, micros(move.age));
    if (move.failure)
    {
        failures_.add({placeOf(move.kind), static_cast<std::size_t>(*move.failure)});
    }
}

void RequestMetrics::transactionMoved(const Move &move)
{
    const bool confirmed = move.to == Status::ReceiptReceived;
    const bool failed = move.to == Status::Failure &&
                        (move.from == Status::TxInFlight || move.from == Status::Processing);
    if (!confirmed && !failed)
    {
        return;
    }
    const std::size_t status = confirmed ? 1 : 0;
    transactions_.add({placeOf(move.kind), status});
    if (move.from == Status::TxInFlight)
    {
        transactionDurations_.observe({placeOf(move.kind), status}, micros(move.inStatus));
    }
    if (failed)
    {
        const Trouble trouble = troubleOf(move.failure.value_or(FailureCode::Internal));
        transactionErrors_.add({trouble.type, trouble.category, placeOf(move.kind)});
    }
}

void RequestMetrics::sendFailed(SendError error)
{
    static constexpr std::array<ErrorType, 3> kTypes = {NonceError, TransportError, RpcError};
    transactionErrors_.add({kTypes.at(static_cast<std::size_t>(error)), None, kUnknownRequest});
}

void RequestMetrics::write(MetricsText &text) const
{
    admitted_.write(text);
    joined_.write(text);
    durations_.write(text);
    statusDurations_.write(text);
    failures_.write(text);
    shares_.write(text);
    transactions_.write(text);
    transactionDurations_.write(text);
    transactionErrors_.write(text);
}
}  // namespace relayer::plugins
