// What stands at an instance's port in front of a proxy, and is none: it counts the requests that
// it gets, and does as it was told with each.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

namespace relayer::test
{
class OddInstance
{
  public:
    enum class Way
    {
        Answers,  // 200, with a small JSON body, on connections that are kept
        Breaks,   // reads the request to its end, and closes without a word
        Deaf,     // takes no connection: who tries to connect waits
    };
    explicit OddInstance(Way way);
    ~OddInstance();
    OddInstance(const OddInstance &) = delete;
    OddInstance &operator=(const OddInstance &) = delete;

    [[nodiscard]] std::uint16_t port() const { return port_; }
    // Whole requests so far; one of them for each body that ends.
    [[nodiscard]] std::size_t requests() const { return requests_; }

  private:
    void run();
    bool serve(int connection, std::string &received);

    const Way way_;
    int listener_ = -1;
    int ending_ = -1;
    std::uint16_t port_ = 0;
    std::vector<int> waiting_;  // connections of our own that fill the queue of a deaf one
    std::atomic<std::size_t> requests_{0};
    std::jthread thread_;
};
}  // namespace relayer::test
