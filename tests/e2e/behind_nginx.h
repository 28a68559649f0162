// Two instances on one database behind deploy/nginx.conf in a real nginx, and jobs that move
// because the test says so.
#pragma once

#include "e2e/admin_server.h"
#include "e2e/waiting_server.h"
#include "support/eventually.h"
#include "support/nginx_process.h"

#include <chrono>
#include <memory>

namespace relayer::test
{
class BehindNginx : public WaitingServer
{
  protected:
    void SetUp() override
    {
        RELAYER_NEEDS_NGINX();
        WaitingServer::SetUp();
    }
    void TearDown() override
    {
        nginx_.reset();
        second_.reset();
        WaitingServer::TearDown();
    }

    using Environment = std::map<std::string, std::string>;
    static Environment behindAProxy(Environment environment = {})
    {
        environment.insert({"RELAYER_HTTP__TRUSTED_PROXIES", "127.0.0.1"});
        environment.insert({"RELAYER_ADMIN__ACCESS", "token"});
        environment.insert({"RELAYER_ADMIN__TOKEN", kAdminToken});
        return environment;
    }
    void serveTwo(const Environment &environment = {})
    {
        ServerOptions options = onDatabase(database_->url(), "two");
        options.environment.merge(behindAProxy(environment));
        second_ = std::make_unique<ServerProcess>(options);
        serve(behindAProxy(environment));
        ASSERT_TRUE(second_->becomesHealthy()) << second_->output();
        standBefore(server_->port(), second_->port());
    }
    // One instance, and something else at the other's port.
    void serveOneBeside(std::uint16_t other, const Environment &environment = {})
    {
        serve(behindAProxy(environment));
        standBefore(server_->port(), other);
    }
    void standBefore(std::uint16_t one, std::uint16_t other)
    {
        nginx_ = std::make_unique<NginxProcess>(std::array{one, other});
    }
    // By the instance that nginx chose, which may be either. Logs are written a moment after an
    // answer, by a thread of their own.
    [[nodiscard]] bool eitherPrinted(const std::string &text) const
    {
        return eventually([&] {
            constexpr std::chrono::milliseconds kNow(0);
            return server_->printed(text, kNow) || second_->printed(text, kNow);
        });
    }

    std::unique_ptr<ServerProcess> second_;
    std::unique_ptr<NginxProcess> nginx_;
};

// As from somewhere else: this machine may say so (set_real_ip_from).
[[nodiscard]] inline HttpHeaders from(const std::string &address, HttpHeaders headers = {})
{
    headers["X-Forwarded-For"] = address;
    return headers;
}
inline const std::string kOutside = "203.0.113.7";
}  // namespace relayer::test
