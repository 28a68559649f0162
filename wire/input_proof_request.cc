#include "wire/input_proof_request.h"

#include "wire/fields.h"
#include "wire/strict_json.h"

#include <array>

namespace relayer::wire
{
namespace
{
enum Field : std::size_t
{
    ContractChainId,
    ContractAddress,
    UserAddress,
    Ciphertext,
    ExtraData,
};

// In the order in which the reference declares them.
constexpr std::array kFields = {
    FieldRule{"contractChainId", FieldType::ChainId, {checkChainId}},
    FieldRule{"contractAddress", FieldType::Text, {checkAddress}},
    FieldRule{"userAddress", FieldType::Text, {checkAddress}},
    FieldRule{
        "ciphertextWithInputVerification", FieldType::Text, {checkNotEmpty, checkHexWithoutPrefix}},
    FieldRule{"extraData", FieldType::Text, {checkInputProofExtraData}},
};
}  // namespace

std::variant<core::InputProof, Problem> readInputProof(std::string_view body)
{
    const JsonDocument document = readJson(body);
    if (!document.root)
    {
        return malformedJson(document.problem);
    }
    const FieldsRead read = readFields(*document.root, kFields);
    if (read.problem)
    {
        return *read.problem;
    }
    core::InputProof proof;
    proof.contractChainId = parseChainId(read.values[ContractChainId]).value();
    proof.contractAddress = parseAddress(read.values[ContractAddress]).value();
    proof.userAddress = parseAddress(read.values[UserAddress]).value();
    proof.ciphertextWithProof = core::fromHex(read.values[Ciphertext]).value();
    proof.extraData = core::fromHex(read.values[ExtraData].substr(2)).value();
    return proof;
}
}  // namespace relayer::wire
