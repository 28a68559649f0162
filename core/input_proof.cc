#include "core/input_proof.h"

#include "core/payload_codec.h"

namespace relayer::core
{
namespace
{
constexpr std::uint8_t kFormat = 1;
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
    append(out, proof.contractAddress);
    append(out, proof.userAddress);
    appendWithLength(out, proof.ciphertextWithProof);
    appendWithLength(out, proof.extraData);
    return out;
}

std::optional<InputProof> decodeInputProof(ByteView payload)
{
    PayloadReader reader(payload);
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
