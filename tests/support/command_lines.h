// Another program's output, for tests that drive one. Blocks until it ends.
#pragma once

#include <string>
#include <vector>

namespace relayer::test
{
// The lines that a command of the shell writes to its standard output; its errors go to ours.
[[nodiscard]] std::vector<std::string> linesOf(const std::string &command);
}  // namespace relayer::test
