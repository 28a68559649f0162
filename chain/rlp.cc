#include "chain/rlp.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace relayer::chain::rlp
{
namespace
{
constexpr std::uint8_t kString = 0x80;
constexpr std::uint8_t kList = 0xC0;
constexpr std::size_t kShortMax = 55;  // a longer one has the length of its length before it

void appendHeader(core::Bytes &out, std::uint8_t kind, std::size_t size)
{
    if (size <= kShortMax)
    {
        out.push_back(static_cast<std::uint8_t>(kind + size));
        return;
    }
    std::array<std::uint8_t, sizeof(std::size_t)> octets{};
    std::size_t count = 0;
    for (std::size_t rest = size; rest != 0; rest >>= 8U)
    {
        octets.at(count++) = static_cast<std::uint8_t>(rest & 0xFFU);
    }
    out.push_back(static_cast<std::uint8_t>(kind + kShortMax + count));
    while (count > 0)
    {
        out.push_back(octets.at(--count));
    }
}

// Takes items from the front of what is left.
class Decoder
{
  public:
    explicit Decoder(core::ByteView bytes) : rest_(bytes) {}

    [[nodiscard]] bool atEnd() const { return rest_.empty(); }

    std::optional<Item> item(std::size_t depthLeft)
    {
        if (rest_.empty())
        {
            return std::nullopt;
        }
        const std::uint8_t first = rest_.front();
        Item item;
        if (first < kString)
        {
            item.string = rest_.first(1);
            rest_ = rest_.subspan(1);
            return item;
        }
        item.isList = first >= kList;
        const auto body = take(first - (item.isList ? kList : kString));
        if (!body)
        {
            return std::nullopt;
        }
        if (!item.isList)
        {
            // A small byte alone stands for itself.
            const bool canonical = body->size() != 1 || body->front() >= kString;
            item.string = *body;
            return canonical ? std::optional<Item>(item) : std::nullopt;
        }
        if (depthLeft == 0)
        {
            return std::nullopt;
        }
        Decoder inner(*body);
        while (!inner.atEnd())
        {
            auto next = inner.item(depthLeft - 1);
            if (!next)
            {
                return std::nullopt;
            }
            item.items.push_back(std::move(*next));
        }
        return item;
    }

  private:
    // What follows a first byte that is `code` above its kind.
    std::optional<core::ByteView> take(std::size_t code)
    {
        core::ByteView after = rest_.subspan(1);
        std::size_t size = code;
        if (code > kShortMax)
        {
            const std::size_t octets = code - kShortMax;
            if (octets > after.size() || after.front() == 0)
            {
                return std::nullopt;
            }
            size = 0;
            for (const std::uint8_t octet : after.first(octets))
            {
                size = (size << 8U) | octet;  // eight octets at the most
            }
            if (size <= kShortMax)
            {
                return std::nullopt;
            }
            after = after.subspan(octets);
        }
        if (size > after.size())
        {
            return std::nullopt;
        }
        rest_ = after.subspan(size);
        return after.first(size);
    }

    core::ByteView rest_;
};
}  // namespace

void appendString(core::Bytes &out, core::ByteView bytes)
{
    if (bytes.size() != 1 || bytes.front() >= kString)
    {
        appendHeader(out, kString, bytes.size());
    }
    out.insert(out.end(), bytes.begin(), bytes.end());
}

void appendInteger(core::Bytes &out, const Uint256 &number)
{
    const core::Hash32 octets = bigEndian(number);
    const auto first =
        std::find_if(octets.begin(), octets.end(), [](std::uint8_t octet) { return octet != 0; });
    appendString(out, core::ByteView(first, octets.end()));
}

core::Bytes list(core::ByteView items, core::ByteView before)
{
    core::Bytes out;
    out.reserve(before.size() + 1 + sizeof(std::size_t) + items.size());
    out.insert(out.end(), before.begin(), before.end());
    appendHeader(out, kList, items.size());
    out.insert(out.end(), items.begin(), items.end());
    return out;
}

std::optional<Item> decode(core::ByteView bytes, std::size_t depthMax)
{
    Decoder decoder(bytes);
    auto item = decoder.item(depthMax);
    if (!decoder.atEnd())
    {
        return std::nullopt;
    }
    return item;
}

core::Bytes encode(const Item &item)
{
    core::Bytes out;
    if (!item.isList)
    {
        appendString(out, item.string);
        return out;
    }
    for (const Item &inner : item.items)
    {
        const core::Bytes encoded = encode(inner);
        out.insert(out.end(), encoded.begin(), encoded.end());
    }
    return list(out);
}

std::optional<Uint256> integer(const Item &item)
{
    if (item.isList || (!item.string.empty() && item.string.front() == 0))
    {
        return std::nullopt;
    }
    return fromBigEndian(item.string);
}
}  // namespace relayer::chain::rlp
