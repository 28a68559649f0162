#include "support/many_clients.h"

#include "support/loopback.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fcntl.h>
#include <stdexcept>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

namespace relayer::test
{
namespace
{
constexpr std::size_t kSpare = 500;  // for everything else that the process has open

int unblockedTo(std::uint16_t port)
{
    const int socket = connectedTo(port);
    if (socket < 0)
    {
        throw std::runtime_error("a client can not connect");
    }
    ::fcntl(socket, F_SETFL, O_NONBLOCK);
    return socket;
}

// How long an answer is, as far as it is here; 0: not yet known.
std::size_t lengthOf(const std::string &text)
{
    const std::size_t head = text.find("\r\n\r\n");
    const std::size_t length = text.find("content-length: ");
    if (head == std::string::npos || length == std::string::npos || length > head)
    {
        return 0;
    }
    return head + 4 + std::strtoul(text.c_str() + length + 16, nullptr, 10);
}
}  // namespace

bool ManyClients::allowed(std::size_t count)
{
    rlimit limit{};
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_max < count + kSpare)
    {
        return false;
    }
    limit.rlim_cur = std::max<rlim_t>(limit.rlim_cur, count + kSpare);
    return setrlimit(RLIMIT_NOFILE, &limit) == 0;
}

ManyClients::ManyClients(std::uint16_t port, std::size_t count)
    : epoll_(epoll_create1(EPOLL_CLOEXEC)), received_(count)
{
    sockets_.reserve(count);
    for (std::size_t i = 0; i < count; ++i)
    {
        sockets_.push_back(unblockedTo(port));
        epoll_event event{};
        event.events = EPOLLIN;
        event.data.u64 = i;
        epoll_ctl(epoll_, EPOLL_CTL_ADD, sockets_.back(), &event);
    }
}

ManyClients::~ManyClients()
{
    for (const int socket : sockets_)
    {
        ::close(socket);
    }
    ::close(epoll_);
}

void ManyClients::ask(std::size_t client, std::string_view path)
{
    const std::string text =
        "GET " + std::string(path) + " HTTP/1.1\r\nHost: localhost\r\nAccept: */*\r\n\r\n";
    if (::send(sockets_.at(client), text.data(), text.size(), MSG_NOSIGNAL) !=
        static_cast<ssize_t>(text.size()))
    {
        throw std::runtime_error("a client can not ask");
    }
}

void ManyClients::read(std::size_t client, std::vector<Answer> &answers)
{
    std::array<char, 4096> chunk{};
    std::string &text = received_.at(client);
    for (;;)
    {
        const ssize_t size = ::recv(sockets_.at(client), chunk.data(), chunk.size(), 0);
        if (size > 0)
        {
            text.append(chunk.data(), static_cast<std::size_t>(size));
            continue;
        }
        if (size == 0)
        {
            epoll_ctl(epoll_, EPOLL_CTL_DEL, sockets_.at(client), nullptr);
            answers.push_back({client, Clock::now(), 0, ""});
            return;
        }
        break;
    }
    if (const std::size_t length = lengthOf(text); length > 0 && text.size() >= length)
    {
        Answer answer{client, Clock::now(), 0, ""};
        answer.status = static_cast<int>(std::strtoul(text.c_str() + 9, nullptr, 10));
        answer.body = text.substr(text.find("\r\n\r\n") + 4);
        answers.push_back(std::move(answer));
        text.clear();
    }
}

std::vector<ManyClients::Answer> ManyClients::answers(std::size_t count,
                                                      std::chrono::milliseconds atMost)
{
    std::vector<Answer> answers;
    std::array<epoll_event, 512> events{};
    const auto deadline = Clock::now() + atMost;
    while (answers.size() < count)
    {
        const auto left =
            std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
        if (left <= 0)
        {
            break;
        }
        const int ready = epoll_wait(epoll_, events.data(), static_cast<int>(events.size()),
                                     static_cast<int>(left));
        for (int i = 0; i < ready; ++i)
        {
            read(static_cast<std::size_t>(events.at(static_cast<std::size_t>(i)).data.u64),
                 answers);
        }
    }
    return answers;
}
}  // namespace relayer::test
