// When a client is told to come back: the estimate of the requirement, from where its request
// stands in the house, how fast the queues drain, and how long the steps behind them take.
//
// Exact: the estimate is kept as a fraction of whole numbers until the one rounding at the end,
// and 0.2 is 0.2. Total: no input overflows or fails, whatever a configuration says.
#pragma once

#include "core/lifecycle.h"

#include <chrono>
#include <cstdint>
#include <vector>

namespace relayer::core
{
// One row of the table for requests that wait for the answer of others: up to `until` in this
// state, come back after `wait`. The last row is for ever.
struct BackoffStep
{
    std::chrono::seconds until{0};
    std::chrono::seconds wait{0};

    bool operator==(const BackoffStep &) const = default;
};
using Backoff = std::vector<BackoffStep>;

// That of the requirement: 4 s in the first minute, 10, 30, 60, and 300 s after a quarter hour.
[[nodiscard]] Backoff standardBackoff();

struct RetryAfterSettings
{
    std::uint64_t minSeconds = 1;
    std::uint64_t maxSeconds = 300;
    // On top of each estimate, in millionths: 200'000 is 0.2.
    std::uint64_t marginMillionths = 200'000;
    Backoff backoff = standardBackoff();
    // How long the steps take on a usual day. No defaults: who runs the relayer knows.
    std::uint64_t inputProofMs = 0;
    std::uint64_t publicDecryptMs = 0;
    std::uint64_t userDecryptMs = 0;
    std::uint64_t readinessCheckMs = 0;
    std::uint64_t txConfirmationMs = 0;
};

// Where a request stands.
enum class Stage : std::uint8_t
{
    InReadiness,    // waits for the readiness check, at `position`
    BetweenQueues,  // is being checked, or has passed and has no place before the chain yet
    InTxQueue,      // waits for a token, at `position`
    TxInFlight,
    AwaitsAnswer,  // of coprocessors or KMS: nobody can say
    Over,
};

struct Standing
{
    Kind kind = Kind::InputProof;
    Stage stage = Stage::InTxQueue;
    std::uint64_t position = 0;              // 0 is the next
    std::uint64_t txQueueLength = 0;         // what waits before the chain
    std::uint64_t txPerSecond = 0;           // 0: it stands still
    std::uint64_t readinessConcurrency = 0;  // 0: the same
    std::chrono::milliseconds inState{0};
};

// Without margin and bounds, in milliseconds, rounded up; for calibration. 0 where nobody can say,
// and of what is over.
[[nodiscard]] std::uint64_t estimateMs(const RetryAfterSettings &settings,
                                       const Standing &standing);

// Whole seconds within the bounds; 0 for what is over. The lower bound wins over the upper one.
[[nodiscard]] std::uint64_t retryAfterSeconds(const RetryAfterSettings &settings,
                                              const Standing &standing);

// For who was turned away: when `excess` more than fit have gone. Within the bounds.
[[nodiscard]] std::uint64_t secondsUntilRoom(const RetryAfterSettings &settings,
                                             std::uint64_t excess, std::uint64_t perSecond);
}  // namespace relayer::core
