#include "config/backoff.h"

#include "config/schema.h"
#include "config/units.h"

#include <algorithm>
#include <string>
#include <utility>

namespace relayer::config
{
namespace
{
using std::chrono::seconds;

constexpr std::size_t mostSteps = 32;
constexpr seconds longestWait = std::chrono::hours(1);

std::optional<seconds> wholeSeconds(std::string_view text)
{
    const auto duration = parseDuration(text);
    if (!duration || *duration % seconds(1) != milliseconds(0))
    {
        return std::nullopt;
    }
    return std::chrono::duration_cast<seconds>(*duration);
}
}  // namespace

std::optional<core::Backoff> parseBackoff(std::string_view text)
{
    core::Backoff table;
    seconds last{-1};
    for (const std::string &part : partsOf(text))
    {
        const std::size_t equals = std::min(part.find('='), part.size());
        const std::string_view written(part);
        const auto from = wholeSeconds(written.substr(0, equals));
        const auto wait = wholeSeconds(written.substr(std::min(equals + 1, part.size())));
        const bool first = table.empty();
        if (!from || !wait || (first ? *from != seconds(0) : *from <= last) || *wait < seconds(1) ||
            *wait > longestWait || table.size() == mostSteps)
        {
            return std::nullopt;
        }
        if (!first)
        {
            table.back().until = *from;
        }
        table.push_back({seconds::max(), *wait});
        last = *from;
    }
    return table.empty() ? std::nullopt : std::optional(std::move(table));
}
}  // namespace relayer::config
