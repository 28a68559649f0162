#include "config/service_notices.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace relayer::config
{
namespace
{
std::string variable(const char *name)
{
    // To be read before other threads run. NOLINTNEXTLINE(concurrency-mt-unsafe)
    const char *const value = std::getenv(name);
    return value == nullptr ? "" : value;
}

std::optional<std::int64_t> number(const std::string &text)
{
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool whole = error == std::errc() && end == text.data() + text.size();
    return whole && value > 0 ? std::optional(value) : std::nullopt;
}

// One line: what is said may hold what others have said.
std::string statusLine(std::string_view text)
{
    std::string line = "STATUS=" + std::string(text);
    std::replace(line.begin(), line.end(), '\n', ' ');
    line.erase(line.find_last_not_of(' ') + 1);
    return line;
}
}  // namespace

ServiceNotices::Environment ServiceNotices::environment()
{
    return {variable("NOTIFY_SOCKET"), variable("WATCHDOG_USEC"), variable("WATCHDOG_PID")};
}

ServiceNotices::ServiceNotices(const Environment &environment, std::int64_t ownPid)
{
    const std::string &name = environment.notifySocket;
    const bool abstract = name.starts_with('@');
    if ((!abstract && !name.starts_with('/')) || name.size() >= sizeof(sockaddr_un::sun_path))
    {
        return;
    }
    address_ = name;
    if (abstract)
    {
        address_.front() = '\0';
    }
    socket_ = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    const bool forUs = environment.watchdogPid.empty() || number(environment.watchdogPid) == ownPid;
    if (const auto period = number(environment.watchdogUsec); period && forUs)
    {
        watchdog_ = std::chrono::microseconds(*period);
    }
}

ServiceNotices::~ServiceNotices()
{
    if (socket_ >= 0)
    {
        ::close(socket_);
    }
}

void ServiceNotices::say(const std::string &lines) const
{
    if (socket_ < 0)
    {
        return;
    }
    sockaddr_un to{};
    to.sun_family = AF_UNIX;
    std::memcpy(to.sun_path, address_.data(), address_.size());
    // An abstract name has no end but its length.
    const std::size_t length =
        offsetof(sockaddr_un, sun_path) + address_.size() + (address_.front() == '\0' ? 0 : 1);
    ::sendto(socket_, lines.data(), lines.size(), MSG_NOSIGNAL | MSG_DONTWAIT,
             reinterpret_cast<const sockaddr *>(&to), static_cast<socklen_t>(length));
}

void ServiceNotices::ready(std::string_view text) const
{
    say("READY=1\n" + statusLine(text));
}

void ServiceNotices::stopping(std::string_view text) const
{
    say("STOPPING=1\n" + statusLine(text));
}

void ServiceNotices::status(std::string_view text) const
{
    say(statusLine(text));
}

void ServiceNotices::alive() const
{
    say("WATCHDOG=1");
}
}  // namespace relayer::config
