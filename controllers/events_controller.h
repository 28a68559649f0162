// GET /…/{job_id}/events of all kinds: server-sent events. Drogon owns the one instance; handlers
// run on the loop of their connection.
#pragma once

#include "controllers/mounted.h"

#include <string>

namespace relayer::controllers
{
class EventsController : public Mounted<EventsController>
{
  public:
    METHOD_LIST_BEGIN
    ADD_METHOD_TO(EventsController::inputProof, "/v2/input-proof/{job_id}/events", drogon::Get);
    ADD_METHOD_TO(EventsController::publicDecrypt, "/v2/public-decrypt/{job_id}/events",
                  drogon::Get);
    ADD_METHOD_TO(EventsController::userDecrypt, "/v2/user-decrypt/{job_id}/events", drogon::Get);
    ADD_METHOD_TO(EventsController::userDecrypt, "/v2/delegated-user-decrypt/{job_id}/events",
                  drogon::Get);
    ADD_METHOD_TO(EventsController::userDecrypt, "/v3/user-decrypt/{job_id}/events", drogon::Get);
    METHOD_LIST_END

    using Response = drogon::Task<drogon::HttpResponsePtr>;
    Response inputProof(drogon::HttpRequestPtr request, std::string jobId);
    Response publicDecrypt(drogon::HttpRequestPtr request, std::string jobId);
    Response userDecrypt(drogon::HttpRequestPtr request, std::string jobId);
};
}  // namespace relayer::controllers
