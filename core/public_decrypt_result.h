// The answer to a public decryption as it is kept in the row (gateway_answer.result).
#pragma once

#include "core/bytes.h"

#include <optional>
#include <vector>

namespace relayer::core
{
struct PublicDecryptResult
{
    Bytes decrypted;  // opaque to us: clear values, one word each on the gateways of today
    std::vector<Bytes> signatures;
    Bytes extraData;  // of the answer, not of the request

    bool operator==(const PublicDecryptResult &) const = default;
};

// A format byte; the value, the number of signatures and each of them, the extra data, each with
// its length (four octets, big-endian) before it. Decoding is total: any bytes give a value or
// nothing.
[[nodiscard]] Bytes encodeResult(const PublicDecryptResult &result);
[[nodiscard]] std::optional<PublicDecryptResult> decodePublicDecryptResult(ByteView bytes);
}  // namespace relayer::core
