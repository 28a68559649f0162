// A small HTTP and WebSocket server for tests, on a free port of the loopback interface. It can be
// told to behave as badly as real ones do. A thread for each connection; no Drogon, so that what is
// tested does not stand on both sides.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

namespace relayer::test
{
// GCC misses fields without an initializer in designated ones.
// NOLINTBEGIN(readability-redundant-member-init)

// How an answer goes over the wire.
struct Wire
{
    int status = 200;
    std::chrono::milliseconds delay{0};
    bool closeBeforeHandling = false;
    bool closeInsteadOfAnswering = false;  // handled, but nobody learns of it
    bool neverAnswer = false;              // handled; the connection stays open, after `bytes`
    bool closeAfterwards = false;          // without saying so in a header
    bool chunked = false;
    bool twice = false;                     // the whole answer once more, right behind
    std::size_t piece = 0;                  // sent in pieces of so many bytes; 0: at once
    std::optional<std::string> body = {};   // instead of what the handler gave
    std::optional<std::string> bytes = {};  // instead of the whole answer, head included
};

struct FakeRequest
{
    std::string method;
    std::string target;
    std::map<std::string, std::string> headers;  // names in lower case
    std::string body;
};

struct FakeResponse
{
    std::string body = {};
    std::string contentType = "application/json";
    Wire wire = {};
};

// NOLINTEND(readability-redundant-member-init)

class FakeServer
{
  public:
    // A connection. What is sent on one that is closed goes nowhere.
    class Peer
    {
      public:
        explicit Peer(int fd) : fd_(fd) {}
        Peer(const Peer &) = delete;
        Peer &operator=(const Peer &) = delete;
        ~Peer();

        void send(std::string_view bytes);
        void sendText(std::string_view message);  // one WebSocket frame
        void sendFrame(std::uint8_t opcode, bool last, std::string_view payload);
        void close();  // both ways; its thread notices
        [[nodiscard]] int fd() const { return fd_; }

      private:
        std::mutex mutex_;
        const int fd_;
    };
    using PeerPtr = std::shared_ptr<Peer>;

    struct Handlers
    {
        std::function<Wire(const FakeRequest &)> before = nullptr;  // before a request is handled
        std::function<FakeResponse(const FakeRequest &)> http = nullptr;
        std::function<void(const PeerPtr &)> opened = nullptr;  // a WebSocket
        std::function<void(const PeerPtr &, const std::string &text)> text = nullptr;
        std::function<void(const PeerPtr &)> closed = nullptr;
    };

    explicit FakeServer(Handlers handlers);
    ~FakeServer();
    FakeServer(const FakeServer &) = delete;
    FakeServer &operator=(const FakeServer &) = delete;

    // Ends all connections and waits for their threads. Handlers that wait have to be woken first.
    void stop();
    [[nodiscard]] std::uint16_t port() const { return port_; }
    [[nodiscard]] std::size_t accepted() const { return accepted_; }
    [[nodiscard]] std::size_t open();
    void dropConnections();

  private:
    struct Connection
    {
        PeerPtr peer;
        std::thread thread;
        std::atomic<bool> ended{false};
    };

    void acceptAll();
    void serve(const PeerPtr &peer);
    bool answer(const PeerPtr &peer, const FakeRequest &request);
    bool deliver(const PeerPtr &peer, const FakeResponse &response);
    void serveSocket(const PeerPtr &peer, const FakeRequest &request, std::string rest);
    bool waitUnlessStopped(std::chrono::milliseconds time);

    Handlers handlers_;
    int listener_ = -1;  // before the port, which is its own
    std::uint16_t port_ = 0;
    std::atomic<std::size_t> accepted_{0};
    std::mutex mutex_;
    std::condition_variable changed_;
    bool stopping_ = false;
    std::list<Connection> connections_;
    std::thread acceptor_;
};
}  // namespace relayer::test
