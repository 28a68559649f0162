// The bodies that all routes of /v2 and /v3 share, byte for byte: members in this order, unused
// ones left out. What we add to the reference stands behind its own members.
#pragma once

#include "core/job_id.h"
#include "core/lifecycle.h"
#include "wire/labels.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace relayer::wire
{
// An answer but for its transport: what a controller turns into an HTTP response.
struct Answer
{
    int status = 500;
    std::string body;
    std::optional<std::int64_t> retryAfterSeconds;
};

// POST 202.
[[nodiscard]] Answer accepted(std::string_view requestId, const core::JobId &jobId,
                              std::int64_t etaSeconds);

struct Progress
{
    core::JobId jobId;
    core::Status status = core::Status::Queued;
    std::int64_t etaSeconds = 1;
    std::int64_t elapsedSeconds = 0;  // in this status
};

// GET 202. It has no result.
[[nodiscard]] Answer stillQueued(std::string_view requestId, const Progress &progress);

// GET 200; the result is JSON.
[[nodiscard]] Answer succeeded(std::string_view requestId, std::string_view result);

[[nodiscard]] Answer failed(std::string_view requestId, const Problem &problem);
// The same, and when to come again: of a queue that is full, or of a database that is away.
[[nodiscard]] Answer failedUntil(std::string_view requestId, const Problem &problem,
                                 std::int64_t retryAfterSeconds);
}  // namespace relayer::wire
