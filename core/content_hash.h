// What a request asks for, as 32 bytes: two posts with the same hash are the same request.
// The fields, their labels and their order are those of the reference relayer, so that its database
// can be moved over and both agree on what is a duplicate.
#pragma once

#include "core/bytes.h"

#include <array>
#include <cstdint>
#include <memory>
#include <string_view>

namespace relayer::core
{
using Hash32 = std::array<std::uint8_t, 32>;
using ContentHash = Hash32;

// SHA-256 over labelled fields. Nothing separates them but the labels.
class ContentHasher
{
  public:
    ContentHasher();
    ~ContentHasher();
    ContentHasher(const ContentHasher &) = delete;
    ContentHasher &operator=(const ContentHasher &) = delete;

    ContentHasher &text(std::string_view label);
    ContentHasher &bytes(ByteView bytes);
    ContentHasher &bigEndian(std::uint64_t number);
    [[nodiscard]] ContentHash finish();

  private:
    struct Digest;
    std::unique_ptr<Digest> digest_;
};
}  // namespace relayer::core
