// What the server is measured against: routes of Drogon's that do as little as can be done for the
// same answer, in a process of their own with as many threads.
#pragma once

#include <drogon/HttpAppFramework.h>
#include <drogon/HttpResponse.h>
#include <drogon/orm/DbClient.h>

#include <csignal>
#include <cstdint>
#include <string>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

namespace relayer::bench
{
struct BareOptions
{
    std::uint16_t port = 0;
    std::size_t threads = 2;
    std::string database;  // of the select, as Drogon wants it
    std::size_t connections = 2;
    std::string select;  // one parameter, a uuid as text
    std::string answer;  // of GET /bare/…
    std::string accepted;
};

// Before any other thread is started, since it forks.
class BareServer
{
  public:
    explicit BareServer(const BareOptions &options) : child_(fork())
    {
        if (child_ == 0)
        {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            serve(options);
            _exit(0);
        }
    }
    ~BareServer()
    {
        ::kill(child_, SIGKILL);
        waitpid(child_, nullptr, 0);
    }
    BareServer(const BareServer &) = delete;
    BareServer &operator=(const BareServer &) = delete;

    [[nodiscard]] pid_t process() const { return child_; }

  private:
    using Callback = std::function<void(const drogon::HttpResponsePtr &)>;

    static drogon::HttpResponsePtr json(drogon::HttpStatusCode status, std::string body)
    {
        auto response = drogon::HttpResponse::newHttpResponse();
        response->setStatusCode(status);
        response->setContentTypeString("application/json");
        response->setBody(std::move(body));
        return response;
    }

    static drogon::AsyncTask selectOne(drogon::orm::DbClientPtr client, const std::string *select,
                                       std::string id, Callback callback)
    {
        auto *const loop = trantor::EventLoop::getEventLoopOfCurrentThread();
        const auto rows = co_await client->execSqlCoro(*select, std::move(id));
        std::string body = R"({"status":"queued","rows":)" + std::to_string(rows.size()) + "}";
        co_await drogon::switchThreadCoro(loop);
        callback(json(drogon::k202Accepted, std::move(body)));
    }

    static void serve(const BareOptions &options)
    {
        auto &app = drogon::app();
        trantor::Logger::setLogLevel(trantor::Logger::kError);
        const auto client =
            drogon::orm::DbClient::newPgClient(options.database, options.connections);
        client->setTimeout(10);
        app.registerHandler(
            "/bare/{1}",
            [&options](const drogon::HttpRequestPtr &, Callback &&callback, const std::string &) {
                callback(json(drogon::k200OK, options.answer));
            },
            {drogon::Get});
        app.registerHandler("/bare",
                            [&options](const drogon::HttpRequestPtr &, Callback &&callback) {
                                callback(json(drogon::k202Accepted, options.accepted));
                            },
                            {drogon::Post});
        app.registerHandler("/select/{1}",
                            [&options, client](const drogon::HttpRequestPtr &, Callback &&callback,
                                               const std::string &id) {
                                selectOne(client, &options.select, id, std::move(callback));
                            },
                            {drogon::Get});
        app.addListener("127.0.0.1", options.port)
            .setThreadNum(options.threads)
            .setUploadPath("/tmp")
            .enableServerHeader(false)
            .run();
    }

    const pid_t child_;
};
}  // namespace relayer::bench
