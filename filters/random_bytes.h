// Random bytes for names that nobody can guess: of exchanges, jobs and spans. Any thread.
//
// Each thread draws a page of them at a time: OpenSSL asks for the process's id in each call, and a
// request needs three names. What was handed out is wiped, so a name stands in one place only.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace relayer::filters
{
// Up to a page. Throws when the system has none.
void takeRandomBytes(std::uint8_t *into, std::size_t count);

template <std::size_t Count>
[[nodiscard]] std::array<std::uint8_t, Count> randomBytes()
{
    std::array<std::uint8_t, Count> bytes;
    takeRandomBytes(bytes.data(), bytes.size());
    return bytes;
}
}  // namespace relayer::filters
