// What an operator is shown of requests: a line in a list, and the whole way of one. Never a
// payload, a result or a signature. Times are milliseconds since 1970 on the database's clock.
// Plain data.
#pragma once

#include "core/content_hash.h"
#include "core/job_id.h"
#include "core/lifecycle.h"
#include "core/request_trail.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace relayer::core
{
using MillisSince1970 = std::chrono::milliseconds;

// What is looked for. A name finds what it stands for, the rest narrows that down; all are
// optional.
struct RequestSearch
{
    std::optional<JobId> jobId = std::nullopt;
    std::optional<Hash32> contentHash = std::nullopt;
    std::optional<Hash32> gatewayId = std::nullopt;
    std::optional<Hash32> txHash = std::nullopt;  // of any version of any of its transactions
    std::optional<Kind> kind = std::nullopt;
    std::optional<Status> status = std::nullopt;
    std::optional<std::chrono::milliseconds> olderThan = std::nullopt;
    std::optional<std::chrono::milliseconds> youngerThan = std::nullopt;
    std::optional<std::int64_t> before = std::nullopt;  // the next of the page in front
    std::size_t limit = 50;
};
inline constexpr std::size_t kSearchLimitMax = 200;

struct RequestLine
{
    std::int64_t id = 0;
    JobId jobId;
    Kind kind = Kind::InputProof;
    std::string variant;
    Status status = Status::Queued;
    std::string errorCode;  // empty: none
    MillisSince1970 createdAt{0};
    MillisSince1970 statusAt{0};
    std::chrono::milliseconds inStatus{0};
};

struct RequestPage
{
    std::vector<RequestLine> lines;  // newest first
    // Where to go on; nothing: that was all. A page may be short, or empty, and yet have a next: no
    // more than so many requests are looked at for one.
    std::optional<std::int64_t> next = std::nullopt;
};

// Signed bytes that were, or may be, on their way.
struct VersionRecord
{
    Hash32 hash{};
    std::string maxFeePerGas;  // wei, decimal
    std::string maxPriorityFeePerGas;
    std::string gasLimit;
    bool noOp = false;  // closes the nonce instead of carrying the request
    MillisSince1970 signedAt{0};
    std::optional<MillisSince1970> lastSentAt = std::nullopt;
};

struct AttemptRecord
{
    std::string lane;
    std::int64_t nonce = 0;
    std::string state;
    std::int64_t sends = 0;
    MillisSince1970 signedAt{0};
    std::optional<Hash32> minedHash = std::nullopt;
    std::optional<std::int64_t> minedBlock = std::nullopt;
    std::string closingCode;
    std::vector<VersionRecord> versions;  // oldest first
};

struct EventRecord
{
    bool request = false;  // the event of our transaction; else one of an answer
    bool removed = false;  // a reorg took it back
    std::int64_t block = 0;
    std::int64_t logIndex = 0;
    Hash32 txHash{};
    MillisSince1970 receivedAt{0};
    std::optional<MillisSince1970> handledAt = std::nullopt;
};

struct ShareRecord
{
    std::int64_t index = 0;
    MillisSince1970 arrivedAt{0};
    std::optional<Hash32> responseTxHash = std::nullopt;
};

struct AnswerRecord
{
    bool accepted = true;
    MillisSince1970 arrivedAt{0};
    std::optional<Hash32> responseTxHash = std::nullopt;
};

struct RequestHistory
{
    RequestLine line;
    std::string errorDetail;
    Hash32 contentHash{};
    std::optional<Hash32> gatewayId = std::nullopt;
    std::optional<Hash32> txHash = std::nullopt;
    std::int64_t ticket = 0;
    std::string claimedBy;  // the name of an instance; empty: nobody
    std::int64_t payloadBytes = 0;
    std::optional<std::int64_t> threshold = std::nullopt;
    std::vector<TrailStep> trail;
    std::vector<AttemptRecord> attempts;  // by nonce
    std::vector<EventRecord> events;      // as far as the inbox still has them
    std::vector<ShareRecord> shares;      // as they came
    std::optional<AnswerRecord> answer = std::nullopt;
    std::optional<JobId> resubmits = std::nullopt;
    std::vector<JobId> resubmittedAs;
    bool onItsWay = false;  // a transaction of it may still be mined
};

// What became of something that an operator wanted.
enum class OperatorOutcome : std::uint8_t
{
    Done,
    NoSuchRequest,
    WrongState,    // the lifecycle does not allow it from here
    OnItsWay,      // a transaction of it may still be mined
    ContentInUse,  // another request stands for its content
};
}  // namespace relayer::core
