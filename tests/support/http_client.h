// A small blocking HTTP/1.1 client for tests: one connection, kept alive, opened when it is needed.
// It sends exactly what it is told, also what no proper client would, and takes what comes. Every
// wait has a deadline. Not for several threads at once.
#pragma once

#include "support/tls_session.h"

#include <json/json.h>

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace relayer::test
{
struct HttpReply
{
    int status = 0;
    std::map<std::string, std::string> headers;  // names in lower case
    std::string body;

    [[nodiscard]] std::string header(const std::string &name) const;
    // Null when the body is not JSON.
    [[nodiscard]] Json::Value json() const;
};

using HttpHeaders = std::map<std::string, std::string>;

class HttpClient
{
  public:
    // With a certificate's file over TLS, from whoever shows that certificate.
    explicit HttpClient(std::uint16_t port,
                        std::chrono::milliseconds timeout = std::chrono::seconds(20),
                        std::string certificate = "");
    ~HttpClient();
    HttpClient(const HttpClient &) = delete;
    HttpClient &operator=(const HttpClient &) = delete;

    // Nothing when the connection fails or breaks, or no answer comes in time.
    std::optional<HttpReply> request(std::string_view method, std::string_view path,
                                     std::string_view body = "", const HttpHeaders &headers = {});
    std::optional<HttpReply> get(std::string_view path, const HttpHeaders &headers = {});
    std::optional<HttpReply> post(std::string_view path, std::string_view body,
                                  const HttpHeaders &headers = {});

    // Bytes as they are, and the next answer.
    bool send(std::string_view bytes);
    std::optional<HttpReply> receive(bool withoutBody = false);
    // The next chunk of an answer whose head was received without its body; "" is the last one.
    std::optional<std::string> receiveChunk();
    // Everything that comes until the server closes.
    std::string receiveAll();

    // How many connections it has opened so far.
    [[nodiscard]] int connections() const { return connections_; }

  private:
    bool connect();
    void close();
    bool fill(std::chrono::steady_clock::time_point deadline);

    const std::uint16_t port_;
    const std::chrono::milliseconds timeout_;
    const std::string certificate_;
    int socket_ = -1;
    std::optional<TlsSession> tls_;
    int connections_ = 0;
    std::string received_;
};
}  // namespace relayer::test
