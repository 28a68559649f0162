// TLS on a connected, blocking socket, from the client's side. The other end has to show a
// certificate for this machine that is the one in the file, or signed by it.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>

struct ssl_st;
struct ssl_ctx_st;

namespace relayer::test
{
class TlsSession
{
  public:
    // Shakes hands; nothing waits for longer than the timeout.
    TlsSession(int socket, const std::string &certificate, std::chrono::milliseconds timeout);

    [[nodiscard]] bool established() const { return established_; }
    // Whether there is something to read that has left the socket already.
    [[nodiscard]] bool holdsMore() const;
    // As recv and send; `write` takes all or fails.
    long read(char *into, std::size_t size);
    bool write(std::string_view bytes);

  private:
    struct Free
    {
        void operator()(ssl_st *session) const;
        void operator()(ssl_ctx_st *context) const;
    };
    std::unique_ptr<ssl_ctx_st, Free> context_;
    std::unique_ptr<ssl_st, Free> session_;
    bool established_ = false;
};
}  // namespace relayer::test
