// What templates write. A Text is escaped wherever it is written, between tags and in quoted
// attributes; Markup is ours and stands as it is. Templates write nothing but what show() makes of
// a value (a test reads them), so what came from outside can not become a tag.
#pragma once

#include "core/html.h"

#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>

namespace relayer::views
{
class Text
{
  public:
    explicit Text(std::string_view text) : html_(core::escapedHtml(text)) {}
    [[nodiscard]] const std::string &html() const { return html_; }

  private:
    std::string html_;
};

class Markup
{
  public:
    explicit Markup(std::string html) : html_(std::move(html)) {}
    [[nodiscard]] const std::string &html() const { return html_; }

  private:
    std::string html_;
};

inline std::ostream &operator<<(std::ostream &out, const Text &text)
{
    return out << text.html();
}

inline std::ostream &operator<<(std::ostream &out, const Markup &markup)
{
    return out << markup.html();
}

[[nodiscard]] inline Text show(std::string_view text)
{
    return Text(text);
}
[[nodiscard]] inline Text show(const std::string &text)
{
    return Text(text);
}
[[nodiscard]] inline Text show(const char *text)
{
    return Text(text);
}
[[nodiscard]] inline const Markup &show(const Markup &markup)
{
    return markup;
}
[[nodiscard]] inline Text show(std::int64_t number)
{
    return Text(std::to_string(number));
}
[[nodiscard]] inline Text show(std::uint64_t number)
{
    return Text(std::to_string(number));
}
}  // namespace relayer::views
