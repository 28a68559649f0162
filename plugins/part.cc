#include "plugins/part.h"

#include <map>
#include <mutex>
#include <utility>

namespace relayer::plugins
{
namespace
{
// Requests that are answered while the program ends still ask; so it is never destroyed.
struct Kept
{
    std::mutex mutex;
    std::map<std::string, std::shared_ptr<drogon::PluginBase>> parts;
};

Kept &kept()
{
    static Kept &all = *new Kept;
    return all;
}
}  // namespace

void keepPart(const std::string &name, std::shared_ptr<drogon::PluginBase> part)
{
    const std::lock_guard lock(kept().mutex);
    kept().parts[name] = std::move(part);
}

void dropParts()
{
    std::map<std::string, std::shared_ptr<drogon::PluginBase>> parts;
    const std::lock_guard lock(kept().mutex);
    parts.swap(kept().parts);
}

std::shared_ptr<drogon::PluginBase> keptPart(const std::string &name)
{
    const std::lock_guard lock(kept().mutex);
    const auto found = kept().parts.find(name);
    return found == kept().parts.end() ? nullptr : found->second;
}
}  // namespace relayer::plugins
