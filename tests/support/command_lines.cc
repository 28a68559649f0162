#include "support/command_lines.h"

#include <array>
#include <cstdio>
#include <memory>
#include <sstream>

namespace relayer::test
{
std::vector<std::string> linesOf(const std::string &command)
{
    const std::unique_ptr<FILE, int (*)(FILE *)> pipe(popen(command.c_str(), "re"), pclose);
    std::string text;
    std::array<char, 4096> chunk{};
    while (pipe && fgets(chunk.data(), chunk.size(), pipe.get()) != nullptr)
    {
        text += chunk.data();
    }
    std::vector<std::string> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);)
    {
        lines.push_back(line);
    }
    return lines;
}
}  // namespace relayer::test
