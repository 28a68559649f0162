// An application as there may be one already: its own routes, its own configuration, its own table.
// It does not know of the relayer that is linked to it; config.json does.
#include <drogon/drogon.h>

using drogon::HttpRequestPtr;
using drogon::HttpResponse;
using Answer = std::function<void(const drogon::HttpResponsePtr &)>;

int main(int argc, char **argv)
{
    drogon::app().registerHandler(
        "/hello/{name}", [](const HttpRequestPtr &, Answer &&answer, const std::string &name) {
            auto response = HttpResponse::newHttpResponse();
            response->setBody("Hello, " + name + "\n");
            answer(response);
        });
    drogon::app().registerHandler("/healthz", [](const HttpRequestPtr &, Answer &&answer) {
        drogon::app().getDbClient()->execSqlAsync(
            "SELECT 1",
            [answer](const drogon::orm::Result &) {
                auto response = HttpResponse::newHttpResponse();
                response->setBody("the greeter is well\n");
                answer(response);
            },
            [answer](const drogon::orm::DrogonDbException &) {
                auto response = HttpResponse::newHttpResponse();
                response->setStatusCode(drogon::k503ServiceUnavailable);
                answer(response);
            });
    });
    drogon::app().loadConfigFile(argc > 1 ? argv[1] : "config.json").run();
}
