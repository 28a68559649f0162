// What /version reports. The definition is written by the build (cmake/WriteBuildInfo.cmake).
#pragma once

#include <string>

namespace relayer::wire
{
struct BuildInfo
{
    std::string version;  // of the project
    std::string build;    // "<commit>-<clean|dirty>", as clients of the reference parse it
};

[[nodiscard]] const BuildInfo &buildInfo();
}  // namespace relayer::wire
