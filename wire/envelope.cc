#include "wire/envelope.h"

#include "wire/json_writer.h"

#include <algorithm>
#include <utility>

namespace relayer::wire
{
namespace
{
constexpr int kOk = 200;
constexpr int kAccepted = 202;

// Clients take 0 or a missing header for "wait as long as you like".
std::int64_t atLeastOne(std::int64_t seconds)
{
    return std::max<std::int64_t>(seconds, 1);
}

JsonWriter opened(std::string_view status, std::string_view requestId)
{
    JsonWriter json;
    json.beginObject().key("status").text(status).key("requestId").text(requestId);
    return json;
}
}  // namespace

Answer accepted(std::string_view requestId, const core::JobId &jobId, std::int64_t etaSeconds)
{
    const std::string id = jobId.text();
    const std::int64_t eta = atLeastOne(etaSeconds);
    JsonWriter json = opened("queued", requestId);
    json.key("result").beginObject().key("jobId").text(id).endObject();
    json.key("job_id").text(id).key("eta_seconds").number(eta).endObject();
    return {kAccepted, std::move(json).take(), eta};
}

Answer stillQueued(std::string_view requestId, const Progress &progress)
{
    const std::int64_t eta = atLeastOne(progress.etaSeconds);
    JsonWriter json = opened("queued", requestId);
    json.key("job_id").text(progress.jobId.text());
    json.key("state").text(core::name(progress.status));
    json.key("eta_seconds").number(eta);
    json.key("elapsed_seconds").number(std::max<std::int64_t>(progress.elapsedSeconds, 0));
    json.endObject();
    return {kAccepted, std::move(json).take(), eta};
}

Answer succeeded(std::string_view requestId, std::string_view result)
{
    JsonWriter json = opened("succeeded", requestId);
    json.key("result").json(result).endObject();
    return {kOk, std::move(json).take(), std::nullopt};
}

Answer failed(std::string_view requestId, const Problem &problem)
{
    JsonWriter json = opened("failed", requestId);
    json.key("error").beginObject();
    json.key("label").text(name(problem.label)).key("message").text(problem.message);
    if (hasDetails(problem.label))
    {
        json.key("details").beginList();
        for (const Detail &detail : problem.details)
        {
            json.beginObject().key("field").text(detail.field);
            json.key("issue").text(detail.issue).endObject();
        }
        json.endList();
    }
    json.endObject().endObject();
    return {httpStatus(problem.label), std::move(json).take(), std::nullopt};
}

Answer failedUntil(std::string_view requestId, const Problem &problem,
                   std::int64_t retryAfterSeconds)
{
    Answer answer = failed(requestId, problem);
    answer.retryAfterSeconds = atLeastOne(retryAfterSeconds);
    return answer;
}
}  // namespace relayer::wire
