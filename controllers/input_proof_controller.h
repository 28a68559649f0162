// POST and GET of /v2/input-proof. Drogon owns the one instance; handlers run on the loop of their
// connection. A 202 is sent after the row is committed, so that it survives us.
#pragma once

#include "controllers/mounted.h"

#include <string>

namespace relayer::controllers
{
class InputProofController : public Mounted<InputProofController>
{
  public:
    METHOD_LIST_BEGIN
    ADD_METHOD_TO(InputProofController::post, "/v2/input-proof", drogon::Post);
    ADD_METHOD_TO(InputProofController::poll, "/v2/input-proof/{job_id}", drogon::Get);
    METHOD_LIST_END

    drogon::Task<drogon::HttpResponsePtr> post(drogon::HttpRequestPtr request);
    drogon::Task<drogon::HttpResponsePtr> poll(drogon::HttpRequestPtr request, std::string jobId);
};
}  // namespace relayer::controllers
