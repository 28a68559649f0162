#include "core/failure.h"

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
                                                                "internal"};
}

std::string_view name(FailureCode code)
{
    return kNames.at(static_cast<std::size_t>(code));
}

std::optional<FailureCode> parseFailureCode(std::string_view text)
{
    for (std::size_t i = 0; i < kNames.size(); ++i)
    {
        if (kNames[i] == text)
        {
            return static_cast<FailureCode>(i);
        }
    }
    return std::nullopt;
}
}  // namespace relayer::core
