#include "plugins/core_dumps.h"

#include <trantor/utils/Logger.h>

#include <cstdlib>
#include <string_view>
#include <sys/prctl.h>
#include <sys/resource.h>

namespace relayer::plugins
{
namespace
{
bool areWanted()
{
    // Nobody of ours sets variables. NOLINTNEXTLINE(concurrency-mt-unsafe)
    const char *const said = std::getenv("RELAYER_CORE_DUMPS");
    return said != nullptr && std::string_view(said) == "yes";
}
}  // namespace

void refuseCoreDumps()
{
    if (areWanted())
    {
        LOG_WARN << "RELAYER_CORE_DUMPS: a core file of this process would hold its secrets";
        return;
    }
    const rlimit none{};
    // The limit alone says nothing to a collector that core_pattern pipes to; not being dumpable
    // does.
    setrlimit(RLIMIT_CORE, &none);
#ifndef __SANITIZE_ADDRESS__    // it looks at itself at the end, as a debugger would
    prctl(PR_SET_DUMPABLE, 0);  // NOLINT(cppcoreguidelines-pro-type-vararg,hicpp-vararg)
#endif
}
}  // namespace relayer::plugins
