// Where our routes stand: below `http.path_prefix`. Functions over the settings, for use once they
// have been read; any thread, also while Drogon quits.
#pragma once

#include <string>
#include <string_view>

namespace relayer::filters
{
// "/relayer", or nothing.
[[nodiscard]] const std::string &pathPrefix();
// The path as clients know it: "/relayer/console" for "/console".
[[nodiscard]] std::string mounted(std::string_view path);
// The other way round; nothing: the path is none below the prefix.
[[nodiscard]] std::string_view unmounted(std::string_view path);
// Pages name our paths as if there were no prefix. What they show stands in them escaped, so a
// quote and what follows it is always markup.
[[nodiscard]] std::string withMountedLinks(std::string page);
}  // namespace relayer::filters
