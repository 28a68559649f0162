#include "tidy/tree_rules.h"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

// Runs the tidy rules over the tree this test was built from.

namespace relayer::tidy
{
namespace
{
const std::filesystem::path kRoot = RELAYER_SOURCE_DIR;

// Whether a developer who has not committed yet sees the finding, too: tracked files and those that
// would be added, not what .gitignore leaves out. The owner of the checkout may be another user.
std::vector<std::string> pathsInTree()
{
    const std::string command = "git -c safe.directory='*' -C '" + kRoot.string() +
                                "' ls-files -z --cached --others --exclude-standard";
    const std::unique_ptr<FILE, int (*)(FILE *)> pipe(popen(command.c_str(), "r"), pclose);
    if (!pipe)
        return {};
    std::string listing;
    std::array<char, 4096> buffer{};
    while (const size_t count = fread(buffer.data(), 1, buffer.size(), pipe.get()))
        listing.append(buffer.data(), count);
    std::vector<std::string> paths;
    for (size_t at = 0; at < listing.size(); at += paths.back().size() + 1)
        paths.emplace_back(listing.c_str() + at);
    return paths;
}

std::vector<File> readTree()
{
    std::vector<File> files;
    for (const std::string &path : pathsInTree())
    {
        const std::filesystem::path full = kRoot / path;
        if (!std::filesystem::is_regular_file(std::filesystem::symlink_status(full)))
            continue;
        std::ifstream in(full, std::ios::binary);
        std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
        const bool binary = text.find('\0') != std::string::npos;
        if (!binary)
            files.push_back({path, std::move(text)});
    }
    return files;
}
}  // namespace

TEST(Tidy, TheTreeKeepsTheRulesOfTheHouse)
{
    const std::vector<File> files = readTree();
    ASSERT_FALSE(files.empty()) << "git lists no files in " << kRoot
                                << ": the tidy test needs git and a checkout";
    std::string list;
    for (const Finding &finding : findings(files))
        list += toString(finding) + "\n";
    EXPECT_TRUE(list.empty()) << "\n" << list;
}

TEST(Tidy, TheRulesAreFastEnoughToRunEachTime)
{
    const std::vector<File> files = readTree();
    const auto start = std::chrono::steady_clock::now();
    findings(files);
    // A tenth of a second on an idle machine. The limit is for what grows without bounds.
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(30));
}
}  // namespace relayer::tidy
