// Which set of KMS nodes answered: told by the extra data of an answer, and what a share is
// counted by.
#pragma once

#include "core/bytes.h"
#include "core/content_hash.h"

#include <optional>

namespace relayer::core
{
struct KmsContext
{
    // Big-endian numbers of 256 bits. Context 0 is whichever is current; epoch 0, none was named.
    Hash32 id{};
    Hash32 epoch{};

    [[nodiscard]] bool isCurrent() const { return id == Hash32{}; }
    bool operator==(const KmsContext &) const = default;
};

// Empty, or version 0 with whatever follows: the current one. Version 1 names a context, version 2
// an epoch too; more bytes may follow. Nothing: too short, or a version that nobody knows.
[[nodiscard]] std::optional<KmsContext> kmsContextOf(ByteView extraData);
}  // namespace relayer::core
