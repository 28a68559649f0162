// What can go wrong, as clients are told it: one table from the reason to HTTP status, label and
// message. Nothing else in the house picks a label or a status for an error.
//
// The labels are those of the reference relayer, but for the last; its clients know no others, and
// each belongs to one status.
#pragma once

#include "core/failure.h"
#include "core/lifecycle.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace relayer::wire
{
enum class Label : std::uint8_t
{
    MalformedJson,
    MissingFields,
    ValidationFailed,
    RequestError,
    HostChainIdNotSupported,
    NotAllowedOnHostAcl,
    NotFound,
    RateLimited,
    InternalServerError,
    HostAclFailed,
    ReadinessCheckTimedOut,
    ResponseTimedOut,
    ProtocolPaused,
    InsufficientBalance,
    InsufficientAllowance,
    GatewayNotReachable,
    // Ours: only who sends an Idempotency-Key can land on it.
    IdempotencyKeyReused,
};
inline constexpr std::size_t kLabels = 17;

[[nodiscard]] std::string_view name(Label label);
[[nodiscard]] int httpStatus(Label label);
// Whether the same request may do better later, as the reference's own document says it.
[[nodiscard]] bool isRetryable(Label label);
// Whether errors with this label always carry details; all others never do.
[[nodiscard]] bool hasDetails(Label label);

struct Detail
{
    std::string field;
    std::string issue;

    bool operator==(const Detail &) const = default;
};

// An error as a client sees it.
struct Problem
{
    Label label = Label::InternalServerError;
    std::string message;
    std::vector<Detail> details;
};

// How a request that ended without a result is shown. The detail of a failure stays in the house.
[[nodiscard]] Problem problemOf(core::FailureCode code);
// Of the host ACL clients are told more: `told` is a text that we made of what we know, never one
// of a node. For all other codes, and when it is empty, it is passed over.
[[nodiscard]] Problem problemOf(core::FailureCode code, std::string_view told);
// A time that is over. Decryptions say whether it was that of the readiness check.
[[nodiscard]] Problem timedOut(core::Kind kind, std::optional<core::FailureCode> why);

// A body that is not JSON, or that the reference would not take for JSON.
[[nodiscard]] Problem malformedJson(std::string_view why);

// Of a request that can be read, and is refused before it is kept.
[[nodiscard]] Problem unsupportedHostChain(std::uint64_t chainId);
[[nodiscard]] Problem signatureRefused();

// Faults of our own, in front of any request.
[[nodiscard]] Problem internalError();
[[nodiscard]] Problem nothingAtThisPath();
[[nodiscard]] Problem unknownRequest();
[[nodiscard]] Problem malformedJobId();
[[nodiscard]] Problem bodyTooLarge(std::uint64_t limitBytes);
[[nodiscard]] Problem tooManyWaiting();
[[nodiscard]] Problem tooManyFromClient();
[[nodiscard]] Problem intakePaused();
[[nodiscard]] Problem tooManyStreams();
[[nodiscard]] Problem malformedIdempotencyKey();
[[nodiscard]] Problem idempotencyKeyReused();
[[nodiscard]] Problem storeUnreachable();
[[nodiscard]] Problem keysUnknown();
}  // namespace relayer::wire
