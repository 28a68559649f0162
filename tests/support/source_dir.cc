#include "support/source_dir.h"

#include <cstdlib>

namespace relayer::test
{
std::filesystem::path sourceDir()
{
    if (const char *given = std::getenv("RELAYER_SOURCE_DIR"); given != nullptr && *given != '\0')
    {
        return given;
    }
    auto folder = std::filesystem::read_symlink("/proc/self/exe").parent_path();
    while (!std::filesystem::exists(folder / "scripts/pg.sh") && folder.has_relative_path())
    {
        folder = folder.parent_path();
    }
    return folder;
}
}  // namespace relayer::test
