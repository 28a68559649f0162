// GET /v2/keyurl: where clients find the public key and the CRS of the day. Asks nobody: the answer
// is in memory. Drogon owns the one instance.
#pragma once

#include "controllers/mounted.h"

namespace relayer::controllers
{
class KeyUrlController : public Mounted<KeyUrlController>
{
  public:
    METHOD_LIST_BEGIN
    ADD_METHOD_TO(KeyUrlController::get, "/v2/keyurl", drogon::Get);
    METHOD_LIST_END

    drogon::Task<drogon::HttpResponsePtr> get(drogon::HttpRequestPtr request);
};
}  // namespace relayer::controllers
