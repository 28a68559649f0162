// One URL, and the connections to it. Drogon's HttpClient is one connection that carries one
// request at a time, so this keeps several of them: made on demand, kept while they are fresh,
// thrown away after a timeout or an error, because such a client stays stuck behind what it hung
// on. Who finds all of them busy waits in line.
//
// Every exchange ends exactly once, with an answer or a failure, be it that Drogon loses its
// callbacks: the deadline is our own timer. Of one loop; only stats() may be read elsewhere.
#pragma once

#include "chain/rpc/url.h"

#include <drogon/HttpClient.h>
#include <drogon/utils/coroutine.h>
#include <trantor/net/EventLoop.h>

#include <atomic>
#include <chrono>
#include <coroutine>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace relayer::chain::rpc
{
struct HttpAnswer
{
    int status = 0;
    drogon::HttpResponsePtr response;

    [[nodiscard]] std::string_view body() const { return response->body(); }
};

struct HttpFailure
{
    enum class Kind : std::uint8_t
    {
        NotSent,       // no connection was made, or no place in line: nothing left this machine
        Broken,        // the connection broke after the request had gone
        TimedOut,      // it may have been answered by now
        AnswerTooBig,  // and was not read to its end
    };
    Kind kind = Kind::Broken;
    // The connection had carried calls before: the other side may have closed it while it was idle.
    bool reused = false;
};

using HttpOutcome = std::variant<HttpAnswer, HttpFailure>;

struct HttpLimits
{
    std::size_t connections = 64;
    std::size_t waiting = 4096;  // in line for a connection; more are refused at once
    std::size_t maxAnswer = 64UL * 1024 * 1024;
};

struct HttpQuestion
{
    // Nothing: it is a GET.
    std::optional<std::string> body;
    // Path and query; empty: the URL's own.
    std::string target;
    std::string contentType = "application/json";
    std::map<std::string, std::string> headers;
    std::chrono::milliseconds timeout{10'000};
    // A connection that was idle for longer is not used; negative: a new one is made.
    std::chrono::milliseconds idleAtMost{4'000};
};

class HttpEndpoint : public std::enable_shared_from_this<HttpEndpoint>
{
  public:
    struct Stats
    {
        std::atomic<std::size_t> exchanges{0};
        std::atomic<std::size_t> inFlight{0};
        std::atomic<std::size_t> waiting{0};
        std::atomic<std::size_t> connections{0};
        std::atomic<std::size_t> thrownAway{0};
    };

    HttpEndpoint(trantor::EventLoop *loop, Url url, HttpLimits limits);
    ~HttpEndpoint();
    HttpEndpoint(const HttpEndpoint &) = delete;
    HttpEndpoint &operator=(const HttpEndpoint &) = delete;

    // On the loop; the caller is resumed there, never before this returns.
    class Exchange;
    [[nodiscard]] Exchange ask(HttpQuestion question);

    [[nodiscard]] const Stats &stats() const { return stats_; }
    [[nodiscard]] const Url &url() const { return url_; }

  private:
    class Connection;
    struct State;
    class Ticket;
    using StatePtr = std::shared_ptr<State>;
    using ConnectionPtr = std::shared_ptr<Connection>;

    void start(const StatePtr &state);
    [[nodiscard]] ConnectionPtr takeConnection(std::chrono::milliseconds idleAtMost);
    void send(const StatePtr &state, ConnectionPtr connection);
    void finish(const StatePtr &state, HttpOutcome outcome);
    void release(ConnectionPtr connection, bool reusable);
    void serveNext();
    void watch();
    void cutOffLongAnswers();
    void dropStale(std::chrono::steady_clock::time_point now);

    trantor::EventLoop *loop_;
    const Url url_;
    const HttpLimits limits_;
    std::vector<ConnectionPtr> idle_;  // the last used at the back
    std::deque<StatePtr> waiting_;
    std::vector<StatePtr> flying_;
    bool watching_ = false;
    Stats stats_;
};

class [[nodiscard]] HttpEndpoint::Exchange
{
  public:
    Exchange(std::shared_ptr<HttpEndpoint> endpoint, HttpQuestion question);
    [[nodiscard]] bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> caller);
    HttpOutcome await_resume();

  private:
    std::shared_ptr<HttpEndpoint> endpoint_;
    StatePtr state_;
};
}  // namespace relayer::chain::rpc
