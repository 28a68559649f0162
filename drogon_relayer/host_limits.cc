#include "drogon_relayer/host_limits.h"

#include "wire/build_info.h"

#include <drogon/HttpAppFramework.h>
#include <trantor/net/TcpClient.h>
#include <trantor/utils/Logger.h>

#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <utility>

namespace relayer
{
namespace
{
using Clock = std::chrono::steady_clock;
using trantor::TcpConnectionPtr;

// One that is held just as long as the idle time would lose the race.
constexpr std::chrono::seconds kSpare{2};
constexpr double kUntilItListens = 0.2;

struct Needs
{
    std::uint64_t body = 0;
    std::chrono::seconds idle{0};
};

trantor::InetAddress reachable(const trantor::InetAddress &listener)
{
    const std::string ip = listener.toIp();
    const bool any = ip == "0.0.0.0" || ip == "::";
    return {any ? (listener.isIpV6() ? "::1" : "127.0.0.1") : ip, listener.toPort(),
            listener.isIpV6()};
}

void warn(std::string_view setting, const std::string &value, const std::string &needed)
{
    LOG_WARN << "step=host_setting_too_small setting=" << setting << " value=" << value
             << " needed=" << needed << " (app section of this application's configuration)";
}

// One connection of ours to our own program. Kept by its own callbacks until it closes.
class Look : public std::enable_shared_from_this<Look>
{
  public:
    Look(const trantor::InetAddress &address, Needs needs)
        : needs_(needs),
          client_(
              std::make_shared<trantor::TcpClient>(drogon::app().getLoop(), address, "HostLimits"))
    {}

    // Announces a body of that size, and sends none: whoever takes it says 100.
    void atTheBody()
    {
        run([self = shared_from_this()](const TcpConnectionPtr &connection) {
            connection->send(
                "POST / HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\n"
                "Content-Length: " +
                std::to_string(self->needs_.body) + "\r\n\r\n");
        });
        client_->setMessageCallback([self = shared_from_this()](const TcpConnectionPtr &connection,
                                                                trantor::MsgBuffer *answer) {
            const std::string_view said(answer->peek(), answer->readableBytes());
            if (said.find(" 413 ") != std::string_view::npos)
            {
                warn("client_max_body_size", "below_http.max_body",
                     std::to_string(self->needs_.body));
            }
            answer->retrieveAll();
            connection->forceClose();
        });
    }

    // Says nothing, and sees how long that is borne.
    void atTheIdleTime()
    {
        run([self = shared_from_this()](const TcpConnectionPtr &connection) {
            self->opened_ = Clock::now();
            const std::weak_ptr<trantor::TcpConnection> weak = connection;
            connection->getLoop()->runAfter(static_cast<double>(self->needs_.idle.count()),
                                            [self, weak] {
                                                self->borne_ = true;
                                                if (const auto open = weak.lock())
                                                {
                                                    open->forceClose();
                                                }
                                            });
        });
        client_->setMessageCallback(
            [](const TcpConnectionPtr &, trantor::MsgBuffer *answer) { answer->retrieveAll(); });
    }

  private:
    void run(std::function<void(const TcpConnectionPtr &)> opened)
    {
        client_->setConnectionCallback(
            [self = shared_from_this(), opened](const TcpConnectionPtr &connection) {
                if (connection->connected())
                {
                    opened(connection);
                    return;
                }
                self->closed();
            });
        client_->setConnectionErrorCallback([self = shared_from_this()] { self->letGo(); });
        client_->connect();
    }

    void closed()
    {
        if (opened_ && !borne_)
        {
            const auto lasted = std::chrono::round<std::chrono::seconds>(Clock::now() - *opened_);
            warn("idle_connection_timeout", std::to_string(lasted.count()),
                 std::to_string(needs_.idle.count()));
        }
        letGo();
    }
    // Not within one of its callbacks, which it owns.
    void letGo()
    {
        drogon::app().getLoop()->queueInLoop([client = std::move(client_)] {
            client->setConnectionCallback([](const TcpConnectionPtr &) {});
            client->setMessageCallback([](const TcpConnectionPtr &, trantor::MsgBuffer *) {});
            client->setConnectionErrorCallback(nullptr);
        });
    }

    const Needs needs_;
    std::shared_ptr<trantor::TcpClient> client_;
    std::optional<Clock::time_point> opened_;
    bool borne_ = false;
};

void look(Needs needs)
{
    const auto listeners = drogon::app().getListeners();
    if (listeners.empty())
    {
        return;
    }
    const auto address = reachable(listeners.front());
    std::make_shared<Look>(address, needs)->atTheBody();
    std::make_shared<Look>(address, needs)->atTheIdleTime();
}
}  // namespace

void lookAtHostLimits(const config::HttpSettings &http)
{
    const Needs needs{http.maxBody,
                      std::chrono::ceil<std::chrono::seconds>(http.longPoll.maxWait) + kSpare};
    if (drogon::app().getThreadNum() < 2 && std::thread::hardware_concurrency() > 1)
    {
        warn("number_of_threads", std::to_string(drogon::app().getThreadNum()), "2");
    }
    drogon::app().registerBeginningAdvice(
        [needs] { drogon::app().getLoop()->runAfter(kUntilItListens, [needs] { look(needs); }); });
}
}  // namespace relayer
