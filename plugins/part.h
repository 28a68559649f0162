// How the parts of the module find each other: `part<Store>()`. Each part is one of Drogon's
// plugins. Our own program lists all of them in its configuration, and Drogon starts them. An
// application that embeds the module lists relayer::Module alone, which starts the parts itself,
// keeps them here, and takes them away when it has shut them down.
//
// On the main thread until all of them have started; read by any thread after that.
#pragma once

#include <drogon/HttpAppFramework.h>

#include <memory>
#include <string>

namespace relayer::plugins
{
void keepPart(const std::string &name, std::shared_ptr<drogon::PluginBase> part);
void dropParts();
// Null: nobody has kept one of that name.
[[nodiscard]] std::shared_ptr<drogon::PluginBase> keptPart(const std::string &name);

template <typename Part>
[[nodiscard]] std::shared_ptr<Part> sharedPart()
{
    auto kept = std::dynamic_pointer_cast<Part>(keptPart(Part::classTypeName()));
    return kept ? kept : drogon::app().getSharedPlugin<Part>();
}

template <typename Part>
[[nodiscard]] Part *part()
{
    auto *const kept = dynamic_cast<Part *>(keptPart(Part::classTypeName()).get());
    return kept != nullptr ? kept : drogon::app().getPlugin<Part>();
}
}  // namespace relayer::plugins
