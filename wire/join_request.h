// POST /api/register-validator: who wants to be a validator says so, and signs it (ADR-036).
#pragma once

#include "core/bytes.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace relayer::wire
{
struct JoinRequest
{
    std::string operatorAddress;
    std::string url;
    std::string moniker;
    std::int64_t timestamp = 0;
    core::Bytes signature;  // as sent; of any length
    core::Bytes publicKey;
};

struct JoinProblem
{
    int status = 400;
    std::string text;
};

[[nodiscard]] std::variant<JoinRequest, JoinProblem> readJoinRequest(std::string_view body);
// What was signed, to the byte: made anew from the fields.
[[nodiscard]] std::string signedDocument(const JoinRequest &request);

// {"error":"..."}
[[nodiscard]] std::string openError(std::string_view text);
[[nodiscard]] std::string registered();
[[nodiscard]] std::string pending(std::int64_t expiresAt);

struct PendingValidator
{
    std::string operatorAddress;
    std::string url;
    std::string moniker;
    std::int64_t requestedAt = 0;
    std::int64_t expiresAt = 0;
};
[[nodiscard]] std::string pendingValidators(const std::vector<PendingValidator> &all);
}  // namespace relayer::wire
