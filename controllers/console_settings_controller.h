// The settings page of the console: what can be changed while the program runs, one form for each,
// and the audit trail. Drogon owns the one instance.
#pragma once

#include "controllers/mounted.h"
#include "filters/console_session.h"

namespace relayer::controllers
{
class ConsoleSettingsController : public Mounted<ConsoleSettingsController>
{
  public:
    METHOD_LIST_BEGIN
    ADD_METHOD_TO(ConsoleSettingsController::show, "/console/settings", drogon::Get,
                  filters::kConsoleOnly);
    ADD_METHOD_TO(ConsoleSettingsController::change, "/console/settings", drogon::Post,
                  filters::kConsoleOnly);
    METHOD_LIST_END

    using Answer = drogon::Task<drogon::HttpResponsePtr>;
    Answer show(drogon::HttpRequestPtr request);
    Answer change(drogon::HttpRequestPtr request);
};
}  // namespace relayer::controllers
