// The checks of the fuzzers without a fuzzer: over their seeds, whole, cut off and changed
// anywhere.
#include "fuzz/decoder_checks.h"
#include "support/source_dir.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

namespace relayer::fuzz
{
namespace
{
std::filesystem::path corpus()
{
    return test::sourceDir() / "tests/fuzz/corpus";
}

core::Bytes contentOf(const std::filesystem::path &file)
{
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

TEST(DecoderChecks, TheSeedsBreakNothing)
{
    for (const Target &target : kTargets)
    {
        int seeds = 0;
        for (const auto &file : std::filesystem::directory_iterator(corpus() / target.name))
        {
            const core::Bytes seed = contentOf(file.path());
            const Broken broken = target.check(seed);
            EXPECT_EQ(broken, kFine) << file.path() << ": " << broken;
            ++seeds;
        }
        EXPECT_GE(seeds, 5) << target.name;
    }
}

TEST(DecoderChecks, EachFolderOfSeedsHasItsTarget)
{
    for (const auto &folder : std::filesystem::directory_iterator(corpus()))
    {
        const std::string name = folder.path().filename();
        EXPECT_EQ(std::count_if(kTargets.begin(), kTargets.end(),
                                [&name](const Target &target) { return target.name == name; }),
                  1)
            << name;
    }
}

TEST(DecoderChecks, SeedsThatAreCutOffOrChangedAnywhereBreakNothing)
{
    std::mt19937 random(20240608);
    for (const Target &target : kTargets)
    {
        for (const auto &file : std::filesystem::directory_iterator(corpus() / target.name))
        {
            const core::Bytes seed = contentOf(file.path());
            for (std::size_t at = 0; at < seed.size(); ++at)
            {
                ASSERT_EQ(target.check(core::ByteView(seed).first(at)), kFine) << file.path() << at;
                core::Bytes changed = seed;
                for (const std::uint_fast32_t value :
                     {std::uint_fast32_t{0}, std::uint_fast32_t{255}, random()})
                {
                    changed[at] = static_cast<std::uint8_t>(value);
                    ASSERT_EQ(target.check(changed), kFine) << file.path() << at;
                }
            }
        }
    }
}
}  // namespace
}  // namespace relayer::fuzz
