#include "importer/import_file.h"

#include "importer/reference_config.h"

#include <fstream>
#include <iterator>
#include <ostream>

namespace relayer::importer
{
bool importFile(const std::string &name, std::ostream &out, std::ostream &report)
{
    std::ifstream file(name, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    if (!file)
    {
        report << name << ": cannot be read\n";
        return false;
    }
    const Import import = importReference(text);
    if (!import.wrong.empty())
    {
        report << name << ": " << import.wrong << "\n";
        return false;
    }
    out << import.file;
    report << import.report();
    return import.refused.empty();
}
}  // namespace relayer::importer
