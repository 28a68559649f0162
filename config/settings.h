// The configuration as the rest of the house sees it: plain values with their defaults.
#pragma once

#include "config/secret.h"

#include <chrono>
#include <cstdint>
#include <string>

namespace relayer::config
{
using std::chrono::milliseconds;
using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""s;

inline constexpr std::uint64_t KiB = 1024;
inline constexpr std::uint64_t MiB = 1024 * KiB;

/// Read by our own program only: an application that embeds the module has listeners, threads and
/// limits of its own.
struct HostSettings
{
    std::string address{"127.0.0.1"};
    std::uint64_t port{8088};
    std::uint64_t ioThreads{0};
    milliseconds idleConnectionTimeout{90s};
};

struct InstanceSettings
{
    std::string name;
    milliseconds heartbeat{2s};
};

struct DatabaseSettings
{
    Secret url;
    std::string urlFile;
    Secret directUrl;
    std::string directUrlFile;
    std::uint64_t writeConnections{4};
    std::uint64_t readConnections{2};
    milliseconds statementTimeout{5s};
    milliseconds clientTimeout{8s};
    milliseconds connectTimeout{5s};
    bool migrate{true};
};

/// One group commit: who comes first commits for all who wait.
struct BatchSettings
{
    std::uint64_t maxBatchRows{512};
    std::uint64_t maxBatchBytes{4 * MiB};
    std::uint64_t maxWaiting{20000};
    std::uint64_t inFlight{2};
};

struct HttpSettings
{
    std::uint64_t maxBody{2 * MiB};
    std::uint64_t retryAfterSeconds{3};
};

struct LogSettings
{
    std::string level{"info"};
};

/// The typed configuration, with its defaults. Where a value may come from, what it may be and what
/// it means is said once, in schema.cc; a member without a line there can not be configured.
struct Settings
{
    HostSettings host;
    InstanceSettings instance;
    DatabaseSettings database;
    BatchSettings admission;
    BatchSettings transitions;
    HttpSettings http;
    LogSettings log;
};
}  // namespace relayer::config
