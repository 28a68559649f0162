// How this program talks to PostgreSQL: the operator's URL plus the settings that the stores rely
// on.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace relayer::models
{
// What holds for a server on another machine of which the operator says nothing about TLS.
struct TlsDefaults
{
    // The operator has said it in the environment (PGSSLMODE), and libpq listens to that.
    bool saidElsewhere = false;
    // Who is believed about a server's name; empty: whom libpq believes by itself.
    std::string rootCertificates;
};
[[nodiscard]] TlsDefaults tlsDefaultsHere();

struct ConnectionSettings
{
    std::string url;  // a libpq URI or keyword string; may carry a password, never logged
    std::chrono::milliseconds statementTimeout{5000};
    std::chrono::milliseconds connectTimeout{5000};
    std::string applicationName = "drogon-relayer";
    TlsDefaults tls;
};

// A libpq keyword string, or nothing when the URL can not be parsed. The settings go into `options`
// of the start-up packet, before whatever the operator put there, so that the operator's own win.
//
// Of several hosts in the URL the one is wanted that takes writes (target_session_attrs), unless
// the operator says otherwise. A server that is not on this machine has to prove its name by its
// certificate (sslmode verify-full), unless the operator says otherwise.
[[nodiscard]] std::optional<std::string> connectionString(const ConnectionSettings &settings);

// The same, one string for each host of the URL, in its order; empty when it can not be parsed. For
// Drogon's clients: libpq changes sockets when it goes on to the next host, and they watch the
// first.
[[nodiscard]] std::vector<std::string> connectionStrings(const ConnectionSettings &settings);
}  // namespace relayer::models
