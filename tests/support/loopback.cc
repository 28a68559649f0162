#include "support/loopback.h"

#include <array>
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

bool sendAll(int socket, std::string_view bytes)
{
    while (!bytes.empty())
    {
        const ssize_t sent = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (sent <= 0)
        {
            return false;
        }
        bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
}

bool receiveMore(int socket, std::string &to)
{
    std::array<char, 65536> chunk{};
    const ssize_t count = ::recv(socket, chunk.data(), chunk.size(), 0);
    if (count <= 0)
    {
        return false;
    }
    to.append(chunk.data(), static_cast<std::size_t>(count));
    return true;
}

std::uint16_t portIn(const std::string &url)
{
    return static_cast<std::uint16_t>(std::stoul(url.substr(url.rfind(':') + 1)));
}

std::string throughPort(const std::string &url, std::uint16_t port)
{
    const auto colon = url.rfind(':');
    return url.substr(0, colon + 1) + std::to_string(port) + url.substr(url.find('/', colon));
}
}  // namespace relayer::test
