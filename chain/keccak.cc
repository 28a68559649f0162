#include "chain/keccak.h"

#include <cryptopp/keccak.h>

namespace relayer::chain
{
core::Hash32 keccak256(core::ByteView bytes)
{
    CryptoPP::Keccak_256 hasher;
    hasher.Update(bytes.data(), bytes.size());
    core::Hash32 hash{};
    hasher.Final(hash.data());
    return hash;
}
}  // namespace relayer::chain
