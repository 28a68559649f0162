// The pool of connections to one URL.
#include "chain/rpc/http_endpoint.h"

#include "chain/rpc/tls_names.h"

#include <drogon/HttpRequest.h>
#include <drogon/HttpResponse.h>

#include <algorithm>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

namespace relayer::chain::rpc
{
namespace
{
using Clock = std::chrono::steady_clock;
using Kind = HttpFailure::Kind;

constexpr double kWatchSeconds = 0.1;
// Nodes close idle connections without a word, some of them after five seconds.
constexpr std::chrono::milliseconds kIdleAtMost{4'000};

double seconds(std::chrono::milliseconds time)
{
    return static_cast<double>(time.count()) / 1000.0;
}

Kind kindOf(drogon::ReqResult result)
{
    switch (result)
    {
        case drogon::ReqResult::BadServerAddress:
        case drogon::ReqResult::HandshakeError:
        case drogon::ReqResult::InvalidCertificate: return Kind::NotSent;
        case drogon::ReqResult::Timeout: return Kind::TimedOut;
        default: return Kind::Broken;
    }
}
}  // namespace

// A client of Drogon's, and a second descriptor of its socket. A client that is dropped while a
// request hangs keeps itself alive through that request's callback; shutting the socket down is
// the only way to end both. The number of Drogon's own descriptor may be somebody else's by then,
// ours is not.
class HttpEndpoint::Connection
{
  public:
    Connection(trantor::EventLoop *loop, const Url &url)
        : client_(drogon::HttpClient::newHttpClient(url.origin(), loop)),
          socket_(std::make_shared<Socket>())
    {
        wantNameInCertificate(url.host);
        client_->setSockOptCallback([socket = socket_](int fd) { socket->follow(fd); });
    }
    Connection(const Connection &) = delete;
    Connection &operator=(const Connection &) = delete;
    ~Connection() { socket_->shutDown(); }

    [[nodiscard]] drogon::HttpClient &client() { return *client_; }
    [[nodiscard]] Clock::time_point lastUsed() const { return lastUsed_; }
    [[nodiscard]] bool used() const { return used_; }

    void startUse() { receivedBefore_ = client_->bytesReceived(); }
    [[nodiscard]] std::size_t received() const
    {
        return client_->bytesReceived() - receivedBefore_;
    }
    void endUse()
    {
        used_ = true;
        lastUsed_ = Clock::now();
    }

  private:
    class Socket
    {
      public:
        Socket() = default;
        Socket(const Socket &) = delete;
        Socket &operator=(const Socket &) = delete;
        ~Socket() { close(); }

        void follow(int fd)
        {
            close();
            copy_ = ::fcntl(fd, F_DUPFD_CLOEXEC, 0);
        }
        void shutDown()
        {
            if (copy_ >= 0)
            {
                ::shutdown(copy_, SHUT_RDWR);
            }
            close();
        }

      private:
        void close()
        {
            if (copy_ >= 0)
            {
                ::close(std::exchange(copy_, -1));
            }
        }
        int copy_ = -1;
    };

    drogon::HttpClientPtr client_;
    std::shared_ptr<Socket> socket_;
    Clock::time_point lastUsed_;
    std::size_t receivedBefore_ = 0;
    bool used_ = false;
};

struct HttpEndpoint::State
{
    explicit State(HttpQuestion asked) : question(std::move(asked)) {}

    HttpQuestion question;
    std::coroutine_handle<> caller;
    trantor::TimerId timer = trantor::InvalidTimerId;
    ConnectionPtr connection;  // while the request is on its way
    bool done = false;
    std::optional<HttpOutcome> outcome;
};

// Travels with Drogon's callback. When that is dropped without being called, the exchange ends.
class HttpEndpoint::Ticket
{
  public:
    Ticket(std::weak_ptr<HttpEndpoint> endpoint, StatePtr state)
        : endpoint_(std::move(endpoint)), state_(std::move(state))
    {}
    Ticket(const Ticket &) = delete;
    Ticket &operator=(const Ticket &) = delete;
    ~Ticket() { settle(HttpFailure{.kind = Kind::Broken}); }

    void settle(HttpOutcome outcome)
    {
        const StatePtr state = std::exchange(state_, nullptr);
        const auto endpoint = endpoint_.lock();
        if (state && endpoint)
        {
            endpoint->finish(state, std::move(outcome));
        }
    }

  private:
    std::weak_ptr<HttpEndpoint> endpoint_;
    StatePtr state_;
};

HttpEndpoint::HttpEndpoint(trantor::EventLoop *loop, Url url, HttpLimits limits)
    : loop_(loop), url_(std::move(url)), limits_(limits)
{}

// Drogon's clients end on their loop.
HttpEndpoint::~HttpEndpoint()
{
    if (!loop_->isInLoopThread())
    {
        loop_->queueInLoop([idle = std::move(idle_)] {});
    }
}

HttpEndpoint::Exchange HttpEndpoint::ask(HttpQuestion question)
{
    return {shared_from_this(), std::move(question)};
}

void HttpEndpoint::start(const StatePtr &state)
{
    ++stats_.exchanges;
    state->timer = loop_->runAfter(
        seconds(state->question.timeout), [self = weak_from_this(), waiter = std::weak_ptr(state)] {
            const auto endpoint = self.lock();
            const auto late = waiter.lock();
            if (endpoint && late)
            {
                endpoint->finish(
                    late, HttpFailure{.kind = late->connection ? Kind::TimedOut : Kind::NotSent});
            }
        });
    if (ConnectionPtr connection = takeConnection(state->question.idleAtMost))
    {
        send(state, std::move(connection));
    }
    else if (waiting_.size() < limits_.waiting)
    {
        waiting_.push_back(state);
        stats_.waiting = waiting_.size();
    }
    else
    {
        finish(state, HttpFailure{.kind = Kind::NotSent});
    }
}

// The one that was used last, so that those which are too many get old.
HttpEndpoint::ConnectionPtr HttpEndpoint::takeConnection(std::chrono::milliseconds idleAtMost)
{
    const auto now = Clock::now();
    dropStale(now);
    if (!idle_.empty() && now - idle_.back()->lastUsed() <= idleAtMost)
    {
        ConnectionPtr connection = std::move(idle_.back());
        idle_.pop_back();
        return connection;
    }
    if (stats_.connections >= limits_.connections && !idle_.empty())  // too old for this one
    {
        idle_.erase(idle_.begin());
        --stats_.connections;
    }
    if (stats_.connections >= limits_.connections)
    {
        return nullptr;
    }
    ++stats_.connections;
    return std::make_shared<Connection>(loop_, url_);
}

void HttpEndpoint::send(const StatePtr &state, ConnectionPtr connection)
{
    auto request = drogon::HttpRequest::newHttpRequest();
    HttpQuestion &question = state->question;
    request->setPathEncode(false);
    request->setPath(question.target.empty() ? url_.target : question.target);
    if (question.body)
    {
        request->setMethod(drogon::Post);
        request->setContentTypeString(question.contentType);
        request->setBody(std::move(*question.body));
    }
    if (!url_.authorization.empty())
    {
        request->addHeader("authorization", url_.authorization);
    }
    for (const auto &[name, value] : question.headers)
    {
        request->addHeader(name, value);
    }
    state->connection = std::move(connection);
    state->connection->startUse();
    flying_.push_back(state);
    stats_.inFlight = flying_.size();
    watch();
    auto ticket = std::make_shared<Ticket>(weak_from_this(), state);
    // `state` may be the only one to know the client, and the exchange may end in sendRequest.
    const ConnectionPtr kept = state->connection;
    kept->client().sendRequest(
        request,
        [ticket](drogon::ReqResult result, const drogon::HttpResponsePtr &response) {
            if (result == drogon::ReqResult::Ok && response)
            {
                ticket->settle(HttpAnswer{.status = static_cast<int>(response->statusCode()),
                                          .response = response});
                return;
            }
            ticket->settle(HttpFailure{.kind = kindOf(result)});
        },
        0);
}

void HttpEndpoint::finish(const StatePtr &state, HttpOutcome outcome)
{
    if (std::exchange(state->done, true))
    {
        return;
    }
    loop_->invalidateTimer(state->timer);
    if (auto *failure = std::get_if<HttpFailure>(&outcome); failure && state->connection)
    {
        failure->reused = state->connection->used();
    }
    if (const auto *answer = std::get_if<HttpAnswer>(&outcome);
        answer && answer->body().size() > limits_.maxAnswer)
    {
        outcome = HttpFailure{.kind = Kind::AnswerTooBig};
    }
    const bool answered = std::holds_alternative<HttpAnswer>(outcome);
    state->outcome = std::move(outcome);
    std::erase(flying_, state);
    std::erase(waiting_, state);
    stats_.inFlight = flying_.size();
    stats_.waiting = waiting_.size();
    if (ConnectionPtr connection = std::move(state->connection))
    {
        release(std::move(connection), answered);
    }
    // Not here: we may be inside of Drogon's client, or of the caller's own start.
    loop_->queueInLoop([state] { state->caller.resume(); });
}

// Not at once either: the client is still at work when it calls back.
void HttpEndpoint::release(ConnectionPtr connection, bool reusable)
{
    connection->endUse();
    loop_->queueInLoop(
        [self = weak_from_this(), connection = std::move(connection), reusable]() mutable {
            const auto endpoint = self.lock();
            if (!endpoint)
            {
                return;
            }
            if (reusable)
            {
                endpoint->idle_.push_back(std::move(connection));
            }
            else
            {
                connection.reset();
                --endpoint->stats_.connections;
                ++endpoint->stats_.thrownAway;
            }
            endpoint->serveNext();
        });
}

void HttpEndpoint::serveNext()
{
    while (!waiting_.empty())
    {
        const StatePtr next = waiting_.front();
        ConnectionPtr connection = takeConnection(next->question.idleAtMost);
        if (!connection)
        {
            return;
        }
        waiting_.pop_front();
        stats_.waiting = waiting_.size();
        send(next, std::move(connection));
    }
}

// Runs while anything is on its way or idle.
void HttpEndpoint::watch()
{
    if (std::exchange(watching_, true))
    {
        return;
    }
    loop_->runAfter(kWatchSeconds, [self = weak_from_this()] {
        const auto endpoint = self.lock();
        if (!endpoint)
        {
            return;
        }
        endpoint->watching_ = false;
        endpoint->cutOffLongAnswers();
        endpoint->dropStale(Clock::now());
        if (!endpoint->flying_.empty() || !endpoint->idle_.empty())
        {
            endpoint->watch();
        }
    });
}

// Drogon's client reads an answer to its end, however long it is.
void HttpEndpoint::cutOffLongAnswers()
{
    constexpr std::size_t kRoomForHeaders = 64UL * 1024;
    const std::vector<StatePtr> flying = flying_;
    for (const StatePtr &state : flying)
    {
        if (state->connection &&
            state->connection->received() > limits_.maxAnswer + kRoomForHeaders)
        {
            finish(state, HttpFailure{.kind = Kind::AnswerTooBig});
        }
    }
}

void HttpEndpoint::dropStale(Clock::time_point now)
{
    const auto fresh = std::ranges::find_if(idle_, [now](const ConnectionPtr &connection) {
        return now - connection->lastUsed() <= kIdleAtMost;
    });
    stats_.connections -= static_cast<std::size_t>(fresh - idle_.begin());
    idle_.erase(idle_.begin(), fresh);
}

HttpEndpoint::Exchange::Exchange(std::shared_ptr<HttpEndpoint> endpoint, HttpQuestion question)
    : endpoint_(std::move(endpoint)), state_(std::make_shared<State>(std::move(question)))
{}

void HttpEndpoint::Exchange::await_suspend(std::coroutine_handle<> caller)
{
    state_->caller = caller;
    endpoint_->start(state_);
}

HttpOutcome HttpEndpoint::Exchange::await_resume()
{
    return std::move(*state_->outcome);
}
}  // namespace relayer::chain::rpc
