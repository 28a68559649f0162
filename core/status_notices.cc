#include "core/status_notices.h"

#include <charconv>
#include <utility>

namespace relayer::core
{
namespace
{
std::optional<std::int64_t> numberIn(std::string_view digits)
{
    std::int64_t number = 0;
    const char *const begin = digits.data();
    const char *const end = begin + digits.size();
    const auto read = std::from_chars(begin, end, number);
    return read.ec == std::errc() && read.ptr == end && number >= 0 ? std::optional(number)
                                                                    : std::nullopt;
}
}  // namespace

void StatusNotices::add(std::span<const std::int64_t> ids)
{
    for (const std::int64_t id : ids)
    {
        if (all_)
        {
            return;
        }
        ids_.insert(id);
        if (ids_.size() > kMostNamed)
        {
            ids_.clear();
            all_ = true;
        }
    }
}

std::string StatusNotices::take(std::int64_t speaker)
{
    std::string text = std::to_string(speaker) + ":";
    if (std::exchange(all_, false))
    {
        return text + "*";
    }
    for (const std::int64_t id : std::exchange(ids_, {}))
    {
        text.append(text.back() == ':' ? "" : ",").append(std::to_string(id));
    }
    return text;
}

std::optional<StatusNotice> parseStatusNotice(std::string_view text)
{
    const std::size_t colon = text.find(':');
    if (colon == std::string_view::npos)
    {
        return std::nullopt;
    }
    const auto speaker = numberIn(text.substr(0, colon));
    if (!speaker)
    {
        return std::nullopt;
    }
    StatusNotice notice;
    notice.speaker = *speaker;
    std::string_view rest = text.substr(colon + 1);
    if (rest == "*")
    {
        notice.all = true;
        return notice;
    }
    for (;;)
    {
        const std::size_t comma = rest.find(',');
        const auto id = numberIn(rest.substr(0, comma));
        if (!id || notice.ids.size() >= StatusNotices::kMostNamed)
        {
            return std::nullopt;
        }
        notice.ids.push_back(*id);
        if (comma == std::string_view::npos)
        {
            return notice;
        }
        rest.remove_prefix(comma + 1);
    }
}
}  // namespace relayer::core
