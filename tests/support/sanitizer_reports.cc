#include "support/sanitizer_reports.h"

#include <algorithm>
#include <array>

namespace relayer::test
{
namespace
{
constexpr std::array<std::string_view, 4> kBeginnings = {"ThreadSanitizer:", "AddressSanitizer",
                                                         "LeakSanitizer", "runtime error:"};
constexpr std::size_t kMost = 6000;
}  // namespace

std::string sanitizerReport(std::string_view output)
{
    std::size_t first = std::string_view::npos;
    for (const std::string_view beginning : kBeginnings)
    {
        first = std::min(first, output.find(beginning));
    }
    if (first == std::string_view::npos)
    {
        return "";
    }
    const std::size_t line = output.rfind('\n', first);
    return std::string(output.substr(line == std::string_view::npos ? 0 : line + 1, kMost));
}
}  // namespace relayer::test
