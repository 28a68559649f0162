// What a route can answer: one sample for each label and each sort of success, made by the code
// that answers clients, so that the document can not tell another story. The document takes its
// responses, their labels, headers and examples from here.
#pragma once

#include "wire/envelope.h"
#include "wire/request_tables.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace relayer::wire
{
// Of a server that takes shares of votes.
struct ShareApi
{
    bool token = false;          // whether X-Helper-Token is asked for
    bool queueStatus = false;    // whether the queue is shown
    std::uint64_t submitAt = 0;  // of the example
};

// What of a server stands in its document.
struct ApiFacts
{
    std::string version;
    RequestLimits limits;
    std::uint64_t maxBody = 0;
    // In seconds since 1970: the timestamps of the examples, so that none has expired.
    std::uint64_t now = 0;
    // For how many seconds a poll is held at most.
    std::uint64_t waitMax = 0;
    // Nothing: shares are not taken, and their routes answer 503.
    std::optional<ShareApi> shares = std::nullopt;
    // What stands in front of all paths: "/relayer", or nothing. Of the settings, which stay.
    // An aggregate wants one. NOLINTNEXTLINE(readability-redundant-string-init)
    std::string_view pathPrefix = "";
};

// What a client sends to get an answer, where it lies in its hands. The rest is as in the example
// of the route's request.
struct SampleRequest
{
    std::optional<std::string> body;
    std::vector<std::pair<std::string, std::string>> headers;
    std::optional<std::string> jobId;
};

struct SampleAnswer
{
    std::string name;
    std::string when;
    Answer answer;
    std::optional<Label> label;
    std::optional<SampleRequest> request;
};

inline constexpr std::string_view kSampleJobId = "24cd3fd8-56b3-4128-871a-4a62ade308ba";
inline constexpr std::string_view kSampleRequestId = "502084d1-dc51-4019-83f4-561b24261e78";

[[nodiscard]] std::vector<SampleAnswer> answersOfPost(const RequestRoute &route,
                                                      const ApiFacts &facts);
[[nodiscard]] std::vector<SampleAnswer> answersOfPoll(const RequestRoute &route);
// Of a stream of events: its beginning, or why there is none.
[[nodiscard]] std::vector<SampleAnswer> answersOfEvents(const RequestRoute &route);
[[nodiscard]] std::vector<SampleAnswer> answersOfKeyUrls();
}  // namespace relayer::wire
