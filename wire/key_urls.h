// The answer of GET /v2/keyurl: where a client finds the public key and the CRS.
#pragma once

#include "core/content_hash.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace relayer::wire
{
enum class KeyMaterial : std::uint8_t
{
    PublicKey,
    Crs,
};

// Where a KMS node keeps it. Slashes at the end of the storage's address are left out.
[[nodiscard]] std::string materialUrl(std::string_view storageUrl, std::string_view storagePrefix,
                                      KeyMaterial material, const core::Hash32 &id);

struct KeyLocation
{
    core::Hash32 id{};
    std::string url;
};

// Exactly one key, one CRS and one url for each: clients take no other number.
[[nodiscard]] std::string keyUrls(const KeyLocation &publicKey, const KeyLocation &crs);
}  // namespace relayer::wire
