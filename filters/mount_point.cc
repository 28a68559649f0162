#include "filters/mount_point.h"

#include "core/path_below.h"
#include "plugins/settings.h"

namespace relayer::filters
{
const std::string &pathPrefix()
{
    return plugins::Settings::lastStarted().http.pathPrefix;
}

std::string mounted(std::string_view path)
{
    return pathPrefix() + std::string(path);
}

std::string_view unmounted(std::string_view path)
{
    return core::pathBelow(pathPrefix(), path);
}

std::string withMountedLinks(std::string page)
{
    constexpr std::string_view link = "=\"/console";
    const std::string &prefix = pathPrefix();
    for (std::size_t at = page.find(link); !prefix.empty() && at != std::string::npos;
         at = page.find(link, at + prefix.size() + link.size()))
    {
        page.insert(at + 2, prefix);
    }
    return page;
}
}  // namespace relayer::filters
