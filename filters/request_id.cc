#include "filters/request_id.h"

#include "core/job_id.h"
#include "filters/random_bytes.h"
#include "wire/request_id.h"

#include <tuple>

namespace relayer::filters
{
namespace
{
const std::string kAttribute = "relayer.requestId";

std::string freshId()
{
    return core::JobId::fromRandom(randomBytes<std::tuple_size_v<core::JobId::Raw>>()).text();
}
}  // namespace

const std::string &requestIdOf(const drogon::HttpRequestPtr &request)
{
    const auto &attributes = request->attributes();
    if (!attributes->find(kAttribute))
    {
        const std::string &offered = request->getHeader("x-request-id");
        attributes->insert(kAttribute, wire::isSaneRequestId(offered) ? offered : freshId());
    }
    return attributes->get<std::string>(kAttribute);
}
}  // namespace relayer::filters
