#include "controllers/admin_controller.h"

#include "controllers/responses.h"
#include "wire/admin.h"

namespace relayer::controllers
{
using drogon::HttpRequestPtr;
using drogon::HttpResponsePtr;
using filters::AdminAccess;

drogon::Task<HttpResponsePtr> AdminController::welcome(HttpRequestPtr request)
{
    co_return jsonResponse(drogon::k200OK, wire::adminWelcome(AdminAccess::actorOf(request),
                                                              AdminAccess::needsToken()));
}
}  // namespace relayer::controllers
