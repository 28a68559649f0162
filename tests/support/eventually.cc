#include "support/eventually.h"

#include <condition_variable>
#include <mutex>

namespace relayer::test
{
bool eventually(const std::function<bool()> &so, std::chrono::milliseconds atMost)
{
    constexpr std::chrono::milliseconds kBetweenLooks(1);
    std::mutex mutex;
    std::condition_variable never;
    std::unique_lock lock(mutex);
    const auto deadline = std::chrono::steady_clock::now() + atMost;
    while (!so())
    {
        if (std::chrono::steady_clock::now() > deadline)
        {
            return false;
        }
        never.wait_for(lock, kBetweenLooks);
    }
    return true;
}
}  // namespace relayer::test
