// Writes metrics in Prometheus' text exposition format, version 0.0.4.
//
//     MetricsText text;
//     text.family("queue_length", "gauge", "Requests that wait.");
//     text.sample("queue_length", {{"queue", "a"}}, 3);
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace relayer::plugins
{
class MetricsText
{
  public:
    using Labels = std::initializer_list<std::pair<std::string_view, std::string_view>>;

    void family(std::string_view name, std::string_view type, std::string_view help);
    void sample(std::string_view name, Labels labels, std::uint64_t value);
    void sample(std::string_view name, Labels labels, std::int64_t value);
    void sample(std::string_view name, Labels labels, double value);
    // Labels that are text already: a="b",c="d".
    void raw(std::string_view name, std::string_view labels, const std::string &value);

    // A family with one sample.
    template <typename Value>
    void single(std::string_view name, std::string_view type, std::string_view help, Value value)
    {
        family(name, type, help);
        sample(name, {}, value);
    }

    // name="value", escaped.
    static void appendLabel(std::string &out, std::string_view name, std::string_view value);

    [[nodiscard]] std::string take() && { return std::move(out_); }

  private:
    std::string out_;
};

[[nodiscard]] std::string metricNumber(double value);
}  // namespace relayer::plugins
