#include "core/bech32.h"

#include <array>
#include <cstdint>
#include <vector>

namespace relayer::core
{
namespace
{
constexpr std::string_view kLetters = "qpzry9x8gf2tvdw0s3jn54khce6mua7l";
constexpr std::array<std::uint32_t, 5> kGenerator = {0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd,
                                                     0x2a1462b3};
constexpr std::size_t kChecksum = 6;

using Groups = std::vector<std::uint8_t>;  // of five bits

std::uint32_t polymod(const Groups &groups)
{
    std::uint32_t sum = 1;
    for (const std::uint8_t group : groups)
    {
        const std::uint32_t top = sum >> 25U;
        sum = (sum & 0x1ffffffU) << 5U ^ group;
        for (std::size_t i = 0; i < kGenerator.size(); ++i)
        {
            sum ^= (top >> i & 1U) != 0 ? kGenerator[i] : 0;
        }
    }
    return sum;
}

Groups inFives(ByteView bytes)
{
    Groups groups;
    std::uint32_t held = 0;
    unsigned bits = 0;
    for (const std::uint8_t byte : bytes)
    {
        held = held << 8U | byte;
        bits += 8;
        while (bits >= 5)
        {
            bits -= 5;
            groups.push_back(static_cast<std::uint8_t>(held >> bits & 31U));
        }
        held &= (1U << bits) - 1;
    }
    if (bits > 0)
    {
        groups.push_back(static_cast<std::uint8_t>(held << (5 - bits) & 31U));
    }
    return groups;
}
}  // namespace

std::string toBech32(std::string_view prefix, ByteView bytes)
{
    const Groups data = inFives(bytes);
    Groups checked;
    for (const char c : prefix)
    {
        checked.push_back(static_cast<std::uint8_t>(static_cast<unsigned char>(c) >> 5U));
    }
    checked.push_back(0);
    for (const char c : prefix)
    {
        checked.push_back(static_cast<std::uint8_t>(static_cast<unsigned char>(c) & 31U));
    }
    checked.insert(checked.end(), data.begin(), data.end());
    checked.insert(checked.end(), kChecksum, 0);
    const std::uint32_t sum = polymod(checked) ^ 1U;
    std::string text(prefix);
    text += '1';
    for (const std::uint8_t group : data)
    {
        text += kLetters[group];
    }
    for (std::size_t i = 0; i < kChecksum; ++i)
    {
        text += kLetters[sum >> 5 * (kChecksum - 1 - i) & 31U];
    }
    return text;
}
}  // namespace relayer::core
