#include "support/fake_node_server.h"

#include "support/loopback.h"

#include <openssl/evp.h>
#include <openssl/sha.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

namespace relayer::test
{
namespace
{
constexpr std::uint8_t kText = 1;
constexpr std::uint8_t kClose = 8;
constexpr std::uint8_t kPing = 9;
constexpr std::uint8_t kPong = 10;

void waitForEnd(int fd)
{
    std::string ignored;
    while (receiveMore(fd, ignored))
    {
        ignored.clear();
    }
}

std::string lowerCase(std::string text)
{
    for (char &c : text)
    {
        c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    }
    return text;
}

FakeRequest parseHead(const std::string &head)
{
    FakeRequest request;
    const std::size_t first = head.find(' ');
    const std::size_t second = head.find(' ', first + 1);
    request.method = head.substr(0, first);
    request.target = head.substr(first + 1, second - first - 1);
    for (std::size_t line = head.find("\r\n") + 2; line < head.size();)
    {
        const std::size_t end = std::min(head.find("\r\n", line), head.size());
        const std::size_t colon = head.find(':', line);
        if (colon < end)
        {
            const std::size_t value = std::min(head.find_first_not_of(' ', colon + 1), end);
            request.headers[lowerCase(head.substr(line, colon - line))] =
                head.substr(value, end - value);
        }
        line = end + 2;
    }
    return request;
}

// Nothing: the connection ended.
std::optional<FakeRequest> readRequest(int fd, std::string &buffer)
{
    std::size_t end = 0;
    while ((end = buffer.find("\r\n\r\n")) == std::string::npos)
    {
        if (!receiveMore(fd, buffer))
        {
            return std::nullopt;
        }
    }
    FakeRequest request = parseHead(buffer.substr(0, end));
    buffer.erase(0, end + 4);
    const auto length = request.headers.find("content-length");
    const std::size_t size = length == request.headers.end() ? 0 : std::stoul(length->second);
    while (buffer.size() < size)
    {
        if (!receiveMore(fd, buffer))
        {
            return std::nullopt;
        }
    }
    request.body = buffer.substr(0, size);
    buffer.erase(0, size);
    return request;
}

std::string acceptKey(const std::string &key)
{
    const std::string text = key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
    std::array<unsigned char, SHA_DIGEST_LENGTH> digest{};
    ::SHA1(reinterpret_cast<const unsigned char *>(text.data()), text.size(), digest.data());
    std::array<unsigned char, 64> encoded{};
    const int size = ::EVP_EncodeBlock(encoded.data(), digest.data(), SHA_DIGEST_LENGTH);
    return {encoded.begin(), encoded.begin() + size};
}

std::string chunksOf(const std::string &body)
{
    constexpr std::size_t kChunk = 1000;
    std::string text;
    for (std::size_t start = 0; start < body.size(); start += kChunk)
    {
        const std::string chunk = body.substr(start, kChunk);
        std::array<char, 24> size{};
        std::snprintf(size.data(), size.size(), "%zx\r\n", chunk.size());
        text += size.data() + chunk + "\r\n";
    }
    return text + "0\r\n\r\n";
}

struct Frame
{
    std::uint8_t opcode = 0;
    std::string payload;
};

// A frame of a client: masked. Our tests send none that is fragmented.
std::optional<Frame> readFrame(int fd, std::string &buffer)
{
    const auto need = [&](std::size_t size) {
        while (buffer.size() < size)
        {
            if (!receiveMore(fd, buffer))
            {
                return false;
            }
        }
        return true;
    };
    const auto byteAt = [&](std::size_t i) { return static_cast<std::uint8_t>(buffer[i]); };
    if (!need(2))
    {
        return std::nullopt;
    }
    Frame frame;
    frame.opcode = byteAt(0) & 0x0FU;
    std::size_t length = byteAt(1) & 0x7FU;
    const std::size_t lengthBytes = length == 126 ? 2 : length == 127 ? 8 : 0;
    if (!need(2 + lengthBytes + 4))
    {
        return std::nullopt;
    }
    for (std::size_t i = 0; i < lengthBytes; ++i)
    {
        length = (i == 0 ? 0 : length << 8U) | byteAt(2 + i);
    }
    const std::size_t start = 2 + lengthBytes + 4;
    if (!need(start + length))
    {
        return std::nullopt;
    }
    frame.payload = buffer.substr(start, length);
    for (std::size_t i = 0; i < length; ++i)
    {
        frame.payload[i] = static_cast<char>(frame.payload[i] ^ buffer[start - 4 + i % 4]);
    }
    buffer.erase(0, start + length);
    return frame;
}
}  // namespace

FakeServer::Peer::~Peer()
{
    ::close(fd_);
}

void FakeServer::Peer::close()
{
    ::shutdown(fd_, SHUT_RDWR);
}

void FakeServer::Peer::send(std::string_view bytes)
{
    const std::scoped_lock lock(mutex_);
    sendAll(fd_, bytes);
}

void FakeServer::Peer::sendFrame(std::uint8_t opcode, bool last, std::string_view payload)
{
    std::string frame;
    frame.push_back(static_cast<char>((last ? 0x80U : 0U) | opcode));
    const std::size_t lengthBytes = payload.size() < 126 ? 0 : payload.size() < 65536 ? 2 : 8;
    frame.push_back(static_cast<char>(lengthBytes == 0   ? payload.size()
                                      : lengthBytes == 2 ? 126
                                                         : 127));
    for (std::size_t i = lengthBytes; i > 0; --i)
    {
        frame.push_back(static_cast<char>((payload.size() >> (8 * (i - 1))) & 0xFFU));
    }
    send(frame.append(payload));
}

void FakeServer::Peer::sendText(std::string_view message)
{
    sendFrame(kText, true, message);
}

FakeServer::FakeServer(Handlers handlers)
    : handlers_(std::move(handlers)),
      listener_(listeningOnLoopback(256)),
      port_(portOf(listener_)),
      acceptor_([this] { acceptAll(); })
{}

FakeServer::~FakeServer()
{
    stop();
}

void FakeServer::stop()
{
    {
        const std::scoped_lock lock(mutex_);
        if (stopping_)
        {
            return;
        }
        stopping_ = true;
    }
    changed_.notify_all();
    ::shutdown(listener_, SHUT_RDWR);
    acceptor_.join();
    ::close(listener_);
    dropConnections();
    for (Connection &connection : connections_)
    {
        connection.thread.join();
    }
    connections_.clear();
}

std::size_t FakeServer::open()
{
    const std::scoped_lock lock(mutex_);
    std::size_t count = 0;
    for (const Connection &connection : connections_)
    {
        count += connection.ended ? 0 : 1;
    }
    return count;
}

void FakeServer::dropConnections()
{
    const std::scoped_lock lock(mutex_);
    for (const Connection &connection : connections_)
    {
        connection.peer->close();
    }
}

void FakeServer::acceptAll()
{
    for (;;)
    {
        const int fd = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
        const std::scoped_lock lock(mutex_);
        if (fd < 0 || stopping_)
        {
            if (fd >= 0)
            {
                ::close(fd);
            }
            return;
        }
        ++accepted_;
        const int on = 1;
        ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        std::erase_if(connections_, [](Connection &old) {
            if (old.ended)
            {
                old.thread.join();
            }
            return old.ended.load();
        });
        Connection &connection = connections_.emplace_back();
        connection.peer = std::make_shared<Peer>(fd);
        connection.thread = std::thread([this, &connection] {
            serve(connection.peer);
            connection.peer->close();
            connection.ended = true;
        });
    }
}

bool FakeServer::waitUnlessStopped(std::chrono::milliseconds time)
{
    std::unique_lock lock(mutex_);
    return !changed_.wait_for(lock, time, [this] { return stopping_; });
}

void FakeServer::serve(const PeerPtr &peer)
{
    std::string buffer;
    while (const auto request = readRequest(peer->fd(), buffer))
    {
        if (request->headers.contains("upgrade") && handlers_.text)
        {
            serveSocket(peer, *request, std::move(buffer));
            return;
        }
        if (!answer(peer, *request))
        {
            return;
        }
    }
}

bool FakeServer::answer(const PeerPtr &peer, const FakeRequest &request)
{
    const std::optional<Wire> forced =
        handlers_.before ? std::optional(handlers_.before(request)) : std::nullopt;
    if (forced && forced->closeBeforeHandling)
    {
        return false;
    }
    FakeResponse response = handlers_.http(request);
    const Wire own = std::exchange(response.wire, forced.value_or(Wire{}));
    // What the handler itself asked for wins over the general mood.
    if (own.status != 200 || own.delay.count() != 0 || own.closeInsteadOfAnswering ||
        own.neverAnswer || own.closeAfterwards || own.chunked || own.twice || own.piece != 0 ||
        own.body || own.bytes)
    {
        response.wire = own;
    }
    return deliver(peer, response);
}

bool FakeServer::deliver(const PeerPtr &peer, const FakeResponse &response)
{
    const Wire &wire = response.wire;
    if (wire.delay.count() > 0 && !waitUnlessStopped(wire.delay))
    {
        return false;
    }
    if (wire.closeInsteadOfAnswering)
    {
        return false;
    }
    const std::string &body = wire.body ? *wire.body : response.body;
    std::string text = "HTTP/1.1 " + std::to_string(wire.status) +
                       " Whatever\r\ncontent-type: " + response.contentType + "\r\n";
    text += wire.chunked ? "transfer-encoding: chunked\r\n\r\n" + chunksOf(body)
                         : "content-length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
    if (wire.bytes || wire.neverAnswer)
    {
        text = wire.bytes.value_or("");
    }
    if (wire.twice)
    {
        text += text;
    }
    const std::size_t piece = wire.piece == 0 ? std::max<std::size_t>(text.size(), 1) : wire.piece;
    for (std::size_t start = 0; start < text.size(); start += piece)
    {
        peer->send(std::string_view(text).substr(start, piece));
    }
    if (wire.neverAnswer)
    {
        waitForEnd(peer->fd());
    }
    return !wire.closeAfterwards && !wire.neverAnswer && !wire.bytes;
}

void FakeServer::serveSocket(const PeerPtr &peer, const FakeRequest &request, std::string rest)
{
    if (handlers_.before && handlers_.before(request).closeBeforeHandling)
    {
        return;
    }
    const auto key = request.headers.find("sec-websocket-key");
    peer->send(
        "HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\n"
        "sec-websocket-accept: " +
        acceptKey(key == request.headers.end() ? "" : key->second) + "\r\n\r\n");
    if (handlers_.opened)
    {
        handlers_.opened(peer);
    }
    while (const auto frame = readFrame(peer->fd(), rest))
    {
        if (frame->opcode == kClose)
        {
            break;
        }
        if (frame->opcode == kPing)
        {
            peer->sendFrame(kPong, true, frame->payload);
        }
        if (frame->opcode == kText)
        {
            handlers_.text(peer, frame->payload);
        }
    }
    if (handlers_.closed)
    {
        handlers_.closed(peer);
    }
}
}  // namespace relayer::test
