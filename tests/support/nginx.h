// deploy/nginx.conf in a real nginx, in front of two ports of the test's choice. In a folder of its
// own; gone with the object.
//
//     if (const std::string why = Nginx::whyMissing(); !why.empty()) GTEST_SKIP() << why;
//     Nginx nginx({8088, 8089});
//     HttpClient client(nginx.port());
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <sys/types.h>

namespace relayer::test
{
class Nginx
{
  public:
    // Why there can be none here; empty when there can.
    [[nodiscard]] static std::string whyMissing();

    // Throws std::runtime_error when it does not come up.
    explicit Nginx(const std::array<std::uint16_t, 2> &instances);
    ~Nginx();
    Nginx(const Nginx &) = delete;
    Nginx &operator=(const Nginx &) = delete;

    [[nodiscard]] std::uint16_t port() const { return port_; }
    // What it had to complain about.
    [[nodiscard]] std::string errors() const;

  private:
    std::string folder_;
    std::uint16_t port_ = 0;
    pid_t pid_ = -1;
};

// A port that nobody listens on just now, from below those that the kernel gives out.
[[nodiscard]] std::uint16_t unusedPort();
}  // namespace relayer::test
