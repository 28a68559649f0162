// Host chains as they are written in the file and in the environment, before they are checked.
#pragma once

#include "config/schema.h"

#include <json/value.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace relayer::config
{
struct HostChainEntries
{
    std::vector<HostChainEntry> entries;
    /// Where, and what: the first thing that is no list of host chains.
    std::optional<std::pair<std::string, std::string>> wrong;
};
HostChainEntries readHostChains(const std::string &path, const Json::Value &list);

/// In the environment each member of each chain is a variable of its own, with the number of the
/// chain in its name. The numbers give the order; some may be missing.
class HostChainVariables
{
  public:
    /// False: this is none of them.
    bool take(std::string_view name, const std::string &value);
    std::vector<HostChainEntry> entries() const;

  private:
    std::map<std::uint64_t, HostChainEntry> found_;
};
}  // namespace relayer::config
