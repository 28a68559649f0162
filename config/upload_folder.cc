#include "config/upload_folder.h"

#include <cerrno>
#include <cstdlib>
#include <sys/stat.h>
#include <unistd.h>

namespace relayer::config
{
namespace
{
bool isPrivateFolderOfOurs(const std::string &path)
{
    struct stat found{};
    return lstat(path.c_str(), &found) == 0 && S_ISDIR(found.st_mode) &&
           found.st_uid == geteuid() && (found.st_mode & 077) == 0;
}
}  // namespace

std::string uploadFolder(const std::string &below)
{
    auto known = below + "/relayer-uploads-" + std::to_string(geteuid());
    if (mkdir(known.c_str(), 0700) == 0 || (errno == EEXIST && isPrivateFolderOfOurs(known)))
    {
        return known;
    }
    auto fresh = below + "/relayer-uploads-XXXXXX";
    return mkdtemp(fresh.data()) == nullptr ? "" : fresh;
}
}  // namespace relayer::config
