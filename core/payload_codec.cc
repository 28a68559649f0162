#include "core/payload_codec.h"

namespace relayer::core
{
void appendBigEndian(Bytes &out, std::uint64_t number, unsigned octets)
{
    for (unsigned i = octets; i > 0; --i)
    {
        out.push_back(static_cast<std::uint8_t>(number >> (8U * (i - 1U))));
    }
}

void append(Bytes &out, ByteView bytes)
{
    out.insert(out.end(), bytes.begin(), bytes.end());
}

void appendWithLength(Bytes &out, ByteView bytes)
{
    appendBigEndian(out, bytes.size(), 4);
    append(out, bytes);
}

ByteView PayloadReader::take(std::size_t count)
{
    if (count > rest_.size())
    {
        fail();
        return {};
    }
    const ByteView taken = rest_.first(count);
    rest_ = rest_.subspan(count);
    return taken;
}

std::uint64_t PayloadReader::bigEndian(unsigned octets)
{
    std::uint64_t number = 0;
    for (const std::uint8_t octet : take(octets))
    {
        number = (number << 8U) | octet;
    }
    return number;
}

Bytes PayloadReader::withLength()
{
    const ByteView bytes = take(static_cast<std::size_t>(bigEndian(4)));
    return {bytes.begin(), bytes.end()};
}

void PayloadReader::fail()
{
    complete_ = false;
    rest_ = {};
}
}  // namespace relayer::core
