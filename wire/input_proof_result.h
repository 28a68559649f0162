// The answer to an accepted input proof: as it is kept in the row, and as clients see it.
#pragma once

#include "core/bytes.h"
#include "core/content_hash.h"

#include <optional>
#include <string>
#include <vector>

namespace relayer::wire
{
struct InputProofResult
{
    std::vector<core::Hash32> handles;
    std::vector<core::Bytes> signatures;

    bool operator==(const InputProofResult &) const = default;
};

// The row's result: a format byte, the number of handles (four octets, big-endian) and the handles,
// the number of signatures and each with its length before it. Decoding is total: any bytes give a
// value or nothing.
[[nodiscard]] core::Bytes encodeResult(const InputProofResult &result);
[[nodiscard]] std::optional<InputProofResult> decodeInputProofResult(core::ByteView bytes);

// The `result` of GET 200. Without handles or without signatures a proof shows as not accepted,
// even if the chain accepted it: a client could not use it.
[[nodiscard]] std::string acceptedProof(const InputProofResult &result);
[[nodiscard]] std::string rejectedProof();
}  // namespace relayer::wire
