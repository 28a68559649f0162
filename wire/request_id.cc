#include "wire/request_id.h"

#include <algorithm>
#include <cstddef>

namespace relayer::wire
{
bool isSaneRequestId(std::string_view text)
{
    constexpr std::size_t kLongest = 128;
    return !text.empty() && text.size() <= kLongest &&
           std::all_of(text.begin(), text.end(), [](char c) {
               return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                      std::string_view("-_.:").find(c) != std::string_view::npos;
           });
}
}  // namespace relayer::wire
