// The bodies of the routes that say how the service itself is.
#pragma once

#include "wire/build_info.h"

#include <string>
#include <string_view>
#include <vector>

namespace relayer::wire
{
struct Dependency
{
    std::string_view name;
    bool ok = false;
    // Whether we are healthy without it. One that only a part of our work needs is told, but a
    // proxy in front must not take all instances out for it.
    bool needed = true;
};
using Dependencies = std::vector<Dependency>;

[[nodiscard]] std::string liveness();
[[nodiscard]] bool allHealthy(const Dependencies &dependencies);
[[nodiscard]] std::string health(const Dependencies &dependencies);
[[nodiscard]] std::string version(std::string_view name, const BuildInfo &build);
}  // namespace relayer::wire
