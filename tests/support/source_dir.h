// Where the sources are that the tests read: scripts, documents, vectors.
#pragma once

#include <filesystem>

namespace relayer::test
{
// RELAYER_SOURCE_DIR, or the folder above this program that has the scripts. Looked up and not
// compiled in, so that trees at other places share what a compiler cache holds.
[[nodiscard]] std::filesystem::path sourceDir();
}  // namespace relayer::test
