// A library with the C ABI of a prover of shares, for tests: it proves nothing. Its nullifiers are
// hashes of what makes a share that share, so that the same share has the same one; its trees are
// of SHA-256. Built twice: with SHARE_LIBRARY_HASHES it also exports the hash of commitments.
//
// What a test can provoke, by the first byte of `primary_blind` when 0xEE follows: 0xE1 bad input,
// 0xE3 not canonical, 0xE5 not proved, 0xEC a crash, 0xEF it hangs. By the second byte of a
// `shares_hash` that begins with 0xFF: 0xE1 bad input, 0xE6 a panic, 0xEC an exception, others not
// canonical.
#include "plugins/share_library_abi.h"

#include <openssl/sha.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <unistd.h>
#include <vector>

namespace
{
using Hash = std::array<std::uint8_t, 32>;
constexpr int kDepth = 24;

template <typename... Parts>
Hash hashOf(const Parts &...parts)
{
    std::vector<std::uint8_t> all;
    (all.insert(all.end(), parts.begin(), parts.end()), ...);
    Hash out{};
    SHA256(all.data(), all.size(), out.data());
    return out;
}

Hash at(const std::uint8_t *bytes)
{
    Hash out{};
    std::memcpy(out.data(), bytes, out.size());
    return out;
}

std::array<std::uint8_t, 4> littleEndian(std::uint32_t value)
{
    return {static_cast<std::uint8_t>(value), static_cast<std::uint8_t>(value >> 8U),
            static_cast<std::uint8_t>(value >> 16U), static_cast<std::uint8_t>(value >> 24U)};
}
}  // namespace

// NOLINTBEGIN(readability-identifier-naming): the names of the ABI
extern "C"
{
    std::int32_t sv_generate_share_reveal(const std::uint8_t *merkle_path,
                                          std::size_t merkle_path_size, const std::uint8_t *,
                                          std::size_t, const std::uint8_t *primary_blind,
                                          const std::uint8_t *enc_c1, const std::uint8_t *enc_c2,
                                          std::uint32_t share_index, std::uint32_t proposal_id,
                                          std::uint32_t, const std::uint8_t *round_id,
                                          std::uint8_t *proof, std::size_t proof_capacity,
                                          std::size_t *proof_size, std::uint8_t *share_nullifier,
                                          std::uint8_t *tree_root)
    {
        const bool provoked = std::all_of(primary_blind + 1, primary_blind + 8,
                                          [](std::uint8_t byte) { return byte == 0xEE; });
        switch (provoked ? primary_blind[0] : 0)
        {
            case 0xE1: return -1;
            case 0xE3: return -3;
            case 0xE5: return -5;
            case 0xEC: std::raise(SIGSEGV); break;
            case 0xEF: ::pause(); break;
            default: break;
        }
        constexpr std::size_t size = 4000;
        if (merkle_path_size != 772 || proof_capacity < size)
        {
            return -1;
        }
        std::fill_n(proof, size, 0xAB);
        *proof_size = size;
        const std::array<std::uint8_t, 4> position = {merkle_path[0], merkle_path[1],
                                                      merkle_path[2], merkle_path[3]};
        const Hash nullifier = hashOf(at(round_id), at(enc_c1), at(enc_c2), position,
                                      littleEndian(share_index), littleEndian(proposal_id));
        std::memcpy(share_nullifier, nullifier.data(), nullifier.size());
        std::memset(tree_root, 0, 32);
        return 0;
    }

    std::int32_t sv_vote_tree_path(const std::uint8_t *leaves, std::size_t leaf_count,
                                   std::uint64_t position, std::uint8_t *merkle_path,
                                   std::size_t merkle_path_size, std::uint8_t *tree_root)
    {
        if (merkle_path_size != 4 + 32 * kDepth || position >= leaf_count)
        {
            return -1;
        }
        std::vector<Hash> level;
        level.reserve(leaf_count);
        for (std::size_t i = 0; i < leaf_count; ++i)
        {
            level.push_back(at(leaves + 32 * i));
        }
        const auto start = littleEndian(static_cast<std::uint32_t>(position));
        std::copy(start.begin(), start.end(), merkle_path);
        Hash empty{};
        std::size_t index = position;
        for (std::size_t depth = 0; depth < kDepth; ++depth)
        {
            const std::size_t sibling = index ^ 1U;
            const Hash beside = sibling < level.size() ? level[sibling] : empty;
            std::copy(beside.begin(), beside.end(), merkle_path + 4 + 32 * depth);
            std::vector<Hash> above;
            for (std::size_t i = 0; i < level.size(); i += 2)
            {
                above.push_back(hashOf(level[i], i + 1 < level.size() ? level[i + 1] : empty));
            }
            level = std::move(above);
            empty = hashOf(empty, empty);
            index /= 2;
        }
        std::memcpy(tree_root, level[0].data(), 32);
        return 0;
    }

#ifdef SHARE_LIBRARY_HASHES
    std::int32_t sv_vote_commitment_hash(const std::uint8_t *round_id,
                                         const std::uint8_t *shares_hash, std::uint32_t proposal_id,
                                         std::uint32_t vote_decision, std::uint8_t *commitment)
    {
        switch (shares_hash[0] == 0xFF ? shares_hash[1] : -1)
        {
            case -1: break;
            case 0xE1: return -1;
            case 0xE6: return -6;
            case 0xEC: throw std::runtime_error("a bug of the library");
            default: return -3;
        }
        const Hash hash = hashOf(at(round_id), at(shares_hash), littleEndian(proposal_id),
                                 littleEndian(vote_decision));
        std::memcpy(commitment, hash.data(), hash.size());
        return 0;
    }
#endif
}
// NOLINTEND(readability-identifier-naming)
