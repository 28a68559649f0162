#include "controllers/ui_files.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>

namespace relayer::controllers
{
using drogon::HttpRequestPtr;
using drogon::HttpResponsePtr;
namespace fs = std::filesystem;

namespace
{
constexpr std::array<std::string_view, 15> kReserved = {
    "api",     "shielded-vote", "v1",           "v2",   "v3",      "cosmos",   "ibc",    "admin",
    "metrics", "healthz",       "openapi.json", "docs", "version", "liveness", "console"};
constexpr std::string_view kAssets = "/assets/";

// However it is spelled: who looks for a route there is a program.
bool isReserved(const std::string &path)
{
    const std::string plain = fs::path(path).lexically_normal().string();
    const std::size_t begin = std::min(plain.find_first_not_of('/'), plain.size());
    std::string first = plain.substr(begin, plain.find('/', begin) - begin);
    std::transform(first.begin(), first.end(), first.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return std::find(kReserved.begin(), kReserved.end(), first) != kReserved.end();
}

// Nothing: there is no such file, or it is outside of the folder, be it by a link.
std::optional<fs::path> fileBelow(const fs::path &folder, std::string_view path)
{
    std::error_code wrong;
    const fs::path root = fs::weakly_canonical(folder, wrong);
    const fs::path file = fs::weakly_canonical(folder / path.substr(1), wrong);
    const auto inside = std::mismatch(root.begin(), root.end(), file.begin(), file.end());
    const bool there = !wrong && inside.first == root.end() && fs::is_regular_file(file, wrong);
    return there ? std::optional(file) : std::nullopt;
}

HttpResponsePtr answerWith(const fs::path &file, bool keep)
{
    auto response = drogon::HttpResponse::newFileResponse(file.string());
    response->addHeader("X-Content-Type-Options", "nosniff");
    response->addHeader("X-Frame-Options", "DENY");
    // The names of assets change with their content.
    response->addHeader("Cache-Control", keep ? "public, max-age=31536000, immutable" : "no-cache");
    return response;
}
}  // namespace

HttpResponsePtr uiFile(const HttpRequestPtr &request, const std::string &folder)
{
    const std::string &path = request->path();
    const bool reads = request->method() == drogon::Get || request->method() == drogon::Head;
    if (folder.empty() || !reads || path.empty() || path[0] != '/' ||
        path.find('\0') != std::string::npos || isReserved(path))
    {
        return nullptr;
    }
    const bool asset = path.starts_with(kAssets);
    if (const auto file = fileBelow(folder, path))
    {
        return answerWith(*file, asset);
    }
    const auto application = fileBelow(folder, "/index.html");
    const bool page = request->getHeader("accept").find("text/html") != std::string::npos;
    return !asset && page && application ? answerWith(*application, false) : nullptr;
}
}  // namespace relayer::controllers
