#pragma once

#include <iosfwd>
#include <string>

namespace relayer::importer
{
// Writes the configuration that the file becomes to `out`, and what is to be said to `report`.
// False: something has to be put right.
[[nodiscard]] bool importFile(const std::string &name, std::ostream &out, std::ostream &report);
}  // namespace relayer::importer
