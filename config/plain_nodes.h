// Nodes that are spoken to without TLS over a network.
#pragma once

#include "config/settings.h"

#include <string>
#include <string_view>
#include <vector>

namespace relayer::config
{
/// Plain http or ws, and not to this machine.
bool isPlainElsewhere(std::string_view url);

struct PlainNode
{
    std::string key;   // gateway.rpc.read
    std::string name;  // as configured; never the URL
};
std::vector<PlainNode> plainNodes(const Settings &settings);
}  // namespace relayer::config
