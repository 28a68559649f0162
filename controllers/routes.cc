#include "controllers/routes.h"

#include <drogon/HttpAppFramework.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <tuple>
#include <vector>

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
        // Drogon answers HEAD with the handler of GET.
        case drogon::Get: methods.insert({"GET", "HEAD"}); break;
        case drogon::Post: methods.insert("POST"); break;
        case drogon::Put: methods.insert("PUT"); break;
        case drogon::Delete: methods.insert("DELETE"); break;
        case drogon::Patch: methods.insert("PATCH"); break;
        default: break;
    }
}

// What stands in them does not change any more.
const std::vector<drogon::HttpHandlerInfo> &allRoutes()
{
    static const auto routes = drogon::app().getHandlersInfo();
    return routes;
}
}  // namespace

bool takesMethod(std::string_view path, drogon::HttpMethod method)
{
    // Drogon answers HEAD with the handler of GET.
    const drogon::HttpMethod wanted = method == drogon::Head ? drogon::Get : method;
    return std::ranges::any_of(allRoutes(), [path, wanted](const drogon::HttpHandlerInfo &route) {
        return std::get<1>(route) == wanted && matches(std::get<0>(route), path);
    });
}

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
    std::set<std::string_view> methods;
    for (const auto &[pattern, method, description] : allRoutes())
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
