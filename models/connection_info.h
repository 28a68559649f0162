// How this program talks to PostgreSQL: the operator's URL plus the settings that the stores rely
// on.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

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
//
// Of several hosts in the URL the one is wanted that takes writes (target_session_attrs), unless
// the operator says otherwise.
[[nodiscard]] std::optional<std::string> connectionString(const ConnectionSettings &settings);

// The same, one string for each host of the URL, in its order; empty when it can not be parsed. For
// Drogon's clients: libpq changes sockets when it goes on to the next host, and they watch the
// first.
[[nodiscard]] std::vector<std::string> connectionStrings(const ConnectionSettings &settings);
}  // namespace relayer::models
