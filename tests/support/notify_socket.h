// A service manager as a program sees it: a datagram socket, at a path or at an abstract name.
#pragma once

#include <chrono>
#include <optional>
#include <string>

namespace relayer::test
{
class NotifySocket
{
  public:
    enum class Kind
    {
        Path,
        Abstract,
    };
    explicit NotifySocket(Kind kind);
    ~NotifySocket();
    NotifySocket(const NotifySocket &) = delete;
    NotifySocket &operator=(const NotifySocket &) = delete;

    // For NOTIFY_SOCKET.
    [[nodiscard]] const std::string &name() const { return name_; }
    // The next datagram; nothing when none comes in time.
    std::optional<std::string> next(std::chrono::milliseconds atMost = std::chrono::seconds(60));
    // The next one that begins so; those before it are dropped.
    std::optional<std::string> nextThatBegins(
        const std::string &start, std::chrono::milliseconds atMost = std::chrono::seconds(60));

  private:
    std::string name_;
    std::string folder_;
    int socket_ = -1;
};
}  // namespace relayer::test
