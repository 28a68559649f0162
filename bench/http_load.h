// Asks an HTTP server as fast as it answers: so many connections that are kept, each with one
// request on its way, all on one thread by epoll, because what the client spends the server does
// not have.
#pragma once

#include "bench/measure.h"

#include <arpa/inet.h>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <functional>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdexcept>
#include <string>
#include <string_view>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace relayer::bench
{
struct HttpOutcome
{
    std::size_t answers = 0;
    double perSecond = 0;
    double p50 = 0;  // milliseconds
    double p99 = 0;
};

class HttpLoad
{
  public:
    // The whole request, head and body, of a number that is never given twice.
    using Request = std::function<std::string(std::uint64_t number)>;

    HttpLoad(std::uint16_t port, std::size_t connections) : epoll_(epoll_create1(EPOLL_CLOEXEC))
    {
        lines_.resize(connections);
        for (std::size_t i = 0; i < connections; ++i)
        {
            open(lines_[i], i, port);
        }
    }
    ~HttpLoad()
    {
        for (const Line &line : lines_)
        {
            ::close(line.socket);
        }
        ::close(epoll_);
    }
    HttpLoad(const HttpLoad &) = delete;
    HttpLoad &operator=(const HttpLoad &) = delete;

    // Throws when anything but this status comes back: what failed fast must not count as fast.
    HttpOutcome run(const Request &request, int status, std::chrono::seconds time)
    {
        latencies_.clear();
        status_ = status;
        const auto start = Clock::now();
        const auto end = start + time;
        std::size_t waiting = 0;
        for (Line &line : lines_)
        {
            ask(line, request);
            ++waiting;
        }
        std::array<epoll_event, 256> events{};
        while (waiting > 0)
        {
            const int count =
                epoll_wait(epoll_, events.data(), static_cast<int>(events.size()), kPatience);
            if (count <= 0)
            {
                throw std::runtime_error("the server does not answer any more");
            }
            for (int i = 0; i < count; ++i)
            {
                Line &line = lines_[events.at(static_cast<std::size_t>(i)).data.u64];
                if (!readAnswer(line))
                {
                    continue;
                }
                latencies_.push_back(1000 * secondsSince(line.since));
                if (Clock::now() < end)
                {
                    ask(line, request);
                }
                else
                {
                    --waiting;
                }
            }
        }
        const double seconds = secondsSince(start);
        HttpOutcome outcome;
        outcome.answers = latencies_.size();
        outcome.perSecond = static_cast<double>(latencies_.size()) / seconds;
        outcome.p50 = percentile(latencies_, 0.5);
        outcome.p99 = percentile(latencies_, 0.99);
        return outcome;
    }

  private:
    struct Line
    {
        int socket = -1;
        std::string received;
        Clock::time_point since;
    };

    static constexpr int kPatience = 30'000;

    void open(Line &line, std::size_t index, std::uint16_t port) const
    {
        line.socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(port);
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        const int on = 1;
        setsockopt(line.socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
        epoll_event event{};
        event.events = EPOLLIN;
        event.data.u64 = index;
        if (::connect(line.socket, reinterpret_cast<const sockaddr *>(&address), sizeof(address)) !=
                0 ||
            epoll_ctl(epoll_, EPOLL_CTL_ADD, line.socket, &event) != 0)
        {
            throw std::runtime_error(std::string("no connection: ") + std::strerror(errno));
        }
    }

    void ask(Line &line, const Request &request)
    {
        const std::string text = request(next_++);
        line.since = Clock::now();
        // They are short, and the last one was answered: it fits into the socket's buffer.
        if (::send(line.socket, text.data(), text.size(), MSG_NOSIGNAL) !=
            static_cast<ssize_t>(text.size()))
        {
            throw std::runtime_error("a request was not taken");
        }
    }

    // True: the whole answer is there.
    [[nodiscard]] bool readAnswer(Line &line) const
    {
        std::array<char, 16384> part{};
        const ssize_t length = ::recv(line.socket, part.data(), part.size(), 0);
        if (length <= 0)
        {
            throw std::runtime_error("the server closed a connection");
        }
        line.received.append(part.data(), static_cast<std::size_t>(length));
        const std::size_t head = line.received.find("\r\n\r\n");
        if (head == std::string::npos || line.received.size() < head + 4 + bodyLength(line, head))
        {
            return false;
        }
        if (numberAt(line.received, std::strlen("HTTP/1.1 ")) != static_cast<std::size_t>(status_))
        {
            throw std::runtime_error("an answer is not as it should be: " + line.received);
        }
        line.received.clear();
        return true;
    }

    static std::size_t bodyLength(const Line &line, std::size_t head)
    {
        constexpr std::string_view kLower = "\r\ncontent-length:";
        constexpr std::string_view kUpper = "\r\nContent-Length:";
        const std::string_view text = std::string_view(line.received).substr(0, head + 2);
        std::size_t at = text.find(kLower);
        at = at == std::string_view::npos ? text.find(kUpper) : at;
        if (at == std::string_view::npos)
        {
            throw std::runtime_error("an answer without a length: " + line.received);
        }
        at = text.find_first_not_of(' ', at + kLower.size());
        return numberAt(text, at);
    }

    static std::size_t numberAt(std::string_view text, std::size_t at)
    {
        std::size_t number = 0;
        std::from_chars(text.data() + std::min(at, text.size()), text.data() + text.size(), number);
        return number;
    }

    const int epoll_;
    std::vector<Line> lines_;
    std::vector<double> latencies_;
    std::uint64_t next_ = 1;
    int status_ = 0;
};
}  // namespace relayer::bench
