// What we can do, said to those who want to know: /openapi.json for programs, /docs for people.
// Drogon owns the one instance. Each HTTP thread keeps what it made for the day: the timestamps in
// the examples are those of midnight, so that a copied example has not expired.
#pragma once

#include "controllers/mounted.h"

#include <string>

namespace relayer::controllers
{
class DocumentController : public Mounted<DocumentController>
{
  public:
    METHOD_LIST_BEGIN
    ADD_METHOD_TO(DocumentController::document, "/openapi.json", drogon::Get);
    ADD_METHOD_TO(DocumentController::page, "/docs", drogon::Get);
    METHOD_LIST_END

    DocumentController();

    drogon::Task<drogon::HttpResponsePtr> document(drogon::HttpRequestPtr request);
    drogon::Task<drogon::HttpResponsePtr> page(drogon::HttpRequestPtr request);

  private:
    const std::string pagePolicy_;
};
}  // namespace relayer::controllers
