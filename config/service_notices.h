// What the service manager that started us wants to hear, by systemd's protocol: datagrams to the
// socket that NOTIFY_SOCKET names. Without one, nothing is said. Any thread; never waits: a manager
// that does not read misses something.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace relayer::config
{
class ServiceNotices
{
  public:
    struct Environment
    {
        std::string notifySocket;  // NOTIFY_SOCKET: a path, or @ and an abstract name
        std::string watchdogUsec;  // WATCHDOG_USEC
        std::string watchdogPid;   // WATCHDOG_PID: whom it is for; empty: us
    };
    // Of this process.
    [[nodiscard]] static Environment environment();

    ServiceNotices(const Environment &environment, std::int64_t ownPid);
    ~ServiceNotices();
    ServiceNotices(const ServiceNotices &) = delete;
    ServiceNotices &operator=(const ServiceNotices &) = delete;

    void ready(std::string_view text) const;
    void stopping(std::string_view text) const;
    void status(std::string_view text) const;
    void alive() const;
    // How often it wants to hear alive(), at the least. Nothing: it does not.
    [[nodiscard]] std::optional<std::chrono::microseconds> watchdog() const { return watchdog_; }

  private:
    void say(const std::string &lines) const;

    std::string address_;  // as the kernel wants it: an abstract one begins with a zero
    int socket_ = -1;
    std::optional<std::chrono::microseconds> watchdog_;
};
}  // namespace relayer::config
