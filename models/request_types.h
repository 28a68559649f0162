// What goes into the request store and what comes out.
#pragma once

#include "core/bytes.h"
#include "core/content_hash.h"
#include "core/failure.h"
#include "core/job_id.h"
#include "core/lifecycle.h"
#include "models/group_commit.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace relayer::models
{
enum class Variant : std::uint8_t
{
    Direct,
    Delegated,
    Unified,
};
[[nodiscard]] std::string_view name(Variant variant);

using RequestId = std::int64_t;
// instance.epoch of the one who holds the row.
using Claimer = std::int64_t;
using GatewayId = core::Hash32;
using TxHash = core::Hash32;

// Where a walk over all that lives stands, in the order of its kinds and tickets. Requests that get
// a new ticket meanwhile go to the end of their kind, so none is passed over.
struct LivePlace
{
    core::Kind kind = core::Kind::InputProof;  // the first
    std::int64_t ticket = 0;                   // before the first
};

struct NewRequest
{
    core::Kind kind = core::Kind::InputProof;
    Variant variant = Variant::Direct;
    core::JobId jobId;  // taken when the content is new
    core::ContentHash contentHash{};
    core::Bytes payload;
    std::optional<std::int32_t> threshold =
        std::nullopt;  // shares needed, where it is known already
};

struct Admission
{
    RequestId id = 0;
    core::JobId jobId;  // of the row that stands for the content: mine, or the one I joined
    core::Status status = core::Status::Queued;
    bool fresh = false;       // the row is mine
    std::int64_t ticket = 0;  // of that row: its place in its queue
    bool claimed = false;     // somebody is at work on it: it does not wait in its queue any more
    std::chrono::milliseconds inStatus{0};  // on the database's clock
};

// One guarded update that is wanted. Which of the optional members matter depends on the
// transition.
struct Step
{
    core::Transition transition = core::Transition::FailInternally;
    RequestId id = 0;
    std::optional<Claimer> claimer = std::nullopt;
    std::optional<TxHash> txHash = std::nullopt;
    std::optional<GatewayId> gatewayId = std::nullopt;
    std::optional<core::Failure> failure = std::nullopt;
};

enum class StepOutcome : std::uint8_t
{
    Won,   // this step moved the row
    Lost,  // the row was elsewhere, or somebody else's: not mine any more, stop
};

// The same, and the row's ticket if it was moved: passing readiness gives it a new one.
struct StepResult
{
    StepOutcome outcome = StepOutcome::Lost;
    std::int64_t ticket = 0;
};

// The one answer to an input proof or a public decrypt.
struct Answer
{
    core::Kind kind = core::Kind::InputProof;
    GatewayId gatewayId{};
    bool accepted = true;
    core::Bytes result;
    std::optional<TxHash> responseTxHash = std::nullopt;
};

// One node's share of a user decryption.
struct Share
{
    GatewayId gatewayId{};
    std::int32_t index = 0;
    core::Bytes payload;
    core::Bytes signature;
    core::Bytes extraData;
    std::optional<TxHash> responseTxHash = std::nullopt;
};

// "See whether the request behind this gateway id can end now."
struct Settlement
{
    core::Kind kind = core::Kind::InputProof;
    GatewayId gatewayId{};
};

// What became of an answer or a share that was brought in.
struct Arrival
{
    bool fresh = false;  // not seen before
    std::optional<core::Status> ended =
        std::nullopt;  // set when this very arrival ended the request
};

// What became of a receipt.
struct ReceiptOutcome
{
    StepOutcome outcome = StepOutcome::Lost;
    std::optional<core::Status> ended =
        std::nullopt;  // set when the answer was here before it, and this call ended it
};

// The front of a queue, as far as nobody has claimed it.
struct QueueHead
{
    std::optional<std::int64_t> ticket = std::nullopt;  // the smallest
    std::size_t waiting = 0;                            // never more than what was asked for
};

[[nodiscard]] std::uint64_t keyOf(const GatewayId &id);

template <>
struct GroupItem<NewRequest>
{
    static std::size_t bytes(const NewRequest &r) { return 128 + r.payload.size(); }
    // Equal contents share a batch; the writer lets them join each other.
    static std::optional<std::uint64_t> alone(const NewRequest &) { return std::nullopt; }
    static constexpr bool kRepeatable = true;
};

template <>
struct GroupItem<Step>
{
    static std::size_t bytes(const Step &s)
    {
        return 160 + (s.failure ? s.failure->detail.size() : 0);
    }
    static std::optional<std::uint64_t> alone(const Step &s)
    {
        return static_cast<std::uint64_t>(s.id);
    }
    // A step that won and is asked again would be told that it lost.
    static constexpr bool kRepeatable = false;
};

template <>
struct GroupItem<Answer>
{
    static std::size_t bytes(const Answer &a) { return 128 + a.result.size(); }
    static std::optional<std::uint64_t> alone(const Answer &a) { return keyOf(a.gatewayId); }
    static constexpr bool kRepeatable = true;
};

template <>
struct GroupItem<Share>
{
    static std::size_t bytes(const Share &s)
    {
        return 160 + s.payload.size() + s.signature.size() + s.extraData.size();
    }
    // Equal shares must not meet in one batch: the outcome is told by what the statement inserted.
    static std::optional<std::uint64_t> alone(const Share &s)
    {
        return keyOf(s.gatewayId) * 31U + static_cast<std::uint64_t>(s.index);
    }
    static constexpr bool kRepeatable = true;
};

template <>
struct GroupItem<Settlement>
{
    static std::size_t bytes(const Settlement &) { return 48; }
    static std::optional<std::uint64_t> alone(const Settlement &s) { return keyOf(s.gatewayId); }
    static constexpr bool kRepeatable = false;
};
}  // namespace relayer::models
