// Waiting for what nobody tells: looks again and again, with a moment between two looks in which
// the machine is left to what is waited for.
//
//     ASSERT_TRUE(eventually([&] { return log.says("step=drained"); }));
#pragma once

#include <chrono>
#include <functional>

namespace relayer::test
{
// False: it was not so until the deadline.
[[nodiscard]] bool eventually(const std::function<bool()> &so,
                              std::chrono::milliseconds atMost = std::chrono::seconds(60));
}  // namespace relayer::test
