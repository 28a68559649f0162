// One encrypted share of a vote, as a wallet hands it in: what it is, what makes two posts the same
// share, and the bytes that are kept of it until it is on the chain.
#pragma once

#include "core/bytes.h"
#include "core/content_hash.h"

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace relayer::core
{
inline constexpr std::size_t kShareCommitments = 16;
inline constexpr std::uint32_t kMaxShareIndex = 15;
inline constexpr std::uint32_t kMaxVoteDecision = 7;
inline constexpr std::uint32_t kMaxProposal = 15;  // the first is 1
inline constexpr std::uint64_t kMaxTreePosition = 0xFFFFFFFF;

// Two posts with the same key are the same share, or contradict each other. The order is that in
// which shares of one second are taken.
struct ShareKey
{
    Hash32 round{};
    std::uint8_t proposal = 0;
    std::uint32_t treePosition = 0;
    std::uint8_t shareIndex = 0;

    auto operator<=>(const ShareKey &) const = default;
};

struct VoteShare
{
    ShareKey key;
    Hash32 sharesHash{};
    std::uint8_t voteDecision = 0;
    Hash32 c1{};
    Hash32 c2{};
    std::array<Hash32, kShareCommitments> commitments{};
    Hash32 primaryBlind{};

    bool operator==(const VoteShare &) const = default;
};

// Of everything but the time: a wallet that posts again may have moved its clock. It outlives what
// it is made of, and tells nothing of it: the blinding alone is 32 random bytes.
[[nodiscard]] Hash32 digestOf(const VoteShare &share);

// All but the key, for the column that is sealed (core/sealed_witness.h). Decoding is total.
[[nodiscard]] Bytes encodeWitness(const VoteShare &share);
[[nodiscard]] std::optional<VoteShare> decodeWitness(const ShareKey &key, ByteView witness);
}  // namespace relayer::core
