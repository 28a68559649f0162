// What the URL of a node may look like.
#pragma once

#include <string_view>

namespace relayer::config
{
/// http(s)://host[:port][/path][?query], ws(s) too with `subscriptions`. No user and password
/// before the host, which not every client of ours would send; no fragment, which no node sees.
bool isNodeUrl(std::string_view url, bool subscriptions);
std::string_view nodeUrlForm(bool subscriptions);
}  // namespace relayer::config
