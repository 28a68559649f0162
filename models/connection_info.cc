#include "models/connection_info.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <libpq-fe.h>
#include <memory>
#include <utility>

namespace relayer::models
{
namespace
{
// Where libpq looks by itself, and where systems keep whom they believe.
constexpr const char *kOwnCertificates = "/.postgresql/root.crt";
constexpr std::array kSystemsCertificates = {"/etc/ssl/certs/ca-certificates.crt",
                                             "/etc/pki/tls/certs/ca-bundle.crt"};

std::string quoted(const std::string &value)
{
    std::string text = "'";
    for (const char c : value)
    {
        if (c == '\\' || c == '\'')
        {
            text.push_back('\\');
        }
        text.push_back(c);
    }
    return text + "'";
}

std::string ourOptions(const ConnectionSettings &settings)
{
    // timezone: the generated row classes read times without a zone. synchronous_commit: a 202 says
    // that the request is on disk, whatever the default of the database is.
    return "-c statement_timeout=" + std::to_string(settings.statementTimeout.count()) +
           " -c synchronous_commit=on -c timezone=UTC -c idle_in_transaction_session_timeout=30000";
}
// What the operator says, in libpq's order.
using Options = std::vector<std::pair<std::string, std::string>>;

std::optional<Options> parse(const std::string &url)
{
    char *error = nullptr;
    const std::unique_ptr<PQconninfoOption, decltype(&PQconninfoFree)> parsed(
        PQconninfoParse(url.c_str(), &error), &PQconninfoFree);
    const std::unique_ptr<char, decltype(&PQfreemem)> errorOwner(error, &PQfreemem);
    if (!parsed)
    {
        return std::nullopt;
    }
    Options options;
    for (const PQconninfoOption *option = parsed.get(); option->keyword != nullptr; ++option)
    {
        if (option->val != nullptr)
        {
            options.emplace_back(option->keyword, option->val);
        }
    }
    return options;
}

std::vector<std::string> listed(const std::string &text)
{
    std::vector<std::string> items(1);
    for (const char c : text)
    {
        if (c == ',')
        {
            items.emplace_back();
            continue;
        }
        items.back().push_back(c);
    }
    return items;
}

bool isOfHost(const std::string &keyword)
{
    return keyword == "host" || keyword == "hostaddr" || keyword == "port";
}

std::size_t hostsIn(const Options &options)
{
    std::size_t hosts = 1;
    for (const auto &[keyword, value] : options)
    {
        if (keyword == "host" || keyword == "hostaddr")
        {
            hosts = std::max(hosts, listed(value).size());
        }
    }
    return hosts;
}

// The options of one of the hosts; a list of one item is for all of them.
Options ofHost(Options options, std::size_t number)
{
    for (auto &[keyword, value] : options)
    {
        if (isOfHost(keyword))
        {
            const auto items = listed(value);
            value = items.size() == 1 ? items.front() : number < items.size() ? items[number] : "";
        }
    }
    // Nothing in a list means libpq's default.
    std::erase_if(options, [](const auto &option) {
        return isOfHost(option.first) && option.second.empty();
    });
    return options;
}

bool isHere(const std::string &host)
{
    return host.empty() || host.front() == '/' || host.front() == '@' || host == "localhost" ||
           host.starts_with("127.") || host == "::1";
}

// Whether TLS is the operator's own business: what they say in the URL, in a service file or in the
// environment counts, and on this machine nobody listens in.
bool needsNoWordOnTls(const Options &options, const TlsDefaults &defaults)
{
    bool anotherMachine = false;
    for (const auto &[keyword, value] : options)
    {
        if (keyword == "sslmode" || keyword == "service")
        {
            return true;
        }
        if (keyword == "host" || keyword == "hostaddr")
        {
            anotherMachine = anotherMachine || !std::ranges::all_of(listed(value), isHere);
        }
    }
    return !anotherMachine || defaults.saidElsewhere;
}

std::string written(const Options &options, std::size_t hosts, const ConnectionSettings &settings)
{
    const auto seconds = (settings.connectTimeout.count() + 999) / 1000;
    Options defaults = {{"application_name", settings.applicationName},
                        {"connect_timeout", std::to_string(seconds)},
                        // A peer that is gone without a word would be waited for two hours.
                        {"keepalives", "1"},
                        {"keepalives_idle", "20"},
                        {"keepalives_interval", "5"},
                        {"keepalives_count", "3"}};
    if (hosts > 1)
    {
        defaults.emplace_back("target_session_attrs", "read-write");
    }
    if (!needsNoWordOnTls(options, settings.tls))
    {
        defaults.emplace_back("sslmode", "verify-full");
        if (!settings.tls.rootCertificates.empty())
        {
            defaults.emplace_back("sslrootcert", settings.tls.rootCertificates);
        }
    }
    std::string text;
    std::string operatorsOptions;
    for (const auto &[keyword, value] : options)
    {
        if (keyword == "options")
        {
            operatorsOptions = " " + value;
            continue;
        }
        std::erase_if(defaults, [&](const auto &ours) { return ours.first == keyword; });
        text += keyword + "=" + quoted(value) + " ";
    }
    for (const auto &[keyword, value] : defaults)
    {
        text += keyword + "=" + quoted(value) + " ";
    }
    return text + "options=" + quoted(ourOptions(settings) + operatorsOptions);
}
}  // namespace

TlsDefaults tlsDefaultsHere()
{
    const auto variable = [](const char *name) {
        // Nobody of ours sets variables. NOLINTNEXTLINE(concurrency-mt-unsafe)
        const char *const value = std::getenv(name);
        return std::string(value == nullptr ? "" : value);
    };
    TlsDefaults defaults;
    defaults.saidElsewhere = !variable("PGSSLMODE").empty();
    std::error_code none;
    const bool libpqHasSome = !variable("PGSSLROOTCERT").empty() ||
                              std::filesystem::exists(variable("HOME") + kOwnCertificates, none);
    for (const char *const bundle : kSystemsCertificates)
    {
        if (!libpqHasSome && std::filesystem::exists(bundle, none))
        {
            defaults.rootCertificates = bundle;
            break;
        }
    }
    return defaults;
}

std::optional<std::string> connectionString(const ConnectionSettings &settings)
{
    const auto options = parse(settings.url);
    return options ? std::optional(written(*options, hostsIn(*options), settings)) : std::nullopt;
}

std::vector<std::string> connectionStrings(const ConnectionSettings &settings)
{
    const auto options = parse(settings.url);
    const std::size_t hosts = options ? hostsIn(*options) : 0;
    std::vector<std::string> strings;
    strings.reserve(hosts);
    for (std::size_t host = 0; host < hosts; ++host)
    {
        strings.push_back(written(ofHost(*options, host), hosts, settings));
    }
    return strings;
}
}  // namespace relayer::models
