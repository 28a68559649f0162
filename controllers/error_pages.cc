#include "controllers/error_pages.h"

#include "controllers/open_api.h"
#include "controllers/responses.h"
#include "controllers/routes.h"
#include "controllers/ui_files.h"
#include "filters/mount_point.h"
#include "filters/request_id.h"
#include "plugins/settings.h"

#include <drogon/HttpAppFramework.h>

namespace relayer::controllers
{
using drogon::HttpRequestPtr;
using drogon::HttpResponsePtr;
using drogon::HttpStatusCode;

namespace
{
HttpResponsePtr page(const HttpRequestPtr &request, HttpStatusCode code, wire::Problem problem)
{
    wire::Answer answer = wire::failed(filters::requestIdOf(request), problem);
    answer.status = code;
    return respond(request, std::move(answer));
}
}  // namespace

HttpResponsePtr errorPage(HttpStatusCode code, const HttpRequestPtr &request)
{
    // Drogon knows a wrong method only for paths without parameters, and says 403 for a wrong
    // OPTIONS and for what happens to be a folder on the disk.
    if (code == drogon::k404NotFound || code == drogon::k405MethodNotAllowed ||
        code == drogon::k403Forbidden)
    {
        const std::string allowed = methodsOf(request->path());
        if (allowed.empty())
        {
            const std::string &ui = plugins::Settings::lastStarted().votingAdmin.uiFolder;
            if (auto file = plugins::Settings::embedded() ? nullptr : uiFile(request, ui))
            {
                return file;
            }
            return page(request, drogon::k404NotFound, wire::nothingAtThisPath());
        }
        auto response = page(request, drogon::k405MethodNotAllowed,
                             {wire::Label::RequestError, "This path takes " + allowed, {}});
        response->addHeader("Allow", allowed);
        return response;
    }
    if (code >= drogon::k500InternalServerError)
    {
        return page(request, code, wire::internalError());
    }
    return page(request, code,
                {wire::Label::RequestError, "The request could not be understood", {}});
}

void installErrorPages()
{
    drogon::app()
        .setCustomErrorHandler(errorPage)
        .setFileTypes({})
        .setImplicitPageEnable(false)
        .registerPreRoutingAdvice([](const HttpRequestPtr &request, drogon::AdviceCallback &&answer,
                                     drogon::AdviceChainCallback &&go) {
            if (request->method() == drogon::Options && isOpen(filters::unmounted(request->path())))
            {
                answer(openPreflight());
                return;
            }
            // Drogon would answer OPTIONS of a route itself, and open it to every origin.
            request->method() == drogon::Options
                ? answer(errorPage(drogon::k405MethodNotAllowed, request))
                : go();
        });
}
}  // namespace relayer::controllers
