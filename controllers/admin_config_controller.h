// What can be changed while the program runs: /admin/config as the reference has it, and
// /admin/parameters, which says more and changes several at once. Drogon owns the one instance.
#pragma once

#include "controllers/mounted.h"
#include "filters/admin_access.h"

namespace relayer::controllers
{
class AdminConfigController : public Mounted<AdminConfigController>
{
  public:
    METHOD_LIST_BEGIN
    ADD_METHOD_TO(AdminConfigController::config, "/admin/config", drogon::Get, filters::kAdminOnly);
    ADD_METHOD_TO(AdminConfigController::changeConfig, "/admin/config", drogon::Post,
                  filters::kAdminOnly);
    ADD_METHOD_TO(AdminConfigController::parameters, "/admin/parameters", drogon::Get,
                  filters::kAdminOnly);
    ADD_METHOD_TO(AdminConfigController::changeParameters, "/admin/parameters", drogon::Post,
                  filters::kAdminOnly);
    METHOD_LIST_END

    drogon::Task<drogon::HttpResponsePtr> config(drogon::HttpRequestPtr request);
    drogon::Task<drogon::HttpResponsePtr> changeConfig(drogon::HttpRequestPtr request);
    drogon::Task<drogon::HttpResponsePtr> parameters(drogon::HttpRequestPtr request);
    drogon::Task<drogon::HttpResponsePtr> changeParameters(drogon::HttpRequestPtr request);
};
}  // namespace relayer::controllers
