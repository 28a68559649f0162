/* What a library that proves shares exports, as C.
 *
 * All functions return 0, or: -1 the input is wrong, -3 a field is not canonical or a point is
 * none, -5 it could not be proved (another time it may be), -6 the library broke down. What they
 * are given is theirs only until they return. Numbers in bytes are little endian.
 *
 * The names of the first and the third are those of the circuits' own library; the arguments, and
 * the second, are chosen here (docs/decisions.md, 102).
 */
#pragma once

#include <stddef.h>  // NOLINT(modernize-deprecated-headers,hicpp-deprecated-headers): read by C
#include <stdint.h>  // NOLINT(modernize-deprecated-headers,hicpp-deprecated-headers): read by C

// The style of C, for who includes it there.
// NOLINTBEGIN(modernize-use-using,readability-identifier-naming)
#ifdef __cplusplus
extern "C"
{
#endif

    /* The proof that one share may be revealed. merkle_path: the position as 4 bytes, then 24
     * siblings, the leaf's first: 772 bytes. share_comms: 16 of 32 bytes. The other pointers: 32
     * bytes each. At most proof_capacity bytes are written to proof, and how many to proof_size. */
    typedef int32_t sv_generate_share_reveal_t(const uint8_t *merkle_path, size_t merkle_path_size,
                                               const uint8_t *share_comms, size_t share_comms_size,
                                               const uint8_t *primary_blind, const uint8_t *enc_c1,
                                               const uint8_t *enc_c2, uint32_t share_index,
                                               uint32_t proposal_id, uint32_t vote_decision,
                                               const uint8_t *round_id, uint8_t *proof,
                                               size_t proof_capacity, size_t *proof_size,
                                               uint8_t *share_nullifier, uint8_t *tree_root);

    /* The path of the leaf at a position in the tree of these leaves (32 bytes each, in order), as
     * the function above takes it, and the root of that tree. */
    typedef int32_t sv_vote_tree_path_t(const uint8_t *leaves, size_t leaf_count, uint64_t position,
                                        uint8_t *merkle_path, size_t merkle_path_size,
                                        uint8_t *tree_root);

    /* May be missing. The leaf that belongs to these: 32 bytes. */
    typedef int32_t sv_vote_commitment_hash_t(const uint8_t *round_id, const uint8_t *shares_hash,
                                              uint32_t proposal_id, uint32_t vote_decision,
                                              uint8_t *commitment);

#ifdef __cplusplus
}
#endif
// NOLINTEND(modernize-use-using,readability-identifier-naming)
