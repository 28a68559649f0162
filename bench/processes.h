// What other processes cost, as the kernel counts it.
#pragma once

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <sys/types.h>
#include <unistd.h>

namespace relayer::bench
{
// Of a process, in seconds. On a busy machine it tells more than the clock.
inline double processorSeconds(pid_t process)
{
    std::ifstream file("/proc/" + std::to_string(process) + "/stat");
    std::string text;
    std::getline(file, text);
    std::istringstream fields(text.substr(text.rfind(')') + 2));
    std::string skipped;
    for (int i = 3; i < 14; ++i)
    {
        fields >> skipped;
    }
    double user = 0;
    double system = 0;
    fields >> user >> system;
    return (user + system) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

// A line of /proc/PID/status: VmHWM is the most memory that it ever had, VmRSS what it has now.
inline double mebibytes(pid_t process, const std::string &which)
{
    std::ifstream status("/proc/" + std::to_string(process) + "/status");
    for (std::string line; std::getline(status, line);)
    {
        if (line.starts_with(which + ":"))
        {
            return std::strtod(line.c_str() + which.size() + 1, nullptr) / 1024;
        }
    }
    return 0;
}
}  // namespace relayer::bench
