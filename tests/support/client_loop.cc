#include "support/client_loop.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <future>
#include <system_error>

namespace relayer::test
{
namespace
{
constexpr std::chrono::seconds kPatience{20};

std::size_t openSockets()
{
    namespace fs = std::filesystem;
    const fs::directory_iterator descriptors("/proc/self/fd");
    return static_cast<std::size_t>(
        std::ranges::count_if(descriptors, [](const fs::directory_entry &descriptor) {
            std::error_code closedMeanwhile;
            return fs::read_symlink(descriptor, closedMeanwhile).native().starts_with("socket:");
        }));
}
}  // namespace

ClientLoop::ClientLoop()
{
    thread_.run();
    before_ = openSockets();
}

ClientLoop::~ClientLoop()
{
    const auto deadline = std::chrono::steady_clock::now() + kPatience;
    while (openSockets() > before_)
    {
        if (std::chrono::steady_clock::now() > deadline)
        {
            ADD_FAILURE() << openSockets() - before_ << " sockets of a test stay open";
            break;
        }
        turn();
    }
    // What a closed connection left to be done on its loop.
    turn();
    turn();
}

void ClientLoop::turn()
{
    std::promise<void> turned;
    thread_.getLoop()->queueInLoop([&turned] { turned.set_value(); });
    turned.get_future().get();
}
}  // namespace relayer::test
