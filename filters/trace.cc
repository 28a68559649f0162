#include "filters/trace.h"

#include "filters/random_bytes.h"
#include "filters/request_id.h"

#include <trantor/utils/Date.h>

#include <algorithm>
#include <tuple>

namespace relayer::filters
{
namespace
{
const std::string kAttribute = "relayer.trace";
}

const core::TraceContext &traceOf(const drogon::HttpRequestPtr &request)
{
    const auto &attributes = request->attributes();
    if (!attributes->find(kAttribute))
    {
        const core::TraceRandom random = randomBytes<std::tuple_size_v<core::TraceRandom>>();
        const auto caller = core::parseTraceparent(request->getHeader("traceparent"));
        attributes->insert(kAttribute, core::ownSpan(caller, random));
    }
    return attributes->get<core::TraceContext>(kAttribute);
}

std::chrono::milliseconds sinceItCame(const drogon::HttpRequestPtr &request)
{
    const std::int64_t micros = trantor::Date::now().microSecondsSinceEpoch() -
                                request->creationDate().microSecondsSinceEpoch();
    return std::chrono::floor<std::chrono::milliseconds>(
        std::chrono::microseconds(std::max<std::int64_t>(0, micros)));
}

std::string exchangeFields(const drogon::HttpRequestPtr &request)
{
    const core::TraceContext &trace = traceOf(request);
    return "request_id=" + requestIdOf(request) + " trace_id=" + trace.traceId +
           " span_id=" + trace.spanId +
           " duration_ms=" + std::to_string(sinceItCame(request).count());
}
}  // namespace relayer::filters
