// What can go wrong, as clients are told it: one table from the reason to HTTP status, label and
// message. Nothing else in the house picks a label or a status for an error.
//
// The labels are those of the reference relayer; its clients know no others, and each belongs to
// one status.
#pragma once

#include "core/failure.h"

#include <cstdint>
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
};
inline constexpr std::size_t kLabels = 16;

[[nodiscard]] std::string_view name(Label label);
[[nodiscard]] int httpStatus(Label label);
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

// Faults of our own, in front of any request.
[[nodiscard]] Problem internalError();
[[nodiscard]] Problem unknownRequest();
[[nodiscard]] Problem malformedJobId();
[[nodiscard]] Problem bodyTooLarge(std::uint64_t limitBytes);
[[nodiscard]] Problem tooManyWaiting();
[[nodiscard]] Problem storeUnreachable();
}  // namespace relayer::wire
