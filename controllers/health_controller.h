// How the service is: /liveness (the process answers), /healthz (it can work: readiness), /version.
// None of them asks anybody anything. Drogon owns the one instance.
#pragma once

#include "controllers/mounted.h"

#include <string>

namespace relayer::controllers
{
class HealthController : public Mounted<HealthController>
{
  public:
    METHOD_LIST_BEGIN
    ADD_METHOD_TO(HealthController::liveness, "/liveness", drogon::Get);
    ADD_METHOD_TO(HealthController::health, "/healthz", drogon::Get);
    ADD_METHOD_TO(HealthController::version, "/version", drogon::Get);
    METHOD_LIST_END

    HealthController();

    drogon::Task<drogon::HttpResponsePtr> liveness(drogon::HttpRequestPtr request);
    drogon::Task<drogon::HttpResponsePtr> health(drogon::HttpRequestPtr request);
    drogon::Task<drogon::HttpResponsePtr> version(drogon::HttpRequestPtr request);

  private:
    const std::string name_;
};
}  // namespace relayer::controllers
