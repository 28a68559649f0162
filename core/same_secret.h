// Whether a secret that somebody shows is the one that is wanted. How long it takes tells nothing
// of how much of it was right, nor how long the right one is.
#pragma once

#include <string_view>

namespace relayer::core
{
[[nodiscard]] bool sameSecret(std::string_view shown, std::string_view wanted);
}  // namespace relayer::core
