// The subscription: one connection after the other, each with its own link, so that what an old one
// still has to say is not taken for the new one's.
#include "chain/rpc/log_subscription.h"

#include "chain/rpc/json_answers.h"
#include "chain/rpc/json_requests.h"
#include "chain/rpc/tls_names.h"
#include "chain/rpc/url.h"

#include <drogon/HttpRequest.h>
#include <drogon/WebSocketClient.h>
#include <drogon/WebSocketConnection.h>

#include <algorithm>
#include <array>
#include <mutex>
#include <stdexcept>
#include <utility>

namespace relayer::chain::rpc
{
namespace
{
using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr std::uint64_t kSubscribeId = 1;
constexpr std::size_t kMostEarlyLogs = 10'000;

double seconds(milliseconds time)
{
    return static_cast<double>(time.count()) / 1000.0;
}

// What there is a timer for, one of each at a time.
enum class Wait : std::uint8_t
{
    Connect,  // for the node's consent, or for the pause before
    Probe,
    Recycle
};
constexpr std::size_t kWaits = 3;

// One of Drogon's clients. Left alone it would connect again after a second, for ever; stopping it
// before its callback returns is what keeps it from that.
struct Link
{
    drogon::WebSocketClientPtr client;
    bool over = false;

    void end()
    {
        if (!std::exchange(over, true))
        {
            client->stop();
        }
    }
};
using LinkPtr = std::shared_ptr<Link>;

// Drogon puts a control frame that comes between two parts of a message into that message, and
// hands it out as the control frame's; the message is lost. Ours carry no payload, so this is how
// it shows.
bool swallowedAMessage(drogon::WebSocketMessageType type, const std::string &message)
{
    const bool control =
        type == drogon::WebSocketMessageType::Ping || type == drogon::WebSocketMessageType::Pong;
    constexpr std::size_t kLongestControlFrame = 125;
    return control && (message.size() > kLongestControlFrame || message.starts_with('{') ||
                       message.starts_with('['));
}

class SocketSubscription final : public LogSubscription,
                                 public std::enable_shared_from_this<SocketSubscription>
{
  public:
    SocketSubscription(trantor::EventLoop *loop, SubscriptionOptions options, Url url,
                       Events events)
        : loop_(loop),
          options_(std::move(options)),
          url_(std::move(url)),
          events_(std::move(events)),
          pause_(options_.backOffFirst)
    {}
    SocketSubscription(const SocketSubscription &) = delete;
    SocketSubscription &operator=(const SocketSubscription &) = delete;

    ~SocketSubscription() override
    {
        if (link_)
        {
            loop_->runInLoop([link = link_] { link->end(); });
        }
    }

    void start() override
    {
        if (!std::exchange(running_, true))
        {
            connect();
        }
    }

    void stop() override
    {
        running_ = false;
        dropLink();
    }

    [[nodiscard]] State state() const override
    {
        const std::scoped_lock lock(mutex_);
        return state_;
    }

  private:
    void connect();
    void listenTo(const LinkPtr &link);
    void dropLink();
    void fail(const std::string &why);
    void reconnect();
    void after(Wait wait, milliseconds time, std::function<void()> what);
    void send(const std::string &text);
    void askForLogs();
    void probe();
    void take(const std::string &message, drogon::WebSocketMessageType type);
    void takeAnswer(SocketAnswer answer);
    void takeLog(const Json::Value &value);
    void agree();

    // Whether a callback still speaks for the connection that we have.
    [[nodiscard]] bool current(const LinkPtr &link) const { return running_ && link_ == link; }
    template <typename Change>
    void note(Change change)
    {
        const std::scoped_lock lock(mutex_);
        change(state_);
    }

    trantor::EventLoop *const loop_;
    const SubscriptionOptions options_;
    const Url url_;
    const Events events_;

    // Of the loop:
    bool running_ = false;
    LinkPtr link_;
    std::array<trantor::TimerId, kWaits> timers_{};
    milliseconds pause_;
    bool subscribed_ = false;
    Clock::time_point since_;  // subscribed
    Clock::time_point lastHeard_;
    std::uint64_t lastProbe_ = kSubscribeId;
    std::vector<Log> earlyLogs_;
    std::size_t earlySkipped_ = 0;

    mutable std::mutex mutex_;
    State state_;  // for others to see
};

// The timers end with the link or the pause that they were set for.
void SocketSubscription::after(Wait wait, milliseconds time, std::function<void()> what)
{
    const std::weak_ptr<SocketSubscription> weak = weak_from_this();
    trantor::TimerId &timer = timers_.at(static_cast<std::size_t>(wait));
    loop_->invalidateTimer(timer);
    timer = loop_->runAfter(seconds(time), [weak, link = link_, what = std::move(what)] {
        const auto self = weak.lock();
        if (self && self->current(link))
        {
            what();
        }
    });
}

void SocketSubscription::connect()
{
    dropLink();
    link_ = std::make_shared<Link>();
    wantNameInCertificate(url_.host);
    link_->client = drogon::WebSocketClient::newWebSocketClient(url_.origin(), loop_);
    listenTo(link_);
    auto request = drogon::HttpRequest::newHttpRequest();
    request->setPathEncode(false);
    request->setPath(url_.target);
    if (!url_.authorization.empty())
    {
        request->addHeader("authorization", url_.authorization);
    }
    lastHeard_ = Clock::now();
    after(Wait::Connect, options_.connectTimeout, [this] {
        if (!subscribed_)
        {
            fail("no subscription in time");
        }
    });
    const std::weak_ptr<SocketSubscription> weak = weak_from_this();
    const std::weak_ptr<Link> weakLink = link_;  // the client keeps this callback
    const drogon::WebSocketClientPtr client = link_->client;
    client->connectToServer(
        request, [weak, weakLink](drogon::ReqResult result, const drogon::HttpResponsePtr &,
                                  const drogon::WebSocketClientPtr &connected) {
            const auto self = weak.lock();
            const auto link = weakLink.lock();
            const bool ours = self && link && self->current(link);
            if (!ours || result != drogon::ReqResult::Ok)
            {
                link ? link->end() : connected->stop();
            }
            if (ours && result != drogon::ReqResult::Ok)
            {
                self->fail("no connection");
            }
            else if (ours)
            {
                self->askForLogs();
            }
        });
}

void SocketSubscription::listenTo(const LinkPtr &link)
{
    const std::weak_ptr<SocketSubscription> weak = weak_from_this();
    const std::weak_ptr<Link> weakLink = link;  // the client keeps its handlers as long as itself
    link->client->setMessageHandler([weak, weakLink](const std::string &message,
                                                     const drogon::WebSocketClientPtr &,
                                                     const drogon::WebSocketMessageType &type) {
        const auto self = weak.lock();
        const auto ours = weakLink.lock();
        if (self && ours && self->current(ours))
        {
            self->take(message, type);
        }
    });
    link->client->setConnectionClosedHandler(
        [weak, weakLink](const drogon::WebSocketClientPtr &client) {
            const auto self = weak.lock();
            const auto ours = weakLink.lock();
            if (!ours)
            {
                client->stop();
                return;
            }
            ours->end();
            if (self && self->current(ours))
            {
                self->fail("the connection broke");
            }
        });
}

// Ended a little later: we may be inside of one of the client's callbacks.
void SocketSubscription::dropLink()
{
    for (trantor::TimerId &timer : timers_)
    {
        loop_->invalidateTimer(std::exchange(timer, trantor::InvalidTimerId));
    }
    earlyLogs_.clear();
    earlySkipped_ = 0;
    subscribed_ = false;
    note([](State &state) { state.subscribed = false; });
    if (LinkPtr link = std::exchange(link_, nullptr))
    {
        loop_->queueInLoop([link = std::move(link)] { link->end(); });
    }
}

void SocketSubscription::fail(const std::string &why)
{
    // One that held longer than the pause before it was a good one.
    if (subscribed_ && Clock::now() - since_ >= pause_)
    {
        pause_ = options_.backOffFirst;
    }
    dropLink();
    note([](State &state) { ++state.failures; });
    after(Wait::Connect, pause_, [this] { connect(); });
    pause_ = std::min(pause_ * 2, options_.backOffMost);
    if (events_.broken)
    {
        events_.broken(options_.endpoint.name + ": " + why);
    }
}

// Planned: no failure, and no pause.
void SocketSubscription::reconnect()
{
    dropLink();
    after(Wait::Connect, milliseconds(0), [this] { connect(); });
    if (events_.broken)
    {
        events_.broken(options_.endpoint.name + ": a planned reconnect");
    }
}

void SocketSubscription::send(const std::string &text)
{
    if (const auto connection = link_->client->getConnection())
    {
        connection->send(text, drogon::WebSocketMessageType::Text);
    }
}

void SocketSubscription::askForLogs()
{
    lastHeard_ = Clock::now();
    note([](State &state) { ++state.connects; });
    // Our probe does what a ping does, and shows that the node behind the connection lives.
    if (const auto connection = link_->client->getConnection())
    {
        connection->disablePing();
    }
    send(requestBody(kSubscribeId, "eth_subscribe",
                     subscribeParams(options_.addresses, options_.anyTopic0)));
    after(Wait::Probe, options_.probeEvery, [this] { probe(); });
}

void SocketSubscription::probe()
{
    if (Clock::now() - lastHeard_ >= options_.silence)
    {
        fail("silent");
        return;
    }
    send(requestBody(++lastProbe_, "eth_blockNumber", "[]"));
    after(Wait::Probe, std::min(options_.probeEvery, options_.silence), [this] { probe(); });
}

void SocketSubscription::take(const std::string &message, drogon::WebSocketMessageType type)
{
    lastHeard_ = Clock::now();
    note([this](State &state) { state.lastHeard = lastHeard_; });
    if (swallowedAMessage(type, message))
    {
        fail("a message was lost between its parts");
        return;
    }
    if (type != drogon::WebSocketMessageType::Text && type != drogon::WebSocketMessageType::Binary)
    {
        return;
    }
    if (message.size() > options_.maxMessage)
    {
        fail("a message is too big");
        return;
    }
    SocketFrame frame = openFrame(message, {.bytes = options_.maxMessage});
    if (auto *pushed = std::get_if<PushedLog>(&frame))
    {
        takeLog(pushed->log);
    }
    else if (auto *answer = std::get_if<SocketAnswer>(&frame))
    {
        takeAnswer(std::move(*answer));
    }
    else
    {
        note([](State &state) { ++state.strange; });
    }
}

void SocketSubscription::takeAnswer(SocketAnswer answer)
{
    const auto *result = std::get_if<Json::Value>(&answer.answer);
    if (answer.id == kSubscribeId)
    {
        if (result == nullptr || !result->isString())
        {
            fail("the subscription was refused");
            return;
        }
        agree();
        return;
    }
    const auto number = result != nullptr ? decodeNumber(*result) : std::nullopt;
    if (number && answer.id == lastProbe_ && events_.head)
    {
        events_.head(*number);
    }
}

void SocketSubscription::agree()
{
    if (std::exchange(subscribed_, true))
    {
        return;
    }
    since_ = Clock::now();
    note([](State &state) {
        state.subscribed = true;
        state.failures = 0;
    });
    if (options_.recycleAfter.count() > 0)
    {
        after(Wait::Recycle, options_.recycleAfter, [this] { reconnect(); });
    }
    const LinkPtr link = link_;
    std::vector<Log> early = std::exchange(earlyLogs_, {});
    const std::size_t skipped = std::exchange(earlySkipped_, 0);
    if (events_.subscribed)
    {
        events_.subscribed();
    }
    if (current(link) && events_.logs && (!early.empty() || skipped > 0))
    {
        events_.logs(std::move(early), skipped);
    }
}

void SocketSubscription::takeLog(const Json::Value &value)
{
    auto log = decodeLog(value);
    std::vector<Log> logs;
    const std::size_t skipped = log ? 0 : 1;
    if (log)
    {
        logs.push_back(std::move(*log));
    }
    if (subscribed_)
    {
        if (events_.logs)
        {
            events_.logs(std::move(logs), skipped);
        }
        return;
    }
    // More than these the owner finds when it asks for what came before the subscription.
    earlySkipped_ += skipped;
    if (!logs.empty() && earlyLogs_.size() < kMostEarlyLogs)
    {
        earlyLogs_.push_back(std::move(logs.front()));
    }
}
}  // namespace

std::shared_ptr<LogSubscription> subscribeToLogs(trantor::EventLoop *loop,
                                                 SubscriptionOptions options,
                                                 LogSubscription::Events events)
{
    auto url = parseUrl(options.endpoint.url);
    if (!url || (url->scheme != "ws" && url->scheme != "wss"))
    {
        throw std::invalid_argument("endpoint " + options.endpoint.name + ": not a ws or wss URL");
    }
    return std::make_shared<SocketSubscription>(loop, std::move(options), std::move(*url),
                                                std::move(events));
}
}  // namespace relayer::chain::rpc
