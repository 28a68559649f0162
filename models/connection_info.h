// How this program talks to PostgreSQL: the operator's URL plus the settings that the stores rely
// on.
#pragma once

#include <chrono>
#include <optional>
#include <string>

namespace relayer::models
{
struct ConnectionSettings
{
    std::string url;  // a libpq URI or keyword string; may carry a password, never logged
    std::chrono::milliseconds statementTimeout{5000};
    std::chrono::milliseconds connectTimeout{5000};
    std::string applicationName = "drogon-relayer";
};

// A libpq keyword string, or nothing when the URL can not be parsed. The settings go into `options`
// of the start-up packet, before whatever the operator put there, so that the operator's own win.
[[nodiscard]] std::optional<std::string> connectionString(const ConnectionSettings &settings);
}  // namespace relayer::models
