// What a share must keep secret, and must be able to forget. Each row has a key of its own; its
// witness is encrypted with that key, and the key with one that is not in the database at all
// (a file or the environment). When the share has ended, both columns are emptied.
//
// AES-256-GCM; what is encrypted is bound to its row, so that nothing can be moved to another one.
// Randomness comes in from outside.
#pragma once

#include "core/bytes.h"
#include "core/content_hash.h"
#include "core/vote_share.h"

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace relayer::core
{
struct SealRandomness
{
    Hash32 rowKey{};
    std::array<std::uint8_t, 12> nonce{};  // of the encryption of that key
};

struct SealedWitness
{
    Bytes witness;
    Bytes key;
};

// The keys of an installation: the first seals, all of them open. A key that is no longer named
// here makes everything sealed with it unreadable, in backups and logs of the database, too.
class WitnessKeys
{
  public:
    explicit WitnessKeys(std::vector<Hash32> keys);

    // Throws std::logic_error when there is no key.
    [[nodiscard]] SealedWitness seal(const VoteShare &share, const SealRandomness &random) const;
    // Nothing: sealed with a key that is not among these, for another row, or broken.
    [[nodiscard]] std::optional<VoteShare> open(const ShareKey &key,
                                                const SealedWitness &sealed) const;

  private:
    using Name = std::array<std::uint8_t, 8>;
    struct Named
    {
        Name name{};
        Hash32 key{};
    };
    std::vector<Named> keys_;
};
}  // namespace relayer::core
