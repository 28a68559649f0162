#include "plugins/metrics_text.h"

#include <array>
#include <charconv>

namespace relayer::plugins
{
namespace
{
std::string joined(MetricsText::Labels labels)
{
    std::string text;
    for (const auto &[name, value] : labels)
    {
        MetricsText::appendLabel(text, name, value);
    }
    return text;
}
}  // namespace

std::string metricNumber(double value)
{
    std::array<char, 32> digits{};
    const auto written = std::to_chars(digits.data(), digits.data() + digits.size(), value);
    return {digits.data(), written.ptr};
}

void MetricsText::appendLabel(std::string &out, std::string_view name, std::string_view value)
{
    out.append(out.empty() ? "" : ",").append(name).append("=\"");
    for (const char c : value)
    {
        switch (c)
        {
            case '\\': out += "\\\\"; break;
            case '"': out += "\\\""; break;
            case '\n': out += "\\n"; break;
            default: out.push_back(c);
        }
    }
    out.push_back('"');
}

void MetricsText::family(std::string_view name, std::string_view type, std::string_view help)
{
    out_.append("# HELP ").append(name).append(" ").append(help);
    out_.append("\n# TYPE ").append(name).append(" ").append(type).append("\n");
}

void MetricsText::sample(std::string_view name, Labels labels, std::uint64_t value)
{
    raw(name, joined(labels), std::to_string(value));
}

void MetricsText::sample(std::string_view name, Labels labels, std::int64_t value)
{
    raw(name, joined(labels), std::to_string(value));
}

void MetricsText::sample(std::string_view name, Labels labels, double value)
{
    raw(name, joined(labels), metricNumber(value));
}

void MetricsText::raw(std::string_view name, std::string_view labels, const std::string &value)
{
    out_.append(name);
    if (!labels.empty())
    {
        out_.append("{").append(labels).append("}");
    }
    out_.append(" ").append(value).append("\n");
}
}  // namespace relayer::plugins
