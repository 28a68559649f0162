#include "config/port_reservation.h"

#include <arpa/inet.h>
#include <cerrno>
#include <cstring>
#include <netinet/in.h>
#include <sys/socket.h>
#include <system_error>
#include <unistd.h>

namespace relayer::config
{
namespace
{
struct SocketAddress
{
    sockaddr_storage storage{};
    socklen_t length{0};
};

SocketAddress socketAddress(const std::string &address, std::uint16_t port)
{
    SocketAddress out;
    sockaddr_in v4{};
    sockaddr_in6 v6{};
    if (inet_pton(AF_INET, address.c_str(), &v4.sin_addr) == 1)
    {
        v4.sin_family = AF_INET;
        v4.sin_port = htons(port);
        std::memcpy(&out.storage, &v4, sizeof(v4));
        out.length = sizeof(v4);
    }
    else if (inet_pton(AF_INET6, address.c_str(), &v6.sin6_addr) == 1)
    {
        v6.sin6_family = AF_INET6;
        v6.sin6_port = htons(port);
        std::memcpy(&out.storage, &v6, sizeof(v6));
        out.length = sizeof(v6);
    }
    return out;
}

std::uint16_t boundPort(int socket)
{
    sockaddr_storage bound{};
    socklen_t length = sizeof(bound);
    if (getsockname(socket, reinterpret_cast<sockaddr *>(&bound), &length) != 0)
    {
        return 0;
    }
    // The port stands at the same place in both kinds of address.
    sockaddr_in v4{};
    std::memcpy(&v4, &bound, sizeof(v4));
    return ntohs(v4.sin_port);
}
}  // namespace

PortReservation::PortReservation(const std::string &address, std::uint16_t port)
{
    bind(address, port);
    if (!wrong_.empty())
    {
        release();
    }
}

PortReservation::~PortReservation()
{
    release();
}

void PortReservation::bind(const std::string &address, std::uint16_t port)
{
    const auto where = socketAddress(address, port);
    const auto name = hostAndPort(address, port);
    if (where.length == 0)
    {
        wrong_ = name + " is not a numeric address";
        return;
    }
    socket_ = ::socket(where.storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const int on = 1;
    const auto *bindTo = reinterpret_cast<const sockaddr *>(&where.storage);
    if (socket_ < 0 || setsockopt(socket_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) != 0 ||
        ::bind(socket_, bindTo, where.length) != 0)
    {
        wrong_ = errno == EADDRINUSE
                     ? name + " is in use by another program"
                     : "cannot listen on " + name + ": " + std::generic_category().message(errno);
        return;
    }
    port_ = boundPort(socket_);
}

void PortReservation::release()
{
    if (socket_ >= 0)
    {
        ::close(socket_);
        socket_ = -1;
    }
}

std::string hostAndPort(const std::string &address, std::uint16_t port)
{
    const bool v6 = address.find(':') != std::string::npos;
    return (v6 ? '[' + address + ']' : address) + ':' + std::to_string(port);
}
}  // namespace relayer::config
