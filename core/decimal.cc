#include "core/decimal.h"

#include <cstddef>

namespace relayer::core
{
std::string formatDecimal(std::uint64_t millionths)
{
    constexpr std::size_t kDigits = 6;
    std::string part = std::to_string(millionths % kMillion);
    part.insert(0, kDigits - part.size(), '0');
    part.erase(part.find_last_not_of('0') + 1);
    return std::to_string(millionths / kMillion) + (part.empty() ? "" : "." + part);
}
}  // namespace relayer::core
