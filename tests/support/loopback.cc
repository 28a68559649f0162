#include "support/loopback.h"

#include <stdexcept>
#include <sys/socket.h>
#include <unistd.h>

namespace relayer::test
{
namespace
{
int boundAnywhere()
{
    const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const sockaddr_in address = loopback(0);
    if (::bind(socket, reinterpret_cast<const sockaddr *>(&address), sizeof address) != 0)
    {
        ::close(socket);
        throw std::runtime_error("no free port");
    }
    return socket;
}
}  // namespace

sockaddr_in loopback(std::uint16_t port)
{
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(port);
    return address;
}

int listeningOnLoopback(int waiting)
{
    const int socket = boundAnywhere();
    if (::listen(socket, waiting) != 0)
    {
        ::close(socket);
        throw std::runtime_error("nothing can listen at a free port");
    }
    return socket;
}

std::uint16_t portOf(int socket)
{
    sockaddr_in address{};
    socklen_t size = sizeof address;
    if (::getsockname(socket, reinterpret_cast<sockaddr *>(&address), &size) != 0)
    {
        throw std::runtime_error("a socket without a port");
    }
    return ntohs(address.sin_port);
}

int connectedTo(std::uint16_t port)
{
    const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const sockaddr_in address = loopback(port);
    if (::connect(socket, reinterpret_cast<const sockaddr *>(&address), sizeof address) == 0)
    {
        return socket;
    }
    ::close(socket);
    return -1;
}

std::uint16_t freePort()
{
    const int socket = boundAnywhere();
    const std::uint16_t port = portOf(socket);
    ::close(socket);
    return port;
}
}  // namespace relayer::test
