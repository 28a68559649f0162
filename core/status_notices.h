// What instances say to each other about requests that moved: `<epoch of who says it>:<ids>`, the
// ids with commas in between, or `*` when there are too many to name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace relayer::core
{
// Said beside those, on the same channel: operators have changed something; look.
inline constexpr std::string_view kSettingsNotice = "settings";

struct StatusNotice
{
    std::int64_t speaker = 0;
    std::vector<std::int64_t> ids;
    bool all = false;  // in place of ids
};

// Gathers until it is time to say something. However much moves, it stays small.
class StatusNotices
{
  public:
    // Their digits fit into a notice of PostgreSQL.
    static constexpr std::size_t kMostNamed = 380;

    void add(std::span<const std::int64_t> ids);
    [[nodiscard]] bool empty() const { return ids_.empty() && !all_; }
    // Begins anew.
    [[nodiscard]] std::string take(std::int64_t speaker);

  private:
    std::set<std::int64_t> ids_;
    bool all_ = false;
};

// Nothing, when it is none: anybody who may use the database can say anything.
[[nodiscard]] std::optional<StatusNotice> parseStatusNotice(std::string_view text);
}  // namespace relayer::core
