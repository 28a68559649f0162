#include "core/input_proof.h"

#include <algorithm>

namespace relayer::core
{
namespace
{
constexpr std::uint8_t kFormat = 1;

void appendBigEndian(Bytes &out, std::uint64_t number, unsigned octets)
{
    for (unsigned i = octets; i > 0; --i)
    {
        out.push_back(static_cast<std::uint8_t>(number >> (8U * (i - 1U))));
    }
}

void appendWithLength(Bytes &out, const Bytes &bytes)
{
    appendBigEndian(out, bytes.size(), 4);
    out.insert(out.end(), bytes.begin(), bytes.end());
}

// Reads from the front of what is left; once something is missing, everything after is missing too.
class Reader
{
  public:
    explicit Reader(ByteView bytes) : rest_(bytes) {}

    ByteView take(std::size_t count)
    {
        if (count > rest_.size())
        {
            complete_ = false;
            rest_ = {};
            return {};
        }
        const ByteView taken = rest_.first(count);
        rest_ = rest_.subspan(count);
        return taken;
    }

    std::uint64_t bigEndian(std::size_t octets)
    {
        std::uint64_t number = 0;
        for (const std::uint8_t octet : take(octets))
        {
            number = (number << 8U) | octet;
        }
        return number;
    }

    Address address()
    {
        Address address{};
        const ByteView bytes = take(address.size());
        std::copy(bytes.begin(), bytes.end(), address.begin());
        return address;
    }

    Bytes withLength()
    {
        const ByteView bytes = take(static_cast<std::size_t>(bigEndian(4)));
        return {bytes.begin(), bytes.end()};
    }

    [[nodiscard]] bool allReadAndNothingLeft() const { return complete_ && rest_.empty(); }

  private:
    ByteView rest_;
    bool complete_ = true;
};
}  // namespace

ContentHash contentHash(const InputProof &proof)
{
    return ContentHasher()
        .text("contract_chain_id:")
        .bigEndian(proof.contractChainId)
        .text("contract_address:")
        .bytes(proof.contractAddress)
        .text("user_address:")
        .bytes(proof.userAddress)
        .text("ciphertext_with_zk_proof:")
        .bytes(proof.ciphertextWithProof)
        .text("extra_data:")
        .bytes(proof.extraData)
        .finish();
}

Bytes encodePayload(const InputProof &proof)
{
    Bytes out;
    out.reserve(1 + 8 + 20 + 20 + 8 + proof.ciphertextWithProof.size() + proof.extraData.size());
    out.push_back(kFormat);
    appendBigEndian(out, proof.contractChainId, 8);
    out.insert(out.end(), proof.contractAddress.begin(), proof.contractAddress.end());
    out.insert(out.end(), proof.userAddress.begin(), proof.userAddress.end());
    appendWithLength(out, proof.ciphertextWithProof);
    appendWithLength(out, proof.extraData);
    return out;
}

std::optional<InputProof> decodeInputProof(ByteView payload)
{
    Reader reader(payload);
    if (reader.bigEndian(1) != kFormat)
    {
        return std::nullopt;
    }
    InputProof proof;
    proof.contractChainId = reader.bigEndian(8);
    proof.contractAddress = reader.address();
    proof.userAddress = reader.address();
    proof.ciphertextWithProof = reader.withLength();
    proof.extraData = reader.withLength();
    if (!reader.allReadAndNothingLeft())
    {
        return std::nullopt;
    }
    return proof;
}
}  // namespace relayer::core
