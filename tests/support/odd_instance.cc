#include "support/odd_instance.h"

#include "support/loopback.h"

#include <cstdlib>
#include <map>
#include <poll.h>
#include <string_view>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

namespace relayer::test
{
namespace
{
constexpr std::string_view kAnswer =
    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 12\r\n\r\n"
    "{\"odd\":true}";

// How long the request at the begin is; 0 when it is not whole yet.
std::size_t lengthOfRequest(const std::string &received)
{
    constexpr std::string_view kLength = "\r\nContent-Length: ";
    const std::size_t end = received.find("\r\n\r\n");
    if (end == std::string::npos)
    {
        return 0;
    }
    const std::size_t at = received.find(kLength);
    const std::size_t body =
        at < end ? std::strtoul(received.c_str() + at + kLength.size(), nullptr, 10) : 0;
    return received.size() >= end + 4 + body ? end + 4 + body : 0;
}
}  // namespace

OddInstance::OddInstance(Way way) : way_(way)
{
    listener_ = listeningOnLoopback(way == Way::Deaf ? 0 : 64);
    port_ = portOf(listener_);
    ending_ = eventfd(0, EFD_CLOEXEC);
    if (way == Way::Deaf)
    {
        const sockaddr_in address = loopback(port_);
        for (int i = 0; i < 4; ++i)
        {
            waiting_.push_back(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
            // Begun, and never more than that, once the queue is full.
            [[maybe_unused]] const int begun = ::connect(
                waiting_.back(), reinterpret_cast<const sockaddr *>(&address), sizeof address);
        }
        return;
    }
    thread_ = std::jthread([this] { run(); });
}

OddInstance::~OddInstance()
{
    const std::uint64_t one = 1;
    [[maybe_unused]] const ssize_t written = ::write(ending_, &one, sizeof(one));
    if (thread_.joinable())
    {
        thread_.join();
    }
    for (const int socket : waiting_)
    {
        ::close(socket);
    }
    ::close(listener_);
    ::close(ending_);
}

void OddInstance::run()
{
    std::map<int, std::string> received;
    for (;;)
    {
        std::vector<pollfd> watched = {{ending_, POLLIN, 0}, {listener_, POLLIN, 0}};
        for (const auto &[connection, text] : received)
        {
            watched.push_back({connection, POLLIN, 0});
        }
        ::poll(watched.data(), watched.size(), -1);
        if (watched[0].revents != 0)
        {
            break;
        }
        if (watched[1].revents != 0)
        {
            received[::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC)];
        }
        for (std::size_t i = 2; i < watched.size(); ++i)
        {
            const int connection = watched[i].fd;
            if (watched[i].revents != 0 && !serve(connection, received[connection]))
            {
                ::close(connection);
                received.erase(connection);
            }
        }
    }
    for (const auto &[connection, text] : received)
    {
        ::close(connection);
    }
}

// False when the connection is to be closed.
bool OddInstance::serve(int connection, std::string &received)
{
    if (!receiveMore(connection, received))
    {
        return false;
    }
    const std::size_t length = lengthOfRequest(received);
    if (length == 0)
    {
        return true;
    }
    received.erase(0, length);
    ++requests_;
    return way_ == Way::Answers &&
           ::send(connection, kAnswer.data(), kAnswer.size(), MSG_NOSIGNAL) > 0;
}
}  // namespace relayer::test
