#include "plugins/http_metrics.h"

#include <algorithm>
#include <array>
#include <string>

namespace relayer::plugins
{
namespace
{
constexpr std::array<std::string_view, 5> kEndpoints = {
    "/input-proof", "/public-decrypt", "/user-decrypt", "/delegated-user-decrypt", "/keyurl"};
constexpr std::array<std::string_view, 2> kMethods = {"GET", "POST"};
constexpr std::array<std::string_view, 2> kVersions = {"v2", "v3"};
constexpr std::array<int, 8> kStatuses = {200, 202, 400, 404, 422, 429, 500, 503};
constexpr std::array<std::string_view, 9> kStatusTexts = {"200", "202", "400", "404",  "422",
                                                          "429", "500", "503", "other"};
constexpr std::array<std::string_view, 2> kSdkNames = {"@zama-fhe/relayer-sdk", "unknown"};
constexpr std::array<std::string_view, 3> kSdkVersions = {"0.4", "0.5", "unknown"};

template <std::size_t Size>
MetricLabel label(std::string_view name, const std::array<std::string_view, Size> &values)
{
    return {name, {values.begin(), values.end()}};
}

std::vector<MetricLabel> answered()
{
    return {label("endpoint", kEndpoints), label("method", kMethods), label("version", kVersions),
            label("status", kStatusTexts)};
}

std::size_t statusPlace(int status)
{
    return static_cast<std::size_t>(std::find(kStatuses.begin(), kStatuses.end(), status) -
                                    kStatuses.begin());
}

// 0.4.3 is 0.4.
std::size_t sdkVersionPlace(std::string_view version)
{
    for (std::size_t i = 0; i + 1 < kSdkVersions.size(); ++i)
    {
        const std::string_view known = kSdkVersions[i];
        if (version.starts_with(known) &&
            (version.size() == known.size() || version[known.size()] == '.'))
        {
            return i;
        }
    }
    return kSdkVersions.size() - 1;
}
}  // namespace

HttpMetrics::HttpMetrics()
    : requests_(
          "relayer_http_requests_total", "HTTP requests, counted before they are handled.",
          {label("endpoint", kEndpoints), label("method", kMethods), label("version", kVersions),
           label("relayer_sdk_name", kSdkNames), label("relayer_sdk_version", kSdkVersions)}),
      responses_("relayer_http_responses_total", "HTTP responses.", answered()),
      durations_("relayer_http_request_duration_seconds",
                 "From the last byte of a request to its response.", answered(),
                 {.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10})
{}

std::optional<HttpMetrics::Route> HttpMetrics::routeOf(std::string_view pattern, bool post)
{
    Route route;
    route.method = post ? 1 : 0;
    if (!pattern.starts_with("/v2/") && !pattern.starts_with("/v3/"))
    {
        return std::nullopt;
    }
    route.version = pattern[2] == '3' ? 1 : 0;
    const std::string_view rest = pattern.substr(kVersions[0].size() + 1);
    const std::string_view endpoint = rest.substr(0, rest.find('/', 1));
    const auto *const known = std::find(kEndpoints.begin(), kEndpoints.end(), endpoint);
    if (known == kEndpoints.end() || rest.ends_with("/events"))
    {
        return std::nullopt;
    }
    route.endpoint = static_cast<std::size_t>(known - kEndpoints.begin());
    return route;
}

void HttpMetrics::began(const Route &route, std::string_view sdkName, std::string_view sdkVersion)
{
    requests_.add({route.endpoint, route.method, route.version,
                   std::size_t{sdkName == kSdkNames[0] ? 0U : 1U}, sdkVersionPlace(sdkVersion)});
}

void HttpMetrics::ended(const Route &route, int status, std::uint64_t micros)
{
    const std::size_t place = statusPlace(status);
    responses_.add({route.endpoint, route.method, route.version, place});
    durations_.observe({route.endpoint, route.method, route.version, place}, micros);
}

void HttpMetrics::write(MetricsText &text) const
{
    requests_.write(text);
    responses_.write(text);
    durations_.write(text);
}
}  // namespace relayer::plugins
