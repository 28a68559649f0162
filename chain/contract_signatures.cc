#include "chain/contract_signatures.h"

#include "chain/abi.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace relayer::chain
{
namespace
{
constexpr std::uint32_t kIsValidSignature = 0x1626ba7e;
constexpr std::array<std::uint8_t, 4> kYes = {0x16, 0x26, 0xba, 0x7e};
}  // namespace

core::Bytes isValidSignature(const core::Hash32 &digest, core::ByteView signature)
{
    return abi::TupleWriter().word(digest).bytes(signature).call(kIsValidSignature);
}

bool saysValid(core::ByteView answer)
{
    return answer.size() >= abi::kWord && std::equal(kYes.begin(), kYes.end(), answer.begin());
}
}  // namespace relayer::chain
