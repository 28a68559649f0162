// Why a request ended without a result: a code that is stored, and from which the wire label is
// looked up. The detail beside it is for operators and never leaves the house.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace relayer::core
{
enum class FailureCode : std::uint8_t
{
    ReadinessTimedOut,
    ResponseTimedOut,
    NotAllowedOnHostAcl,
    HostAclFailed,
    ReadinessFailed,
    ProtocolPaused,
    InsufficientBalance,
    InsufficientAllowance,
    InvalidSignature,
    TransactionFailed,
    ProofRejected,
    Undecodable,
    Internal,
    StoppedByOperator,
};
inline constexpr std::size_t kFailureCodes = 14;

struct Failure
{
    FailureCode code = FailureCode::Internal;
    std::string detail;
};

[[nodiscard]] std::string_view name(FailureCode code);
[[nodiscard]] std::optional<FailureCode> parseFailureCode(std::string_view text);
}  // namespace relayer::core
