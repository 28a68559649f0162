// The real program as a child of the test: started with its own configuration, watched, signalled,
// and reaped in any case. Its output is read all the time, so that it never blocks on a full pipe;
// what a sanitizer says in it fails the test that started it.
//     ServerProcess server({.environment = {{"RELAYER_DATABASE__URL", database.url()}}});
//     ASSERT_TRUE(server.becomesHealthy()) << server.output();
//
// To be started from the main thread: the child is killed when the thread that started it ends.
#pragma once

#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <sys/types.h>
#include <thread>
#include <vector>

namespace relayer::test
{
struct ServerOptions
{
    // Beside what the test's own environment says; RELAYER_ variables are not handed on from there.
    std::map<std::string, std::string> environment;
    // Written to a file that is given with --config; nothing: the program runs with its defaults.
    std::optional<std::string> configuration = std::nullopt;
    // Beside --config and --port 0.
    std::vector<std::string> arguments;
    // What is required and has no default comes from support/nominal_times.h where nothing else is
    // said.
    bool withNominalTimes = true;
};

class ServerProcess
{
  public:
    using Milliseconds = std::chrono::milliseconds;
    static constexpr Milliseconds kPatience = std::chrono::seconds(60);

    explicit ServerProcess(const ServerOptions &options);
    ~ServerProcess();
    ServerProcess(const ServerProcess &) = delete;
    ServerProcess &operator=(const ServerProcess &) = delete;

    // The port it listens on; 0 when it ended or said nothing in time.
    [[nodiscard]] std::uint16_t port(Milliseconds atMost = kPatience);
    // Whether /healthz came to say 200 (or the other status that is wanted) in time.
    [[nodiscard]] bool becomesHealthy(Milliseconds atMost = kPatience) { return says(200, atMost); }
    [[nodiscard]] bool becomesUnhealthy(Milliseconds atMost = kPatience)
    {
        return says(503, atMost);
    }

    [[nodiscard]] pid_t process() const { return pid_; }
    void kill(int signal) const;
    // Its exit code, or 128 + the signal that ended it; nothing when it still runs at the deadline.
    [[nodiscard]] std::optional<int> exitCode(Milliseconds atMost = kPatience);

    [[nodiscard]] bool printed(const std::string &text, Milliseconds atMost = kPatience);
    // How much memory it has now.
    [[nodiscard]] std::size_t residentKiB() const;

    // What it has written so far, to both streams.
    [[nodiscard]] std::string output() const;

  private:
    bool says(int status, Milliseconds atMost);
    void read();

    pid_t pid_ = -1;
    int ended_ = -1;  // becomes readable when the process ends
    int pipe_ = -1;
    std::string folder_;
    std::optional<int> exitCode_;
    std::uint16_t port_ = 0;

    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::string output_;   // under mutex_
    bool closed_ = false;  // under mutex_: nothing more will come
    std::thread reader_;
};

// Where the program is: RELAYER_BIN, or beside the folder that this test is in.
[[nodiscard]] std::string serverProgram();
}  // namespace relayer::test
