#include "models/connection_info.h"

#include <libpq-fe.h>
#include <memory>

namespace relayer::models
{
namespace
{
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
}  // namespace

std::optional<std::string> connectionString(const ConnectionSettings &settings)
{
    char *error = nullptr;
    const std::unique_ptr<PQconninfoOption, decltype(&PQconninfoFree)> options(
        PQconninfoParse(settings.url.c_str(), &error), &PQconninfoFree);
    const std::unique_ptr<char, decltype(&PQfreemem)> errorOwner(error, &PQfreemem);
    if (!options)
    {
        return std::nullopt;
    }

    std::string text;
    std::string operatorsOptions;
    bool hasName = false;
    bool hasConnectTimeout = false;
    for (const PQconninfoOption *option = options.get(); option->keyword != nullptr; ++option)
    {
        const std::string keyword = option->keyword;
        if (option->val == nullptr)
        {
            continue;
        }
        if (keyword == "options")
        {
            operatorsOptions = std::string(" ") + option->val;
            continue;
        }
        hasName = hasName || keyword == "application_name";
        hasConnectTimeout = hasConnectTimeout || keyword == "connect_timeout";
        text += keyword + "=" + quoted(option->val) + " ";
    }
    if (!hasName)
    {
        text += "application_name=" + quoted(settings.applicationName) + " ";
    }
    if (!hasConnectTimeout)
    {
        const auto seconds = (settings.connectTimeout.count() + 999) / 1000;
        text += "connect_timeout=" + std::to_string(seconds) + " ";
    }
    return text + "options=" + quoted(ourOptions(settings) + operatorsOptions);
}
}  // namespace relayer::models
