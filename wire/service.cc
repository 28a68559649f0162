#include "wire/service.h"

#include "wire/json_writer.h"

#include <algorithm>
#include <utility>

namespace relayer::wire
{
std::string liveness()
{
    JsonWriter json;
    json.beginObject().key("status").text("alive").endObject();
    return std::move(json).take();
}

bool allHealthy(const Dependencies &dependencies)
{
    return std::all_of(dependencies.begin(), dependencies.end(),
                       [](const Dependency &each) { return each.ok || !each.needed; });
}

std::string health(const Dependencies &dependencies)
{
    JsonWriter json;
    json.beginObject().key("status").text(allHealthy(dependencies) ? "healthy" : "unhealthy");
    json.key("dependencies").beginObject();
    for (const Dependency &each : dependencies)
    {
        json.key(each.name).text(each.ok ? "ok" : "fail");
    }
    json.endObject().endObject();
    return std::move(json).take();
}

std::string version(std::string_view name, const BuildInfo &build)
{
    JsonWriter json;
    json.beginObject().key("name").text(name);
    json.key("version").text(build.version).key("build").text(build.build).endObject();
    return std::move(json).take();
}
}  // namespace relayer::wire
