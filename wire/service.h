// The bodies of the routes that say how the service itself is.
#pragma once

#include "wire/build_info.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace relayer::wire
{
// A dependency's name and whether it can be reached.
using Dependencies = std::vector<std::pair<std::string_view, bool>>;

[[nodiscard]] std::string liveness();
[[nodiscard]] bool allHealthy(const Dependencies &dependencies);
[[nodiscard]] std::string health(const Dependencies &dependencies);
[[nodiscard]] std::string version(std::string_view name, const BuildInfo &build);
}  // namespace relayer::wire
