#include "config/secret_file.h"

#include "config/printable.h"

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <system_error>

namespace relayer::config
{
namespace
{
constexpr std::size_t largestFile = 65536;

/// A secret typed where its path belongs must not come back in an error.
bool looksLikeSecret(const std::string &path)
{
    return path.find("://") != std::string::npos || path.find('=') != std::string::npos;
}
}  // namespace

SecretContent readSecret(const std::string &path)
{
    if (looksLikeSecret(path))
    {
        return {"", "must be the path of a file that holds the secret, not the secret itself"};
    }
    std::error_code error;
    if (std::filesystem::is_directory(path, error))
    {
        return {"", inQuotes(path) + " is a directory"};
    }
    errno = 0;
    std::ifstream file(path, std::ios::binary);
    if (!file)
    {
        return {"",
                "cannot read " + inQuotes(path) + ": " + std::generic_category().message(errno)};
    }
    std::string text(largestFile + 1, '\0');
    file.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<std::size_t>(file.gcount()));
    if (text.size() > largestFile)
    {
        return {"", inQuotes(path) + " is too large for a secret"};
    }
    while (!text.empty() && (text.back() == '\n' || text.back() == '\r'))
    {
        text.pop_back();
    }
    return {std::move(text), ""};
}
}  // namespace relayer::config
