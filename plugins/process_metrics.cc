#include "plugins/process_metrics.h"

#include <cstdint>
#include <ctime>
#include <dirent.h>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <sys/resource.h>
#include <unistd.h>

namespace relayer::plugins
{
namespace
{
// The fields of /proc/self/stat behind the name of the program, which may hold anything.
struct Stat
{
    std::uint64_t userTicks = 0;
    std::uint64_t systemTicks = 0;
    std::uint64_t threads = 0;
    std::uint64_t startTicks = 0;
    std::uint64_t virtualBytes = 0;
    std::uint64_t residentPages = 0;
};

Stat readStat()
{
    std::ifstream file("/proc/self/stat");
    std::string line;
    std::getline(file, line);
    const std::size_t name = line.rfind(')');
    std::istringstream fields(name == std::string::npos ? std::string() : line.substr(name + 1));
    Stat stat;
    std::string skipped;
    // The state is the third field of the line; utime the fourteenth.
    for (int field = 3; field < 14; ++field)
    {
        fields >> skipped;
    }
    fields >> stat.userTicks >> stat.systemTicks;
    fields >> skipped >> skipped >> skipped >> skipped >> stat.threads >> skipped;
    fields >> stat.startTicks >> stat.virtualBytes >> stat.residentPages;
    return stat;
}

std::uint64_t openDescriptors()
{
    const std::unique_ptr<DIR, int (*)(DIR *)> folder(opendir("/proc/self/fd"), closedir);
    std::uint64_t entries = 0;
    // A listing of our own. NOLINTNEXTLINE(concurrency-mt-unsafe)
    while (folder && readdir(folder.get()) != nullptr)
    {
        ++entries;
    }
    // ., .. and that of the listing
    return entries > 3 ? entries - 3 : 0;
}

// Of the clocks: /proc/stat is hidden where ProcSubset=pid, as in our own unit for systemd.
double bootSeconds()
{
    const auto seconds = [](clockid_t clock) {
        timespec now{};
        clock_gettime(clock, &now);
        return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
    };
    return seconds(CLOCK_REALTIME) - seconds(CLOCK_BOOTTIME);
}
}  // namespace

void writeProcessMetrics(MetricsText &text)
{
    const Stat stat = readStat();
    const auto ticks = static_cast<double>(sysconf(_SC_CLK_TCK));
    const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
    rlimit limit{};
    getrlimit(RLIMIT_NOFILE, &limit);
    text.single("process_cpu_seconds_total", "counter", "Processor time, of the kernel for us too.",
                static_cast<double>(stat.userTicks + stat.systemTicks) / ticks);
    text.single("process_resident_memory_bytes", "gauge", "Memory in use.",
                stat.residentPages * page);
    text.single("process_virtual_memory_bytes", "gauge", "Addresses in use.", stat.virtualBytes);
    text.single("process_threads", "gauge", "Threads.", stat.threads);
    text.single("process_open_fds", "gauge", "Open descriptors.", openDescriptors());
    text.single("process_max_fds", "gauge", "Descriptors that may be open.",
                static_cast<std::uint64_t>(limit.rlim_cur));
    text.single("process_start_time_seconds", "gauge", "When it started, since 1970.",
                bootSeconds() + static_cast<double>(stat.startTicks) / ticks);
}
}  // namespace relayer::plugins
