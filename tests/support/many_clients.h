// Thousands of HTTP clients on one thread, each with a connection of its own and at most one
// request on its way. For what a real crowd does; HttpClient is for what one client sees.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace relayer::test
{
class ManyClients
{
  public:
    using Clock = std::chrono::steady_clock;

    // Connects them all. Throws std::runtime_error when one can not.
    ManyClients(std::uint16_t port, std::size_t count);
    ~ManyClients();
    ManyClients(const ManyClients &) = delete;
    ManyClients &operator=(const ManyClients &) = delete;

    // Whether this process may have so many connections; raises its limit as far as it goes.
    [[nodiscard]] static bool allowed(std::size_t count);

    void ask(std::size_t client, std::string_view path);

    struct Answer
    {
        std::size_t client = 0;
        Clock::time_point at;
        int status = 0;  // 0: the connection was closed
        std::string body;
    };
    // What comes until there are so many, or the time is over.
    std::vector<Answer> answers(std::size_t count, std::chrono::milliseconds atMost);

  private:
    void read(std::size_t client, std::vector<Answer> &answers);

    int epoll_ = -1;
    std::vector<int> sockets_;
    std::vector<std::string> received_;
};
}  // namespace relayer::test
