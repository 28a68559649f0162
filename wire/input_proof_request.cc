#include "wire/input_proof_request.h"

#include "wire/fields.h"
#include "wire/request_tables.h"

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

constexpr std::array<FieldRule, 5> kFields = {{
    {.name = "contractChainId",
     .type = FieldType::ChainId,
     .rules = {&rules::kChainId},
     .description = "The host chain on which the input will be used",
     .example = R"("0xaa36a7")"},
    {.name = "contractAddress",
     .rules = {&rules::kAddress},
     .description = "The contract that may use the input",
     .example = R"("0x5fbdb2315678afecb367f032d93f642f64180aa3")"},
    {.name = "userAddress",
     .rules = {&rules::kAddress},
     .description = "Who will use the input",
     .example = R"("0x70997970c51812dc3a010c7d01b50e0d17dc79c8")"},
    {.name = "ciphertextWithInputVerification",
     .rules = {&rules::kNotEmpty, &rules::kHexWithoutPrefix},
     .description = "The ciphertext with its proof",
     .example = R"("aabbcc")"},
    {.name = "extraData",
     .rules = {&rules::kNoExtraData},
     .description = "Extra data; input proofs have none",
     .example = R"("0x00")"},
}};
}  // namespace

constinit const RequestTable kInputProofTable = {
    .name = "InputProofRequest",
    .description = "An encrypted input that is to be verified",
    .fields = kFields,
};

std::variant<core::InputProof, Problem> readInputProof(std::string_view body,
                                                       const RequestLimits &limits)
{
    const BodyRead read = readBody(body, kInputProofTable, limits, 0);
    if (read.problem)
    {
        return *read.problem;
    }
    const std::vector<Value> &values = read.root.inside;
    core::InputProof proof;
    proof.contractChainId = parseChainId(values[ContractChainId].text).value();
    proof.contractAddress = parseAddress(values[ContractAddress].text).value();
    proof.userAddress = parseAddress(values[UserAddress].text).value();
    proof.ciphertextWithProof = core::fromHex(values[Ciphertext].text).value();
    proof.extraData = parsePrefixedHex(values[ExtraData].text).value();
    return proof;
}
}  // namespace relayer::wire
