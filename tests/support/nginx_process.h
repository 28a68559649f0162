// deploy/nginx.conf in a real nginx, in front of two ports of the test's choice, with other ports
// and files and a certificate of its own. `nginx -t` has to find nothing wrong first. In a folder
// of its own; gone with the object.
//
//     if (const std::string why = NginxProcess::whyMissing(); !why.empty()) GTEST_SKIP() << why;
//     NginxProcess nginx({8088, 8089});
//     HttpClient client = nginx.client();
#pragma once

#include "support/http_client.h"

#include <array>
#include <cstdint>
#include <string>
#include <sys/types.h>
#include <vector>

namespace relayer::test
{
class NginxProcess
{
  public:
    // Why there can be none here; empty when there can.
    [[nodiscard]] static std::string whyMissing();

    // Throws std::runtime_error when it does not come up. `locations` are put before the last one.
    explicit NginxProcess(const std::array<std::uint16_t, 2> &instances,
                          const std::string &locations = "");
    ~NginxProcess();
    NginxProcess(const NginxProcess &) = delete;
    NginxProcess &operator=(const NginxProcess &) = delete;

    // That of TLS, and the one that only sends people there.
    [[nodiscard]] std::uint16_t port() const { return port_; }
    [[nodiscard]] std::uint16_t plainPort() const { return plainPort_; }
    [[nodiscard]] const std::string &folder() const { return folder_; }
    // The file of the certificate that it shows: whom a client has to believe.
    [[nodiscard]] std::string certificate() const { return folder_ + "/certificate.pem"; }
    [[nodiscard]] HttpClient client(
        std::chrono::milliseconds timeout = std::chrono::seconds(20)) const
    {
        return HttpClient(port_, timeout, certificate());
    }

    // What it had to complain about, and what `nginx -t` said.
    [[nodiscard]] std::string errors() const;
    [[nodiscard]] const std::string &trial() const { return trial_; }
    // Its access log, once there are so many lines for requests with this id; whatever there is,
    // after a while.
    [[nodiscard]] std::vector<Json::Value> logged(const std::string &requestId,
                                                  std::size_t lines = 1) const;

  private:
    void writeFiles(const std::array<std::uint16_t, 2> &instances,
                    const std::string &locations) const;
    void start();
    void end() const;

    std::string folder_;
    std::uint16_t port_ = 0;
    std::uint16_t plainPort_ = 0;
    std::string trial_;
    pid_t pid_ = -1;
};

// A port that nobody listens on just now, from below those that the kernel gives out.
[[nodiscard]] std::uint16_t unusedPort();
}  // namespace relayer::test

#define RELAYER_NEEDS_NGINX()                                                            \
    if (const std::string why = relayer::test::NginxProcess::whyMissing(); !why.empty()) \
    {                                                                                    \
        GTEST_SKIP() << why;                                                             \
    }                                                                                    \
    static_assert(true, "")
