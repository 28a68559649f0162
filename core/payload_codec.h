// How the payload of a row is written and read: big-endian numbers, fixed-width fields, and bytes
// and lists with their length before them.
#pragma once

#include "core/address.h"
#include "core/bytes.h"
#include "core/content_hash.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace relayer::core
{
void appendBigEndian(Bytes &out, std::uint64_t number, unsigned octets);
void append(Bytes &out, ByteView bytes);
void appendWithLength(Bytes &out, ByteView bytes);

// Reads from the front of what is left; once something is missing, everything after is missing too.
class PayloadReader
{
  public:
    explicit PayloadReader(ByteView bytes) : rest_(bytes) {}

    ByteView take(std::size_t count);
    std::uint64_t bigEndian(unsigned octets);
    Bytes withLength();

    Hash32 hash() { return fixed<Hash32>(); }
    Address address() { return fixed<Address>(); }

    // A count, and as many elements, each of `width` bytes. Nothing is allocated for a count that
    // the bytes do not bear out.
    template <typename Element, typename Read>
    std::vector<Element> list(std::size_t width, Read read)
    {
        const auto count = static_cast<std::size_t>(bigEndian(4));
        if (count > rest_.size() / width)
        {
            fail();
            return {};
        }
        std::vector<Element> elements;
        elements.reserve(count);
        for (std::size_t i = 0; i < count; ++i)
        {
            elements.push_back(read());
        }
        return elements;
    }

    [[nodiscard]] bool allReadAndNothingLeft() const { return complete_ && rest_.empty(); }

  private:
    template <typename Field>
    Field fixed()
    {
        Field field{};
        const ByteView bytes = take(field.size());
        std::copy(bytes.begin(), bytes.end(), field.begin());
        return field;
    }

    void fail();

    ByteView rest_;
    bool complete_ = true;
};
}  // namespace relayer::core
