// What operators see and do beside settings: queues, lanes, instances, pauses, the audit.
#pragma once

#include "core/address.h"
#include "core/lifecycle.h"
#include "wire/admin_config.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

namespace relayer::wire
{
// What a pause says of itself.
struct PauseView
{
    std::string reason;
    std::uint64_t retryAfterSeconds = 0;  // 0: as ever
    std::string by;
    std::int64_t sinceMs = 0;
};

// The body of a pause, which may be left out.
struct PausePost
{
    std::string reason;
    std::uint64_t retryAfterSeconds = 0;
};
[[nodiscard]] std::variant<PausePost, Refused> readPausePost(std::string_view body);
// {"instance": "one"}, or nothing.
[[nodiscard]] std::variant<std::string, Refused> readInstancePost(std::string_view body);

struct QueueView
{
    std::string_view name;  // input_proof_tx_throttler: as in the metrics
    core::Kind kind = core::Kind::InputProof;
    std::uint64_t waiting = 0;
    std::uint64_t reserved = 0;
    std::uint64_t capacity = 0;
    std::uint64_t softLimit = 0;
    std::uint64_t perSecond = 0;       // of one before the chain
    std::uint64_t maxConcurrency = 0;  // of one before the readiness check
    std::uint64_t checking = 0;        // of that: claimed, and not decided yet
};
[[nodiscard]] std::string queueList(std::span<const QueueView> queues);

struct LaneView
{
    std::string name;
    core::Address address{};
    std::string holder;  // the instance; empty: nobody
    std::int64_t nextNonce = 0;
    std::int64_t openTransactions = 0;
    // held, free, paused, or no_funds; the last only of the lane that this instance holds.
    std::string_view state;
    std::optional<std::string> balanceWei;  // nothing: no node says
    std::optional<PauseView> pause;
};
[[nodiscard]] std::string laneList(std::span<const LaneView> lanes);
[[nodiscard]] std::string intakeState(const std::optional<PauseView> &pause);
[[nodiscard]] std::string lanePause(std::string_view lane, const std::optional<PauseView> &pause);

struct InstanceView
{
    std::string name;
    std::int64_t epoch = 0;
    std::int64_t startedAtMs = 0;
    std::int64_t heartbeatAgeMs = 0;
    std::string version;
    bool thisOne = false;
};
[[nodiscard]] std::string instanceList(std::span<const InstanceView> instances);
[[nodiscard]] std::string draining(std::string_view instance);

struct AuditView
{
    std::int64_t id = 0;
    std::int64_t atMs = 0;
    std::string actor;
    std::string action;
    std::string subject;
    std::string detail;  // JSON
};
// `next`: what to ask for as `before` to see older ones.
[[nodiscard]] std::string auditTrail(std::span<const AuditView> entries, bool more);
}  // namespace relayer::wire
