#include "filters/request_id.h"

#include "core/job_id.h"
#include "wire/request_id.h"

#include <drogon/utils/Utilities.h>

#include <stdexcept>

namespace relayer::filters
{
namespace
{
const std::string kAttribute = "relayer.requestId";

std::string freshId()
{
    core::JobId::Raw random{};
    if (!drogon::utils::secureRandomBytes(random.data(), random.size()))
    {
        throw std::runtime_error("the system has no random bytes");
    }
    return core::JobId::fromRandom(random).text();
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
