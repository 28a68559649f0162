// The part of the configuration that is about what clients may send and what they are told.
#include "config/schema.h"

#include <algorithm>
#include <arpa/inet.h>
#include <cctype>
#include <charconv>

namespace relayer::config
{
namespace
{
// Calls `accepts` for each part between commas, without the blanks around it.
bool eachPart(std::string_view list, bool (*accepts)(std::string_view))
{
    const std::vector<std::string> parts = partsOf(list);
    return std::ranges::all_of(parts, [accepts](const std::string &part) { return accepts(part); });
}

// Drogon's router takes upper and lower case for the same, and gives braces a meaning.
bool isPathPrefix(std::string_view text)
{
    const bool plain = std::ranges::all_of(text, [](unsigned char c) {
        return std::isalnum(c) != 0 || c == '/' || c == '-' || c == '.' || c == '_';
    });
    return plain && text.starts_with('/') && !text.ends_with('/') &&
           text.find("//") == std::string_view::npos && text.find("/.") == std::string_view::npos;
}

// As Drogon's RealIpResolver understands them.
bool isNetwork(std::string_view text)
{
    const std::size_t slash = text.find('/');
    const std::string address(text.substr(0, slash));
    in_addr parsed{};
    if (inet_pton(AF_INET, address.c_str(), &parsed) != 1 || parsed.s_addr == 0)
    {
        return false;
    }
    if (slash == std::string_view::npos)
    {
        return true;
    }
    const std::string_view digits = text.substr(slash + 1);
    unsigned bits = 0;
    const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), bits);
    return read.ec == std::errc() && read.ptr == digits.data() + digits.size() && bits >= 1 &&
           bits <= 32;
}

bool areNetworks(std::string_view list)
{
    return eachPart(list, isNetwork);
}

bool isOrigin(std::string_view text)
{
    const bool scheme = text.starts_with("https://") || text.starts_with("http://");
    const std::string_view host = scheme ? text.substr(text.find("://") + 3) : std::string_view();
    return !host.empty() && host.find_first_of("/?#@ \t\"\\") == std::string_view::npos;
}

bool areOrigins(std::string_view list)
{
    return list == "*" || eachPart(list, isOrigin);
}

bool isHeaderName(std::string_view text)
{
    return isToken(text);
}
}  // namespace

std::vector<std::string> partsOf(std::string_view list)
{
    std::vector<std::string> parts;
    while (!list.empty())
    {
        const std::size_t comma = std::min(list.find(','), list.size());
        std::string_view part = list.substr(0, comma);
        list.remove_prefix(std::min(comma + 1, list.size()));
        while (part.starts_with(' '))
        {
            part.remove_prefix(1);
        }
        while (part.ends_with(' '))
        {
            part.remove_suffix(1);
        }
        parts.emplace_back(part);
    }
    return parts;
}

// Who waits for an answer instead of asking again.
void describeWaiting(std::vector<Key> &keys, HttpSettings &http)
{
    keys.insert(
        keys.end(),
        {{"http.long_poll.max_wait", Duration{&http.longPoll.maxWait, 1s, std::chrono::minutes(1)},
          "How long a GET with Prefer: wait=N or ?wait=N is held at the most, whatever it asks "
          "for. Less than the proxies in front wait for an answer."},
         {"http.long_poll.max_waiters", Integer{&http.longPoll.maxWaiters, 0, 1'000'000},
          "Requests that are held at the same time; those above that are answered at once. Each "
          "has a connection: mind the limit of open files."},
         {"http.events.max_streams", Integer{&http.events.maxStreams, 0, 1'000'000},
          "Event streams that are open at the same time; those above that get 503."},
         {"http.events.keep_alive", Duration{&http.events.keepAlive, 1s, std::chrono::minutes(5)},
          "How often a stream on which nothing happens says so, for the proxies in between."},
         {"http.events.max_duration",
          Duration{&http.events.maxDuration, 1s, std::chrono::hours(24)},
          "When a stream is ended; its client opens another one by itself."}});
}

void describeHttp(std::vector<Key> &keys, HttpSettings &http)
{
    ClientLimitSettings &limits = http.clientLimits;
    keys.insert(
        keys.end(),
        {{"http.path_prefix",
          Text{&http.pathPrefix, 128, true, isPathPrefix,
               "a path without a slash at its end, such as /relayer, made of letters, digits, and "
               "/ - . _"},
          "What stands in front of every path of ours. An application that embeds the module "
          "keeps its own routes apart with it. Empty: nothing does."},
         {"http.max_body", Bytes{&http.maxBody, 64 * KiB, 256 * MiB},
          "Largest request body. A larger one gets our JSON error; above twice this size, our own "
          "program's clients get an empty 413 from Drogon."},
         {"http.max_handles", Integer{&http.maxHandles, 1, 65536},
          "Handles that one request may have. A gateway decrypts at most 2048 bits at once, and no "
          "type of value has less than 2."},
         {"http.max_contracts", Integer{&http.maxContracts, 1, 65536},
          "Contracts that one request may name. A gateway takes 10."},
         {"http.ended_answers", Bytes{&http.endedAnswers, 0, 4096 * MiB},
          "Memory for the answers of jobs that have ended, so that polls for them need no database "
          "for a minute. 0: none are kept."},
         {"http.health_interval", Duration{&http.healthInterval, 100ms, std::chrono::hours(1)},
          "How often the nodes are asked whether they are there, for /healthz. A request to it "
          "asks nobody."},
         {"http.trusted_proxies",
          Text{&http.trustedProxies, 4096, true, areNetworks,
               "IPv4 addresses or networks (10.0.0.0/8), separated by commas"},
          "Proxies whose X-Forwarded-For says who the client is: nginx in front, for example "
          "127.0.0.1. Only our own program reads it; an application that embeds the module lists "
          "Drogon's RealIpResolver itself."},
         {"http.cors.allowed_origins",
          Text{&http.corsOrigins, 4096, true, areOrigins,
               "origins (https://app.example), separated by commas, or *"},
          "Web pages of which origins may call us from a browser. Empty: none. Only our own "
          "program reads it."},
         {"http.client_limits.requests_per_minute",
          Integer{&limits.requestsPerMinute, 0, 1'000'000},
          "New requests that one client may bring in a minute; repeats of a request that is here "
          "are free, and polls are. 0: as many as it likes. Behind a proxy, name it in "
          "http.trusted_proxies first, or all clients count as one."},
         {"http.client_limits.burst", Integer{&limits.burst, 1, 1'000'000},
          "How many of them may come at once."},
         {"http.client_limits.key_header",
          Text{&limits.keyHeader, 64, true, isHeaderName, "the name of a header"},
          "A header that tells clients apart in place of their address, x-api-key for example. "
          "Only one that the proxy in front has checked: who may invent keys has no limit."},
         {"http.client_limits.max_clients", Integer{&limits.maxClients, 1, 10'000'000},
          "Clients that are remembered at the same time."}});
    describeRetryAfter(keys, http.retryAfter);
    describeWaiting(keys, http);
}
}  // namespace relayer::config
