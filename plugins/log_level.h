// How much is logged, which may change while the program runs. Any thread.
#pragma once

#include <string_view>

namespace relayer::plugins
{
// trace, debug, info, warn or error; false: it is none of them, and nothing has changed.
bool setLogLevel(std::string_view name);
[[nodiscard]] std::string_view logLevel();
}  // namespace relayer::plugins
