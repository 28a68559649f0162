// /admin/requests: what an operator may see of requests, and do to one. Drogon owns the one
// instance; handlers run on the loop of their connection.
#pragma once

#include "controllers/mounted.h"
#include "filters/admin_access.h"

#include <string>

namespace relayer::controllers
{
class AdminRequestsController : public Mounted<AdminRequestsController>
{
  public:
    METHOD_LIST_BEGIN
    ADD_METHOD_TO(AdminRequestsController::list, "/admin/requests", drogon::Get,
                  filters::kAdminOnly);
    ADD_METHOD_TO(AdminRequestsController::show, "/admin/requests/{job_id}", drogon::Get,
                  filters::kAdminOnly);
    ADD_METHOD_TO(AdminRequestsController::fail, "/admin/requests/{job_id}/fail", drogon::Post,
                  filters::kAdminOnly);
    ADD_METHOD_TO(AdminRequestsController::dispatchAgain, "/admin/requests/{job_id}/dispatch",
                  drogon::Post, filters::kAdminOnly);
    ADD_METHOD_TO(AdminRequestsController::submitAnew, "/admin/requests/{job_id}/resubmit",
                  drogon::Post, filters::kAdminOnly);
    METHOD_LIST_END

    using Answer = drogon::Task<drogon::HttpResponsePtr>;
    Answer list(drogon::HttpRequestPtr request);
    Answer show(drogon::HttpRequestPtr request, std::string jobId);
    Answer fail(drogon::HttpRequestPtr request, std::string jobId);
    Answer dispatchAgain(drogon::HttpRequestPtr request, std::string jobId);
    Answer submitAnew(drogon::HttpRequestPtr request, std::string jobId);
};
}  // namespace relayer::controllers
