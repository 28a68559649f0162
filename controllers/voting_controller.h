// The routes beside a vote: the published configuration, validators who want to join, and what a
// page of ours has to know. Pages of any origin may read them. Drogon owns the one instance.
#pragma once

#include "controllers/mounted.h"
#include "filters/admin_access.h"

#include <string>

namespace relayer::controllers
{
class VotingController : public Mounted<VotingController>
{
  public:
    METHOD_LIST_BEGIN
    ADD_METHOD_TO(VotingController::votingConfig, "/api/voting-config", drogon::Get);
    ADD_METHOD_TO(VotingController::registerValidator, "/api/register-validator", drogon::Post);
    ADD_METHOD_TO(VotingController::pendingValidators, "/api/pending-validators", drogon::Get);
    ADD_METHOD_TO(VotingController::uiConfig, "/api/ui-config", drogon::Get);
    // Only for who administers.
    ADD_METHOD_TO(VotingController::removeValidator, "/admin/pending-validators/{operator}/remove",
                  drogon::Post, filters::kAdminOnly);
    METHOD_LIST_END

    using Response = drogon::Task<drogon::HttpResponsePtr>;

    Response votingConfig(drogon::HttpRequestPtr request);
    Response registerValidator(drogon::HttpRequestPtr request);
    Response pendingValidators(drogon::HttpRequestPtr request);
    Response uiConfig(drogon::HttpRequestPtr request);
    Response removeValidator(drogon::HttpRequestPtr request, std::string address);
};
}  // namespace relayer::controllers
