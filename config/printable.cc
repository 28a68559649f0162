#include "config/printable.h"

#include <algorithm>
#include <vector>

namespace relayer::config
{
namespace
{
bool isControl(char c)
{
    return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
}

/// Insertions, deletions, replacements and swaps of neighbours between the two
/// (Damerau-Levenshtein).
std::size_t typingErrors(std::string_view a, std::string_view b)
{
    std::vector<std::vector<std::size_t>> cost(a.size() + 1,
                                               std::vector<std::size_t>(b.size() + 1));
    for (std::size_t i = 0; i <= a.size(); ++i)
    {
        for (std::size_t j = 0; j <= b.size(); ++j)
        {
            if (i == 0 || j == 0)
            {
                cost[i][j] = i + j;
                continue;
            }
            const std::size_t replaced = cost[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0U : 1U);
            cost[i][j] = std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1, replaced});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
            {
                cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
            }
        }
    }
    return cost[a.size()][b.size()];
}
}  // namespace

bool hasControlCharacters(std::string_view text)
{
    return std::any_of(text.begin(), text.end(), isControl);
}

std::string printable(std::string_view text)
{
    constexpr std::size_t longest = 60;
    std::string out(text.substr(0, longest));
    std::replace_if(out.begin(), out.end(), isControl, '?');
    return text.size() > longest ? out + "..." : out;
}

std::string inQuotes(std::string_view text)
{
    return '"' + printable(text) + '"';
}

std::string didYouMean(std::string_view name, std::span<const std::string> names)
{
    constexpr std::size_t longest = 100;
    if (name.size() > longest)
    {
        return "";
    }
    // A third of the letters may be wrong, three at most: more than that is another word.
    std::size_t best = std::clamp<std::size_t>(name.size() / 3, 1, 3) + 1;
    std::string_view nearest;
    for (const auto &candidate : names)
    {
        const auto errors = typingErrors(name, candidate);
        if (errors < best)
        {
            best = errors;
            nearest = candidate;
        }
    }
    return nearest.empty() ? "" : " (did you mean " + std::string(nearest) + "?)";
}
}  // namespace relayer::config
