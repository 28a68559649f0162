#include "plugins/descriptor_limit.h"

#include <trantor/utils/Logger.h>

#include <algorithm>
#include <sys/resource.h>

namespace relayer::plugins
{
void raiseDescriptorLimit()
{
    constexpr rlim_t enough = 65536;
    constexpr rlim_t few = 8192;
    rlimit limit{};
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= enough)
    {
        return;
    }
    limit.rlim_cur = std::min(limit.rlim_max, enough);
    setrlimit(RLIMIT_NOFILE, &limit);
    if (limit.rlim_cur < few)
    {
        LOG_WARN << "this process may have " << limit.rlim_cur
                 << " open files and connections; raise its limit (ulimit -Hn, LimitNOFILE=)";
    }
}
}  // namespace relayer::plugins
