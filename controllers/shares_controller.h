// The routes of the share scheduler, as wallets know them. They are there from the start; until
// shares can be taken they answer 503. Drogon owns the one instance.
#pragma once

#include "controllers/mounted.h"

#include <string>

namespace relayer::controllers
{
class SharesController : public Mounted<SharesController>
{
  public:
    METHOD_LIST_BEGIN
    ADD_METHOD_TO(SharesController::post, "/shielded-vote/v1/shares", drogon::Post);
    ADD_METHOD_TO(SharesController::shareStatus,
                  "/shielded-vote/v1/share-status/{round}/{nullifier}", drogon::Get);
    ADD_METHOD_TO(SharesController::status, "/shielded-vote/v1/status", drogon::Get);
    ADD_METHOD_TO(SharesController::queueStatus, "/shielded-vote/v1/queue-status", drogon::Get);
    METHOD_LIST_END

    using Response = drogon::Task<drogon::HttpResponsePtr>;

    Response post(drogon::HttpRequestPtr request);
    Response shareStatus(drogon::HttpRequestPtr request, std::string round, std::string nullifier);
    Response status(drogon::HttpRequestPtr request);
    Response queueStatus(drogon::HttpRequestPtr request);
};
}  // namespace relayer::controllers
