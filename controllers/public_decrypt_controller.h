// POST and GET of /v2/public-decrypt. Drogon owns the one instance; handlers run on the loop of
// their connection. A 202 is sent after the row is committed, so that it survives us.
#pragma once

#include "controllers/mounted.h"

#include <string>

namespace relayer::controllers
{
class PublicDecryptController : public Mounted<PublicDecryptController>
{
  public:
    METHOD_LIST_BEGIN
    ADD_METHOD_TO(PublicDecryptController::post, "/v2/public-decrypt", drogon::Post);
    ADD_METHOD_TO(PublicDecryptController::poll, "/v2/public-decrypt/{job_id}", drogon::Get);
    METHOD_LIST_END

    drogon::Task<drogon::HttpResponsePtr> post(drogon::HttpRequestPtr request);
    drogon::Task<drogon::HttpResponsePtr> poll(drogon::HttpRequestPtr request, std::string jobId);
};
}  // namespace relayer::controllers
