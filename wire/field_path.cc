#include "wire/field_path.h"

namespace relayer::wire
{
std::string FieldPath::text() const
{
    std::string before = parent == nullptr ? std::string() : parent->text();
    if (index)
    {
        return before + "[" + std::to_string(*index) + "]";
    }
    return before + (before.empty() ? "" : ".") + std::string(name);
}

std::string shortened(std::string_view name)
{
    constexpr std::size_t kLongest = 64;
    if (name.size() <= kLongest)
    {
        return std::string(name);
    }
    std::size_t end = kLongest;
    // Not in the middle of a character.
    while (end > 0 && (static_cast<unsigned char>(name[end]) & 0xC0U) == 0x80U)
    {
        --end;
    }
    return std::string(name.substr(0, end)) + "\xE2\x80\xA6";
}
}  // namespace relayer::wire
