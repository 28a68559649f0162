#include "controllers/admin_listener.h"

#include "controllers/responses.h"
#include "filters/admin_access.h"

#include <drogon/HttpAppFramework.h>

namespace relayer::controllers
{
using drogon::HttpRequestPtr;

void installAdminListener(std::uint16_t port)
{
    drogon::app().registerPreRoutingAdvice([port](const HttpRequestPtr &request,
                                                  drogon::AdviceCallback &&answer,
                                                  drogon::AdviceChainCallback &&go) {
        if (request->localAddr().toPort() != port)
        {
            go();
            return;
        }
        filters::AdminAccess::cameInAtItsListener(request);
        filters::AdminAccess::isItsPath(request->path())
            ? go()
            : answer(respond(request, wire::nothingAtThisPath()));
    });
}
}  // namespace relayer::controllers
