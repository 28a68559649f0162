#include "core/failure.h"

#include "core/names.h"

namespace relayer::core
{
namespace
{
constexpr std::array<std::string_view, kFailureCodes> kNames = {"readiness_timed_out",
                                                                "response_timed_out",
                                                                "not_allowed_on_host_acl",
                                                                "host_acl_failed",
                                                                "readiness_failed",
                                                                "protocol_paused",
                                                                "insufficient_balance",
                                                                "insufficient_allowance",
                                                                "invalid_signature",
                                                                "transaction_failed",
                                                                "proof_rejected",
                                                                "undecodable",
                                                                "internal",
                                                                "stopped_by_operator"};
}

std::string_view name(FailureCode code)
{
    return kNames.at(static_cast<std::size_t>(code));
}

std::optional<FailureCode> parseFailureCode(std::string_view text)
{
    return valueNamed<FailureCode>(kNames, text);
}
}  // namespace relayer::core
