// /admin itself: whether one is let in, and as whom. Drogon owns the one instance.
#pragma once

#include "controllers/mounted.h"
#include "filters/admin_access.h"

namespace relayer::controllers
{
class AdminController : public Mounted<AdminController>
{
  public:
    METHOD_LIST_BEGIN
    ADD_METHOD_TO(AdminController::welcome, "/admin", drogon::Get, filters::kAdminOnly);
    METHOD_LIST_END

    drogon::Task<drogon::HttpResponsePtr> welcome(drogon::HttpRequestPtr request);
};
}  // namespace relayer::controllers
