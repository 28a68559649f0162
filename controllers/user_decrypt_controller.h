// POST and GET of the three sorts of user decryption: /v2/user-decrypt,
// /v2/delegated-user-decrypt and /v3/user-decrypt. They differ in what is posted; a job of one is
// shown on the paths of the others, too. Drogon owns the one instance; handlers run on the loop of
// their connection. A 202 is sent after the row is committed, so that it survives us.
#pragma once

#include "controllers/mounted.h"

#include <string>

namespace relayer::controllers
{
class UserDecryptController : public Mounted<UserDecryptController>
{
  public:
    METHOD_LIST_BEGIN
    ADD_METHOD_TO(UserDecryptController::direct, "/v2/user-decrypt", drogon::Post);
    ADD_METHOD_TO(UserDecryptController::poll, "/v2/user-decrypt/{job_id}", drogon::Get);
    ADD_METHOD_TO(UserDecryptController::delegated, "/v2/delegated-user-decrypt", drogon::Post);
    ADD_METHOD_TO(UserDecryptController::poll, "/v2/delegated-user-decrypt/{job_id}", drogon::Get);
    ADD_METHOD_TO(UserDecryptController::unified, "/v3/user-decrypt", drogon::Post);
    ADD_METHOD_TO(UserDecryptController::poll, "/v3/user-decrypt/{job_id}", drogon::Get);
    METHOD_LIST_END

    drogon::Task<drogon::HttpResponsePtr> direct(drogon::HttpRequestPtr request);
    drogon::Task<drogon::HttpResponsePtr> delegated(drogon::HttpRequestPtr request);
    drogon::Task<drogon::HttpResponsePtr> unified(drogon::HttpRequestPtr request);
    drogon::Task<drogon::HttpResponsePtr> poll(drogon::HttpRequestPtr request, std::string jobId);
};
}  // namespace relayer::controllers
