#include "support/server_process.h"

#include "support/http_client.h"
#include "support/nominal_times.h"
#include "support/sanitizer_reports.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <poll.h>
#include <stdexcept>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace relayer::test
{
using Clock = std::chrono::steady_clock;

namespace
{
constexpr std::chrono::milliseconds kBetweenPolls{20};

std::vector<std::string> environmentFor(const ServerOptions &options)
{
    std::vector<std::string> lines;
    for (char **line = environ; *line != nullptr; ++line)
    {
        const std::string text(*line);
        if (!text.starts_with("RELAYER_") &&
            !options.environment.contains(text.substr(0, text.find('='))))
        {
            lines.push_back(text);
        }
    }
    auto given = options.withNominalTimes ? nominalTimes() : decltype(nominalTimes())();
    for (const auto &[name, value] : options.environment)
    {
        given[name] = value;
    }
    for (const auto &[name, value] : given)
    {
        lines.push_back(name + "=" + value);
    }
    return lines;
}

std::vector<char *> pointersTo(std::vector<std::string> &lines)
{
    std::vector<char *> pointers;
    for (std::string &line : lines)
    {
        pointers.push_back(line.data());
    }
    pointers.push_back(nullptr);
    return pointers;
}

std::string newFolder()
{
    std::string name = "/var/tmp/relayer-server.XXXXXX";
    if (mkdtemp(name.data()) == nullptr)
    {
        throw std::runtime_error("no folder for the server's files");
    }
    return name;
}

int codeOf(int status)
{
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
}  // namespace

std::string serverProgram()
{
    if (const char *given = std::getenv("RELAYER_BIN"); given != nullptr && *given != '\0')
    {
        return given;
    }
    const auto self = std::filesystem::read_symlink("/proc/self/exe");
    return (self.parent_path().parent_path() / "relayer").string();
}

ServerProcess::ServerProcess(const ServerOptions &options) : folder_(newFolder())
{
    std::vector<std::string> arguments = {serverProgram(), "--port", "0"};
    if (options.configuration)
    {
        // Not config.json, which would be found without being named.
        arguments.insert(arguments.end(), {"--config", folder_ + "/given.json"});
        std::ofstream(arguments.back()) << *options.configuration;
    }
    arguments.insert(arguments.end(), options.arguments.begin(), options.arguments.end());
    std::vector<std::string> environment = environmentFor(options);
    const std::vector<char *> argv = pointersTo(arguments);
    const std::vector<char *> envp = pointersTo(environment);

    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0)
    {
        throw std::runtime_error("no pipe for the server's output");
    }
    pid_ = fork();
    if (pid_ == 0)
    {
        // Only what is safe between fork and exec.
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        dup2(ends[1], STDOUT_FILENO);
        dup2(ends[1], STDERR_FILENO);
        if (chdir(folder_.c_str()) == 0)
        {
            execve(argv[0], argv.data(), envp.data());
        }
        _exit(127);
    }
    ::close(ends[1]);
    pipe_ = ends[0];
    ended_ = static_cast<int>(syscall(SYS_pidfd_open, pid_, 0));
    reader_ = std::thread([this] { read(); });
}

ServerProcess::~ServerProcess()
{
    kill(SIGKILL);
    static_cast<void>(exitCode());
    reader_.join();
    // Most tests never look at it, and a server under a sanitizer goes on after some of its
    // reports.
    if (const std::string report = sanitizerReport(output_); !report.empty())
    {
        ADD_FAILURE() << "the server " << pid_ << " was reported:\n" << report;
    }
    ::close(pipe_);
    ::close(ended_);
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
}

void ServerProcess::read()
{
    std::array<char, 65536> chunk{};
    ssize_t count = 0;
    while ((count = ::read(pipe_, chunk.data(), chunk.size())) > 0)
    {
        const std::lock_guard lock(mutex_);
        output_.append(chunk.data(), static_cast<std::size_t>(count));
        changed_.notify_all();
    }
    const std::lock_guard lock(mutex_);
    closed_ = true;
    changed_.notify_all();
}

bool ServerProcess::printed(const std::string &text, Milliseconds atMost)
{
    std::unique_lock lock(mutex_);
    const auto found = [&] { return output_.find(text) != std::string::npos; };
    changed_.wait_for(lock, atMost, [&] { return found() || closed_; });
    return found();
}

std::uint16_t ServerProcess::port(Milliseconds atMost)
{
    const std::string before = "listening on http://127.0.0.1:";
    if (port_ == 0 && printed(before, atMost))
    {
        const std::string text = output();
        const std::size_t at = text.find(before) + before.size();
        port_ = static_cast<std::uint16_t>(std::strtoul(text.c_str() + at, nullptr, 10));
    }
    return port_;
}

bool ServerProcess::says(int status, Milliseconds atMost)
{
    const auto deadline = Clock::now() + atMost;
    if (port(atMost) == 0)
    {
        return false;
    }
    HttpClient client(port_, std::chrono::seconds(5));
    while (Clock::now() < deadline)
    {
        const auto reply = client.get("/healthz");
        if (reply && reply->status == status)
        {
            return true;
        }
        std::unique_lock lock(mutex_);
        if (closed_)
        {
            return false;
        }
        changed_.wait_for(lock, kBetweenPolls);
    }
    return false;
}

void ServerProcess::kill(int signal) const
{
    if (!exitCode_)
    {
        ::kill(pid_, signal);
    }
}

std::optional<int> ServerProcess::exitCode(Milliseconds atMost)
{
    if (!exitCode_)
    {
        pollfd ended{ended_, POLLIN, 0};
        int status = 0;
        if (::poll(&ended, 1, static_cast<int>(atMost.count())) == 1 &&
            waitpid(pid_, &status, 0) == pid_)
        {
            exitCode_ = codeOf(status);
            // What it said last may still be in the pipe; a child of its own may keep that open.
            std::unique_lock lock(mutex_);
            changed_.wait_for(lock, std::chrono::seconds(2), [this] { return closed_; });
        }
    }
    return exitCode_;
}

std::size_t ServerProcess::residentKiB() const
{
    std::ifstream status("/proc/" + std::to_string(pid_) + "/status");
    for (std::string line; std::getline(status, line);)
    {
        if (line.starts_with("VmRSS:"))
        {
            return std::strtoul(line.c_str() + 6, nullptr, 10);
        }
    }
    return 0;
}

std::string ServerProcess::output() const
{
    const std::lock_guard lock(mutex_);
    return output_;
}
}  // namespace relayer::test
