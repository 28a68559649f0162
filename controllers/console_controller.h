// The pages of the console. Drogon owns the one instance; handlers run on the loop of their
// connection.
#pragma once

#include "controllers/mounted.h"
#include "filters/console_session.h"

#include <string>

namespace relayer::controllers
{
class ConsoleController : public Mounted<ConsoleController>
{
  public:
    METHOD_LIST_BEGIN
    ADD_METHOD_TO(ConsoleController::overview, "/console", drogon::Get, filters::kConsoleOnly);
    ADD_METHOD_TO(ConsoleController::requests, "/console/requests", drogon::Get,
                  filters::kConsoleOnly);
    ADD_METHOD_TO(ConsoleController::request, "/console/requests/{job_id}", drogon::Get,
                  filters::kConsoleOnly);
    ADD_METHOD_TO(ConsoleController::act, "/console/requests/{job_id}/{action}", drogon::Post,
                  filters::kConsoleOnly);
    ADD_METHOD_TO(ConsoleController::shares, "/console/shares", drogon::Get, filters::kConsoleOnly);
    ADD_METHOD_TO(ConsoleController::removeValidator, "/console/validators/{operator}/remove",
                  drogon::Post, filters::kConsoleOnly);
    METHOD_LIST_END

    using Answer = drogon::Task<drogon::HttpResponsePtr>;
    Answer overview(drogon::HttpRequestPtr request);
    Answer requests(drogon::HttpRequestPtr request);
    Answer request(drogon::HttpRequestPtr request, std::string jobId);
    Answer act(drogon::HttpRequestPtr request, std::string jobId, std::string action);
    Answer shares(drogon::HttpRequestPtr request);
    Answer removeValidator(drogon::HttpRequestPtr request, std::string operatorAddress);
};
}  // namespace relayer::controllers
