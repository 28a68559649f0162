#include "support/http_client.h"

#include "support/json_text.h"
#include "support/loopback.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

namespace relayer::test
{
using Clock = std::chrono::steady_clock;

namespace
{
std::string lower(std::string text)
{
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
}

bool waitFor(int socket, short events, Clock::time_point deadline)
{
    int found = -1;
    do
    {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
        if (left.count() <= 0)
        {
            return false;
        }
        pollfd ready{socket, events, 0};
        found = ::poll(&ready, 1, static_cast<int>(left.count()));
    }
    while (found < 0 && errno == EINTR);  // a signal is not the other end's silence
    return found == 1;
}

// "HTTP/1.1 202 Accepted" and the lines behind it.
std::optional<HttpReply> parseHead(std::string_view head)
{
    HttpReply reply;
    const std::size_t space = head.find(' ');
    if (!head.starts_with("HTTP/1.") || space == std::string_view::npos)
    {
        return std::nullopt;
    }
    reply.status = std::atoi(std::string(head.substr(space + 1, 3)).c_str());
    std::size_t at = head.find("\r\n");
    while (at != std::string_view::npos)
    {
        const std::size_t end = std::min(head.find("\r\n", at + 2), head.size());
        const std::string_view line = head.substr(at + 2, end - at - 2);
        const std::size_t colon = line.find(": ");
        if (colon != std::string_view::npos)
        {
            reply.headers[lower(std::string(line.substr(0, colon)))] = line.substr(colon + 2);
        }
        at = end == head.size() ? std::string_view::npos : end;
    }
    return reply;
}
}  // namespace

std::string HttpReply::header(const std::string &name) const
{
    const auto found = headers.find(lower(name));
    return found == headers.end() ? "" : found->second;
}

Json::Value HttpReply::json() const
{
    return jsonValue(body);
}

HttpClient::HttpClient(std::uint16_t port, std::chrono::milliseconds timeout,
                       std::string certificate)
    : port_(port), timeout_(timeout), certificate_(std::move(certificate))
{}

HttpClient::~HttpClient()
{
    close();
}

bool HttpClient::connect()
{
    received_.clear();
    socket_ = connectedTo(port_);
    if (socket_ < 0)
    {
        close();
        return false;
    }
    const int on = 1;
    setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    ++connections_;
    if (!certificate_.empty() && !tls_.emplace(socket_, certificate_, timeout_).established())
    {
        close();
        return false;
    }
    return true;
}

void HttpClient::close()
{
    tls_.reset();
    if (socket_ >= 0)
    {
        ::close(socket_);
    }
    socket_ = -1;
}

bool HttpClient::send(std::string_view bytes)
{
    if (socket_ < 0 && !connect())
    {
        return false;
    }
    if (tls_)
    {
        return tls_->write(bytes);
    }
    const auto deadline = Clock::now() + timeout_;
    while (!bytes.empty())
    {
        const ssize_t sent =
            waitFor(socket_, POLLOUT, deadline)
                ? ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT)
                : -1;
        if (sent < 0)
        {
            return false;
        }
        bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
}

bool HttpClient::fill(Clock::time_point deadline)
{
    std::array<char, 65536> chunk{};
    const bool held = tls_ && tls_->holdsMore();
    if (socket_ < 0 || (!held && !waitFor(socket_, POLLIN, deadline)))
    {
        return false;
    }
    const ssize_t count = tls_ ? tls_->read(chunk.data(), chunk.size())
                               : ::recv(socket_, chunk.data(), chunk.size(), 0);
    if (count <= 0)
    {
        return false;
    }
    received_.append(chunk.data(), static_cast<std::size_t>(count));
    return true;
}

std::optional<HttpReply> HttpClient::receive(bool withoutBody)
{
    const auto deadline = Clock::now() + timeout_;
    std::size_t end = 0;
    while ((end = received_.find("\r\n\r\n")) == std::string::npos)
    {
        if (!fill(deadline))
        {
            close();
            return std::nullopt;
        }
    }
    auto reply = parseHead(std::string_view(received_).substr(0, end));
    received_.erase(0, end + 4);
    if (!reply)
    {
        close();
        return std::nullopt;
    }
    const std::size_t length =
        withoutBody ? 0 : std::strtoul(reply->header("content-length").c_str(), nullptr, 10);
    while (received_.size() < length)
    {
        if (!fill(deadline))
        {
            close();
            return std::nullopt;
        }
    }
    reply->body = received_.substr(0, length);
    received_.erase(0, length);
    if (lower(reply->header("connection")) == "close")
    {
        close();
    }
    return reply;
}

std::optional<std::string> HttpClient::receiveChunk()
{
    const auto deadline = Clock::now() + timeout_;
    for (;;)
    {
        const std::size_t line = received_.find("\r\n");
        const std::size_t begin = line + 2;
        const std::size_t size =
            line == std::string::npos ? 0 : std::strtoul(received_.c_str(), nullptr, 16);
        if (line != std::string::npos && received_.size() >= begin + size + 2)
        {
            std::string chunk = received_.substr(begin, size);
            received_.erase(0, begin + size + 2);
            return chunk;
        }
        if (!fill(deadline))
        {
            close();
            return std::nullopt;
        }
    }
}

std::string HttpClient::receiveAll()
{
    const auto deadline = Clock::now() + timeout_;
    while (fill(deadline))
    {
    }
    close();
    return std::exchange(received_, {});
}

std::optional<HttpReply> HttpClient::request(std::string_view method, std::string_view path,
                                             std::string_view body, const HttpHeaders &headers)
{
    std::string text;
    text.append(method).append(" ").append(path).append(" HTTP/1.1\r\nHost: localhost\r\n");
    for (const auto &[name, value] : headers)
    {
        text.append(name).append(": ").append(value).append("\r\n");
    }
    if (!body.empty() || method == "POST")
    {
        text += "Content-Length: " + std::to_string(body.size()) + "\r\n";
    }
    text.append("\r\n").append(body);
    if (!send(text))
    {
        close();
        return std::nullopt;
    }
    return receive(method == "HEAD");
}

std::optional<HttpReply> HttpClient::get(std::string_view path, const HttpHeaders &headers)
{
    return request("GET", path, "", headers);
}

std::optional<HttpReply> HttpClient::post(std::string_view path, std::string_view body,
                                          const HttpHeaders &headers)
{
    return request("POST", path, body, headers);
}
}  // namespace relayer::test
