// What operators see and do beside settings. Drogon owns the one instance.
#pragma once

#include "controllers/mounted.h"
#include "filters/admin_access.h"

#include <string>

namespace relayer::controllers
{
class AdminOperationsController : public Mounted<AdminOperationsController>
{
  public:
    METHOD_LIST_BEGIN
    ADD_METHOD_TO(AdminOperationsController::queues, "/admin/queues", drogon::Get,
                  filters::kAdminOnly);
    ADD_METHOD_TO(AdminOperationsController::lanes, "/admin/lanes", drogon::Get,
                  filters::kAdminOnly);
    ADD_METHOD_TO(AdminOperationsController::pauseLane, "/admin/lanes/{name}/pause", drogon::Post,
                  filters::kAdminOnly);
    ADD_METHOD_TO(AdminOperationsController::resumeLane, "/admin/lanes/{name}/resume", drogon::Post,
                  filters::kAdminOnly);
    ADD_METHOD_TO(AdminOperationsController::intake, "/admin/intake", drogon::Get,
                  filters::kAdminOnly);
    ADD_METHOD_TO(AdminOperationsController::pauseIntake, "/admin/intake/pause", drogon::Post,
                  filters::kAdminOnly);
    ADD_METHOD_TO(AdminOperationsController::resumeIntake, "/admin/intake/resume", drogon::Post,
                  filters::kAdminOnly);
    ADD_METHOD_TO(AdminOperationsController::instances, "/admin/instances", drogon::Get,
                  filters::kAdminOnly);
    ADD_METHOD_TO(AdminOperationsController::drain, "/admin/drain", drogon::Post,
                  filters::kAdminOnly);
    ADD_METHOD_TO(AdminOperationsController::audit, "/admin/audit", drogon::Get,
                  filters::kAdminOnly);
    METHOD_LIST_END

    using Response = drogon::Task<drogon::HttpResponsePtr>;
    Response queues(drogon::HttpRequestPtr request);
    Response lanes(drogon::HttpRequestPtr request);
    Response pauseLane(drogon::HttpRequestPtr request, std::string name);
    Response resumeLane(drogon::HttpRequestPtr request, std::string name);
    Response intake(drogon::HttpRequestPtr request);
    Response pauseIntake(drogon::HttpRequestPtr request);
    Response resumeIntake(drogon::HttpRequestPtr request);
    Response instances(drogon::HttpRequestPtr request);
    Response drain(drogon::HttpRequestPtr request);
    Response audit(drogon::HttpRequestPtr request);
};
}  // namespace relayer::controllers
