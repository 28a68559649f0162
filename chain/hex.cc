#include "chain/hex.h"

namespace relayer::chain
{
std::string toHexData(core::ByteView bytes)
{
    return "0x" + core::toHex(bytes);
}

std::optional<core::Bytes> fromHexData(std::string_view text)
{
    if (!text.starts_with("0x"))
    {
        return std::nullopt;
    }
    return core::fromHex(text.substr(2));
}
}  // namespace relayer::chain
