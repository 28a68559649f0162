#include "support/notify_socket.h"

#include <array>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <poll.h>
#include <stdexcept>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace relayer::test
{
using Clock = std::chrono::steady_clock;

NotifySocket::NotifySocket(Kind kind)
{
    folder_ = "/var/tmp/relayer-notify.XXXXXX";
    if (mkdtemp(folder_.data()) == nullptr)
    {
        throw std::runtime_error("no folder for a socket");
    }
    const bool abstract = kind == Kind::Abstract;
    name_ = (abstract ? "@" : "") + folder_ + "/notify";
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, name_.data(), name_.size());
    if (abstract)
    {
        address.sun_path[0] = '\0';
    }
    const std::size_t length = offsetof(sockaddr_un, sun_path) + name_.size() + (abstract ? 0 : 1);
    socket_ = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (::bind(socket_, reinterpret_cast<const sockaddr *>(&address),
               static_cast<socklen_t>(length)) != 0)
    {
        throw std::runtime_error("the socket can not be bound");
    }
}

NotifySocket::~NotifySocket()
{
    ::close(socket_);
    ::unlink((folder_ + "/notify").c_str());
    ::rmdir(folder_.c_str());
}

std::optional<std::string> NotifySocket::next(std::chrono::milliseconds atMost)
{
    pollfd ready{socket_, POLLIN, 0};
    if (::poll(&ready, 1, static_cast<int>(atMost.count())) != 1)
    {
        return std::nullopt;
    }
    std::array<char, 4096> text{};
    const ssize_t count = ::recv(socket_, text.data(), text.size(), 0);
    return count < 0 ? std::nullopt
                     : std::optional(std::string(text.data(), static_cast<std::size_t>(count)));
}

std::optional<std::string> NotifySocket::nextThatBegins(const std::string &start,
                                                        std::chrono::milliseconds atMost)
{
    const auto deadline = Clock::now() + atMost;
    for (;;)
    {
        const auto left =
            std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
        const auto said = left.count() > 0 ? next(left) : std::nullopt;
        if (!said || said->starts_with(start))
        {
            return said;
        }
    }
}
}  // namespace relayer::test
