#include "e2e/admin_server.h"

#include "support/source_dir.h"

#include <filesystem>
#include <fstream>
#include <iterator>

namespace relayer::test
{
namespace
{
std::string contentOf(const std::filesystem::path &path)
{
    std::ifstream in(path);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

// {job_id} and the like become something that stands in a path.
std::string withValues(std::string path)
{
    for (std::size_t open = path.find('{'); open != std::string::npos; open = path.find('{'))
    {
        path.replace(open, path.find('}', open) - open + 1, "x");
    }
    return path;
}

void addRoutesOf(const std::string &text, std::vector<AdminRoute> &routes)
{
    const std::string begin = "ADD_METHOD_TO(";
    for (std::size_t at = text.find(begin); at != std::string::npos; at = text.find(begin, at + 1))
    {
        const std::string call = text.substr(at, text.find(");", at) - at);
        const std::size_t quote = call.find('"');
        const std::string path = call.substr(quote + 1, call.find('"', quote + 1) - quote - 1);
        if (path.starts_with("/admin") || path.starts_with("/console"))
        {
            routes.push_back({call.find("drogon::Post") != std::string::npos ? "POST" : "GET",
                              withValues(path), call.find("kAdminOnly") != std::string::npos});
        }
    }
}
}  // namespace

std::uint16_t portBehind(const std::string &output, const std::string &words)
{
    const std::size_t at = output.find(words);
    return at == std::string::npos
               ? std::uint16_t{0}
               : static_cast<std::uint16_t>(std::stoi(output.substr(at + words.size())));
}

std::vector<AdminRoute> adminRoutes()
{
    std::vector<AdminRoute> routes;
    for (const auto &entry : std::filesystem::directory_iterator(sourceDir() / "controllers"))
    {
        if (entry.path().extension() == ".h")
        {
            addRoutesOf(contentOf(entry.path()), routes);
        }
    }
    return routes;
}
}  // namespace relayer::test
