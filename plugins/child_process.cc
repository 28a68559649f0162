#include "plugins/child_process.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <optional>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

namespace relayer::plugins
{
namespace
{
using Clock = std::chrono::steady_clock;
// How long it takes at the most until a stop is noticed.
constexpr std::chrono::milliseconds kLook{100};
constexpr int kMoment = 5;  // milliseconds

class Descriptor
{
  public:
    explicit Descriptor(int fd = -1) : fd_(fd) {}
    Descriptor(Descriptor &&other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
    Descriptor &operator=(Descriptor &&) = delete;
    Descriptor(const Descriptor &) = delete;
    Descriptor &operator=(const Descriptor &) = delete;
    ~Descriptor() { close(); }
    [[nodiscard]] int get() const { return fd_; }
    void close()
    {
        if (fd_ >= 0)
        {
            ::close(std::exchange(fd_, -1));
        }
    }

  private:
    int fd_;
};

// A pair of sockets serves for a pipe: writing to one whose reader is gone can be done without a
// signal.
struct Ends
{
    Descriptor ours;  // none: there are no more
    Descriptor theirs;
};

Ends makeEnds()
{
    std::array<int, 2> fds = {-1, -1};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds.data()) != 0)
    {
        fds = {-1, -1};
    }
    return {Descriptor(fds[0]), Descriptor(fds[1])};
}

std::vector<std::string> inherited()
{
    std::vector<std::string> variables;
    for (const char *name : {"PATH", "HOME", "LANG"})
    {
        // Nobody of ours sets variables. NOLINTNEXTLINE(concurrency-mt-unsafe)
        if (const char *value = std::getenv(name))
        {
            variables.push_back(std::string(name) + "=" + value);
        }
    }
    return variables;
}

std::vector<char *> pointersTo(std::vector<std::string> &texts)
{
    std::vector<char *> pointers;
    pointers.reserve(texts.size() + 1);
    for (std::string &text : texts)
    {
        pointers.push_back(text.data());
    }
    pointers.push_back(nullptr);
    return pointers;
}

void limit(int resource, std::uint64_t most)
{
    rlimit wanted{};
    wanted.rlim_cur = wanted.rlim_max = most;
    ::setrlimit(static_cast<decltype(RLIMIT_AS)>(resource), &wanted);
}

// In the child, where only what a signal handler may do is allowed.
[[noreturn]] void become(char *const *command, char *const *environment, int socket,
                         std::uint64_t memory)
{
    constexpr int notStarted = 127;
    limit(RLIMIT_AS, memory);
    limit(RLIMIT_CORE, 0);  // it holds what nobody may keep
    ::setpgid(0, 0);
    sigset_t none;
    sigemptyset(&none);
    ::pthread_sigmask(SIG_SETMASK, &none, nullptr);
    const int nowhere = ::open("/dev/null", O_WRONLY);
    if (nowhere < 0 || ::dup2(socket, STDIN_FILENO) < 0 || ::dup2(socket, STDOUT_FILENO) < 0 ||
        ::dup2(nowhere, STDERR_FILENO) < 0)
    {
        ::_exit(notStarted);
    }
    ::close_range(STDERR_FILENO + 1, ~0U, 0);
    ::execve(command[0], command, environment);
    ::_exit(notStarted);
}

// Writes the input and reads the output, both as they come.
class Conversation
{
  public:
    Conversation(int socket, const std::string &input, const ChildLimits &limits,
                 const std::atomic<bool> &stopping)
        : socket_(socket), input_(input), limits_(limits), stopping_(stopping)
    {}

    // Nothing: it closed its output.
    std::optional<ChildResult::End> hold()
    {
        while (true)
        {
            if (const auto end = endOfPatience())
            {
                return end;
            }
            const bool more = written_ < input_.size();
            pollfd ready{socket_, static_cast<short>(more ? POLLIN | POLLOUT : POLLIN), 0};
            ::poll(&ready, 1, static_cast<int>(kLook.count()));
            if ((ready.revents & POLLOUT) != 0)
            {
                write();
            }
            if ((ready.revents & (POLLIN | POLLHUP | POLLERR)) != 0 && !read())
            {
                return std::nullopt;
            }
        }
    }
    std::optional<ChildResult::End> endOfPatience() const
    {
        if (stopping_)
        {
            return ChildResult::End::Stopped;
        }
        if (Clock::now() >= deadline_)
        {
            return ChildResult::End::TooSlow;
        }
        return output_.size() > limits_.output ? std::optional(ChildResult::End::TooMuch)
                                               : std::nullopt;
    }
    std::string takeOutput() { return std::move(output_); }

  private:
    void write()
    {
        const ssize_t count = ::send(socket_, input_.data() + written_, input_.size() - written_,
                                     MSG_NOSIGNAL | MSG_DONTWAIT);
        if (count > 0)
        {
            written_ += static_cast<std::size_t>(count);
        }
        else if (errno != EAGAIN && errno != EINTR)
        {
            written_ = input_.size();  // it does not want the rest
        }
        if (written_ == input_.size())
        {
            ::shutdown(socket_, SHUT_WR);
        }
    }
    bool read()
    {
        std::array<char, 65536> buffer{};
        const ssize_t count = ::recv(socket_, buffer.data(), buffer.size(), MSG_DONTWAIT);
        if (count > 0)
        {
            output_.append(buffer.data(), static_cast<std::size_t>(count));
        }
        return count > 0 || (count < 0 && (errno == EAGAIN || errno == EINTR));
    }

    const int socket_;
    const std::string &input_;
    const ChildLimits &limits_;
    const std::atomic<bool> &stopping_;
    const Clock::time_point deadline_ = Clock::now() + limits_.deadline;
    std::size_t written_ = 0;
    std::string output_;
};
}  // namespace

ChildResult runChild(const std::vector<std::string> &command, const std::string &input,
                     const ChildLimits &limits, const std::atomic<bool> &stopping)
{
    ChildResult result;
    std::vector<std::string> words = command;
    std::vector<std::string> variables = inherited();
    const std::vector<char *> arguments = pointersTo(words);
    const std::vector<char *> environment = pointersTo(variables);
    Ends ends = makeEnds();
    if (words.empty() || ::access(words[0].c_str(), X_OK) != 0 || ends.ours.get() < 0)
    {
        return result;
    }
    const pid_t child = ::fork();
    if (child < 0)
    {
        return result;
    }
    if (child == 0)
    {
        become(arguments.data(), environment.data(), ends.theirs.get(), limits.memory);
    }
    ends.theirs.close();
    Conversation conversation(ends.ours.get(), input, limits, stopping);
    auto cut = conversation.hold();
    int status = 0;
    // It may go on after it has closed its output.
    while (!cut && ::waitpid(child, &status, WNOHANG) == 0)
    {
        ::poll(nullptr, 0, kMoment);
        cut = conversation.endOfPatience();
    }
    if (cut)
    {
        ::kill(-child, SIGKILL);
        ::kill(child, SIGKILL);  // before it made a group of its own
        ::waitpid(child, &status, 0);
    }
    result.end =
        cut.value_or(WIFEXITED(status) ? ChildResult::End::Exited : ChildResult::End::Crashed);
    result.code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
    result.output = conversation.takeOutput();
    return result;
}
}  // namespace relayer::plugins
