// Connections that are kept, each with one request on its way, all on one thread by epoll, because
// what the client spends the server does not have.
#pragma once

#include "support/loopback.h"

#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <netinet/tcp.h>
#include <stdexcept>
#include <string>
#include <string_view>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>
#include <vector>

namespace relayer::bench
{
struct HttpAnswer
{
    std::size_t line = 0;
    int status = 0;
    std::string_view body;  // until the line asks again
};

class HttpLines
{
  public:
    HttpLines(std::uint16_t port, std::size_t count) : epoll_(epoll_create1(EPOLL_CLOEXEC))
    {
        lines_.resize(count);
        for (std::size_t i = 0; i < count; ++i)
        {
            open(lines_[i], i, port);
        }
    }
    ~HttpLines()
    {
        for (const Line &line : lines_)
        {
            ::close(line.socket);
        }
        ::close(epoll_);
    }
    HttpLines(const HttpLines &) = delete;
    HttpLines &operator=(const HttpLines &) = delete;

    [[nodiscard]] std::size_t count() const { return lines_.size(); }

    // The whole request, head and body.
    void ask(std::size_t index, std::string_view text)
    {
        Line &line = lines_.at(index);
        line.received.clear();
        // They are short, and the last one was answered: it fits into the socket's buffer.
        if (::send(line.socket, text.data(), text.size(), MSG_NOSIGNAL) !=
            static_cast<ssize_t>(text.size()))
        {
            throw std::runtime_error("a request was not taken");
        }
    }

    // Hands the answers that are here to `take`, after waiting for something to come. Throws when
    // nothing comes, and when a connection breaks.
    template <typename Take>
    void takeAnswers(Take take)
    {
        if (!takeAnswersWithin(kPatience, take))
        {
            throw std::runtime_error("the server does not answer any more");
        }
    }

    // False: nothing came.
    template <typename Take>
    bool takeAnswersWithin(std::chrono::milliseconds atMost, Take take)
    {
        std::array<epoll_event, 256> events{};
        const int count = epoll_wait(epoll_, events.data(), static_cast<int>(events.size()),
                                     static_cast<int>(atMost.count()));
        for (int i = 0; i < count; ++i)
        {
            const std::size_t index = events.at(static_cast<std::size_t>(i)).data.u64;
            HttpAnswer answer;
            if (readAnswer(lines_[index], answer))
            {
                answer.line = index;
                take(answer);
            }
        }
        return count > 0;
    }

  private:
    struct Line
    {
        int socket = -1;
        std::string received;
    };

    static constexpr std::chrono::seconds kPatience{60};

    void open(Line &line, std::size_t index, std::uint16_t port) const
    {
        line.socket = test::connectedTo(port);
        const int on = 1;
        setsockopt(line.socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
        epoll_event event{};
        event.events = EPOLLIN;
        event.data.u64 = index;
        if (line.socket < 0 || epoll_ctl(epoll_, EPOLL_CTL_ADD, line.socket, &event) != 0)
        {
            throw std::runtime_error(std::string("no connection: ") + std::strerror(errno));
        }
    }

    // True: the whole answer is there.
    static bool readAnswer(Line &line, HttpAnswer &answer)
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
        answer.status = static_cast<int>(numberAt(line.received, std::strlen("HTTP/1.1 ")));
        answer.body = std::string_view(line.received).substr(head + 4);
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
        const std::size_t from = at < text.size() ? at : text.size();
        std::from_chars(text.data() + from, text.data() + text.size(), number);
        return number;
    }

    const int epoll_;
    std::vector<Line> lines_;
};
}  // namespace relayer::bench
