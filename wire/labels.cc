#include "wire/labels.h"

#include <array>

namespace relayer::wire
{
namespace
{
struct LabelFacts
{
    std::string_view name;
    int status;
    bool details;
    bool retryable;
};

// In the order of the enumeration.
constexpr std::array<LabelFacts, kLabels> kFacts = {{
    {"malformed_json", 400, false, false},
    {"missing_fields", 400, true, false},
    {"validation_failed", 400, true, false},
    {"request_error", 400, false, false},
    {"host_chain_id_not_supported", 400, false, false},
    {"not_allowed_on_host_acl", 400, false, false},
    {"not_found", 404, false, false},
    {"rate_limited", 429, false, true},
    {"internal_server_error", 500, false, false},
    {"host_acl_failed", 500, false, true},
    {"readiness_check_timed_out", 503, false, true},
    {"response_timed_out", 503, false, true},
    {"protocol_paused", 503, false, true},
    {"insufficient_balance", 503, false, false},
    {"insufficient_allowance", 503, false, false},
    {"gateway_not_reachable", 503, false, true},
    {"idempotency_key_reused", 422, false, false},
}};

struct FailureFacts
{
    Label label;
    std::string_view message;
};

// In the order of core::FailureCode.
constexpr std::array<FailureFacts, core::kFailureCodes> kFailures = {{
    {Label::ReadinessCheckTimedOut, "Ciphertext not ready for decryption on the gateway chain"},
    {Label::ResponseTimedOut, "Gateway chain did not respond within the expected timeframe"},
    {Label::NotAllowedOnHostAcl, "Not allowed on host ACL"},
    {Label::HostAclFailed, "Host ACL check failed"},
    {Label::InternalServerError, "Processing Failed: the readiness check did not succeed"},
    {Label::ProtocolPaused, "The protocol is paused on the gateway chain"},
    {Label::InsufficientBalance, "Insufficient balance for the transaction fee"},
    {Label::InsufficientAllowance, "Insufficient allowance for the transaction fee"},
    {Label::ValidationFailed, "Validation failed for: signature"},
    {Label::InternalServerError, "Transaction failed"},
    {Label::InternalServerError, "The proof was rejected"},
    {Label::InternalServerError, "The answer of the gateway chain could not be read"},
    {Label::InternalServerError, "Internal server error"},
    {Label::InternalServerError, "Processing Failed: stopped by an operator"},
}};

const LabelFacts &factsOf(Label label)
{
    return kFacts.at(static_cast<std::size_t>(label));
}
}  // namespace

std::string_view name(Label label)
{
    return factsOf(label).name;
}

int httpStatus(Label label)
{
    return factsOf(label).status;
}

bool isRetryable(Label label)
{
    return factsOf(label).retryable;
}

bool hasDetails(Label label)
{
    return factsOf(label).details;
}

Problem problemOf(core::FailureCode code)
{
    const FailureFacts &facts = kFailures.at(static_cast<std::size_t>(code));
    Problem problem{facts.label, std::string(facts.message), {}};
    if (code == core::FailureCode::InvalidSignature)
    {
        problem.details.push_back({"signature", "Signature is invalid"});
    }
    return problem;
}

Problem problemOf(core::FailureCode code, std::string_view told)
{
    Problem problem = problemOf(code);
    const bool ofAcl =
        code == core::FailureCode::NotAllowedOnHostAcl || code == core::FailureCode::HostAclFailed;
    if (ofAcl && !told.empty())
    {
        problem.message = told;
    }
    return problem;
}

Problem timedOut(core::Kind kind, std::optional<core::FailureCode> why)
{
    if (!why)
    {
        return {Label::ResponseTimedOut, "Request timed out (reason not available)", {}};
    }
    // An input proof has no readiness to wait for: whatever timed out, it was the answer.
    const bool ofReadiness =
        kind != core::Kind::InputProof && *why == core::FailureCode::ReadinessTimedOut;
    return problemOf(ofReadiness ? *why : core::FailureCode::ResponseTimedOut);
}

Problem malformedJson(std::string_view why)
{
    return {Label::MalformedJson, "Malformed JSON: " + std::string(why), {}};
}

Problem unsupportedHostChain(std::uint64_t chainId)
{
    return {Label::HostChainIdNotSupported,
            "Host chain ID " + std::to_string(chainId) + " is not supported by this relayer",
            {}};
}

Problem signatureRefused()
{
    return problemOf(core::FailureCode::InvalidSignature);
}

Problem internalError()
{
    return problemOf(core::FailureCode::Internal);
}

Problem intakePaused()
{
    return {Label::ProtocolPaused, "New requests are not taken in at the moment", {}};
}

Problem nothingAtThisPath()
{
    return {Label::NotFound, "There is nothing at this path", {}};
}

Problem unknownRequest()
{
    return {Label::NotFound, "Request not found", {}};
}

Problem malformedJobId()
{
    return {Label::RequestError, "The job id is not a UUID", {}};
}

Problem bodyTooLarge(std::uint64_t limitBytes)
{
    return {Label::RequestError,
            "The request body is larger than the limit of " + std::to_string(limitBytes) + " bytes",
            {}};
}

Problem tooManyWaiting()
{
    return {Label::RateLimited, "Too many requests are waiting; try again later", {}};
}

Problem tooManyFromClient()
{
    return {Label::RateLimited, "You have sent too many new requests; try again later", {}};
}

Problem malformedIdempotencyKey()
{
    return {Label::RequestError, "Idempotency-Key must be 1 to 255 visible ASCII characters", {}};
}

Problem idempotencyKeyReused()
{
    return {Label::IdempotencyKeyReused,
            "This Idempotency-Key was used with another request within the last 24 hours",
            {}};
}

// Our clients accept five labels with 503 and drop the text of any other. Four of them say how a
// job ended (protocol_paused, readiness_check_timed_out, response_timed_out, insufficient_*), which
// would be a lie about a job that is alive behind a database that is away. gateway_not_reachable
// says only that something behind us can not be reached, counts as worth a retry, and every client
// that we know reads it.
Problem tooManyStreams()
{
    return {Label::GatewayNotReachable, "Too many event streams are open; poll the job", {}};
}

Problem storeUnreachable()
{
    return {Label::GatewayNotReachable, "The service is temporarily unavailable; try again", {}};
}

Problem keysUnknown()
{
    return {Label::GatewayNotReachable,
            "The chain has not told yet where the keys are; try again later",
            {}};
}
}  // namespace relayer::wire
