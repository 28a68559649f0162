#pragma once

#include <cstdint>
#include <string>

namespace relayer::config
{
/// Holds a port from the start of the program until Drogon listens on it.
///
/// Two things that Drogon does not do: it ends the process with exit(1) from inside run() when the
/// port is taken, and with port 0 each of its threads binds a free port of its own. So the host
/// program binds first, learns the port, and lets go just before Drogon listens. Drogon can bind
/// beside us in between, since both sides set SO_REUSEADDR and neither listens.
class PortReservation
{
  public:
    /// `address` is a numeric IPv4 or IPv6 address; port 0 takes any free one.
    PortReservation(const std::string &address, std::uint16_t port);
    ~PortReservation();
    PortReservation(const PortReservation &) = delete;
    PortReservation &operator=(const PortReservation &) = delete;

    /// Why the port can not be had; empty when we hold it.
    const std::string &wrong() const { return wrong_; }
    std::uint16_t port() const { return port_; }
    void release();

  private:
    void bind(const std::string &address, std::uint16_t port);

    int socket_{-1};
    std::uint16_t port_{0};
    std::string wrong_;
};

/// `127.0.0.1:8088`, `[::1]:8088`
std::string hostAndPort(const std::string &address, std::uint16_t port);
}  // namespace relayer::config
