// Requests and answers by route, method and status, under the reference's names. Any thread.
#pragma once

#include "plugins/metric_families.h"

#include <cstdint>
#include <optional>
#include <string_view>

namespace relayer::plugins
{
class HttpMetrics
{
  public:
    HttpMetrics();

    // A route that is counted, as places in the lists of the labels.
    struct Route
    {
        std::size_t endpoint = 0;
        std::size_t method = 0;
        std::size_t version = 0;
    };
    // Of a pattern such as /v2/input-proof/{job_id}. Nothing for those that the reference does not
    // count: health, version, documents; and for streams of events, whose duration is no latency.
    [[nodiscard]] static std::optional<Route> routeOf(std::string_view pattern, bool post);

    // `sdkName` and `sdkVersion` are what a client says of itself; what is not known is "unknown".
    void began(const Route &route, std::string_view sdkName, std::string_view sdkVersion);
    void ended(const Route &route, int status, std::uint64_t micros);

    void write(MetricsText &text) const;

  private:
    CounterFamily requests_;
    CounterFamily responses_;
    HistogramFamily durations_;
};
}  // namespace relayer::plugins
