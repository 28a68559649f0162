#include "controllers/error_pages.h"
#include "controllers/mounted.h"
#include "controllers/open_api.h"
#include "controllers/routes.h"
#include "filters/mount_point.h"

#include <drogon/HttpAppFramework.h>

namespace relayer::controllers
{
using drogon::HttpRequestPtr;

void installErrorsBelowPrefix()
{
    drogon::app().registerPreRoutingAdvice([](const HttpRequestPtr &request,
                                              drogon::AdviceCallback &&answer,
                                              drogon::AdviceChainCallback &&go) {
        if (filters::unmounted(request->path()).empty())
        {
            go();
            return;
        }
        const bool preflight = request->method() == drogon::Options;
        if (preflight && isOpen(filters::unmounted(request->path())))
        {
            answer(openPreflight());
            return;
        }
        takesMethod(request->path(), request->method())
            ? go()
            : answer(errorPage(drogon::k404NotFound, request));
    });
}
}  // namespace relayer::controllers
