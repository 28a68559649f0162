#include "controllers/routes.h"

#include <drogon/HttpAppFramework.h>

#include <algorithm>
#include <cctype>
#include <set>

namespace relayer::controllers
{
namespace
{
bool sameIgnoringCase(std::string_view one, std::string_view other)
{
    return std::equal(one.begin(), one.end(), other.begin(), other.end(), [](char a, char b) {
        return std::tolower(static_cast<unsigned char>(a)) ==
               std::tolower(static_cast<unsigned char>(b));
    });
}

std::string_view takeSegment(std::string_view &rest)
{
    const std::size_t end = std::min(rest.find('/'), rest.size());
    const std::string_view segment = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    return segment;
}

void addMethod(std::set<std::string_view> &methods, drogon::HttpMethod method)
{
    switch (method)
    {
        case drogon::Get:
            methods.insert("GET");
            methods.insert("HEAD");  // Drogon answers it with the handler of GET
            break;
        case drogon::Post: methods.insert("POST"); break;
        case drogon::Put: methods.insert("PUT"); break;
        case drogon::Delete: methods.insert("DELETE"); break;
        case drogon::Patch: methods.insert("PATCH"); break;
        default: break;
    }
}
}  // namespace

bool matches(std::string_view pattern, std::string_view path)
{
    if (std::count(pattern.begin(), pattern.end(), '/') !=
        std::count(path.begin(), path.end(), '/'))
    {
        return false;
    }
    while (!pattern.empty() || !path.empty())
    {
        const std::string_view wanted = takeSegment(pattern);
        const std::string_view given = takeSegment(path);
        const bool parameter = wanted.starts_with('{') && wanted.ends_with('}');
        if (parameter ? given.empty() : !sameIgnoringCase(wanted, given))
        {
            return false;
        }
    }
    return true;
}

std::string methodsOf(std::string_view path)
{
    static const auto routes = drogon::app().getHandlersInfo();
    std::set<std::string_view> methods;
    for (const auto &[pattern, method, description] : routes)
    {
        if (matches(pattern, path))
        {
            addMethod(methods, method);
        }
    }
    std::string text;
    for (const std::string_view method : methods)
    {
        text.append(text.empty() ? "" : ", ").append(method);
    }
    return text;
}
}  // namespace relayer::controllers
