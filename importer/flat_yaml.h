// A YAML document as the list of its leaves: `gateway.listener_pool.listeners[0].url` and what
// stands there. Pure.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace relayer::importer
{
struct FlatYaml
{
    std::map<std::string, std::string, std::less<>> leaves;
    std::string wrong;  // why it is no document of that kind; empty when it is one
};

// Maps and lists without content leave nothing.
[[nodiscard]] FlatYaml flatten(std::string_view text);
}  // namespace relayer::importer
