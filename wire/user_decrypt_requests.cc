// The two kinds of version 2. Who signed is not looked at here: the gateway's contract does.
#include "wire/decrypt_fields.h"
#include "wire/decrypt_requests.h"
#include "wire/request_tables.h"

#include <array>

namespace relayer::wire
{
namespace
{
enum PairField : std::size_t
{
    Handle,
    Contract,
};

constexpr std::array<FieldRule, 2> kPairFields = {{
    {.name = "handle",
     .rules = {&rules::kHandle},
     .description = "What is to be decrypted",
     .example = kExampleHandle},
    {.name = "contractAddress",
     .rules = {&rules::kAddress},
     .description = "The contract that holds it",
     .example = kExampleContract},
}};

constexpr RequestTable kPair = {
    .name = "HandleContractPair",
    .description = "A handle and the contract that holds it",
    .fields = kPairFields,
};

constexpr FieldRule kPairsField = {
    .name = "handleContractPairs",
    .type = FieldType::ObjectList,
    .description = "What is to be decrypted; the order is kept",
    .example = {},
    .members = &kPair,
    .atLeast = 1,
    .limit = ListLimit::Handles,
};

constexpr FieldRule kStartField = {
    .name = "startTimestamp",
    .rules = {&rules::kTimestamp},
    .description = "From when on the signature is valid, in seconds since 1970",
    .example = R"("1700000000")"};

constexpr FieldRule kDaysField = {
    .name = "durationDays",
    .rules = {&rules::kDurationDays},
    .description = "For how many days the signature is valid; the gateway takes up to 365",
    .example = R"("10")"};

enum ValidityField : std::size_t
{
    Start,
    Days,
};

constexpr std::array<FieldRule, 2> kValidityFields = {{kStartField, kDaysField}};

constexpr RequestTable kValidity = {
    .name = "RequestValidity",
    .description = "When the signature is valid",
    .fields = kValidityFields,
};

constexpr FieldRule kChainIdField = {.name = "contractsChainId",
                                     .type = FieldType::ChainId,
                                     .rules = {&rules::kChainId},
                                     .description = "The host chain of the contracts",
                                     .example = R"("11155111")"};

constexpr FieldRule kContractsField = {
    .name = "contractAddresses",
    .type = FieldType::TextList,
    .rules = {&rules::kAddress},
    .description = "The contracts that the signature is about; the gateway takes up to 10",
    .example = kExampleContract,
    .atLeast = 1,
    .limit = ListLimit::Contracts};

constexpr FieldRule kSignatureField = {
    .name = "signature",
    .rules = {&rules::kSignatureLength, &rules::kHexWithoutPrefix},
    .description = "The signature of who asks, over what is asked: 65 bytes in hex, without 0x",
    .example = R"("8f3c1a5b7d9e0f2244668899aabbccddeeff00112233445566778899aabbccdd)"
               R"(1f2e3d4c5b6a79880f1e2d3c4b5a69788796a5b4c3d2e1f00112233445566778)"
               R"(1b")"};

constexpr FieldRule kPublicKeyField = {
    .name = "publicKey",
    .rules = {&rules::kTwoCharacters, &rules::kHexWithoutPrefix},
    .description = "The key that the answer is encrypted for, in hex, without 0x",
    .example = R"("2000000000000000d6a1c3")"};

enum DirectField : std::size_t
{
    Pairs,
    Validity,
    ChainId,
    Contracts,
    User,
    Signature,
    PublicKey,
    ExtraData,
};

constexpr std::array<FieldRule, 8> kDirectFields = {{
    kPairsField,
    {.name = "requestValidity",
     .type = FieldType::Object,
     .description = "When the signature is valid",
     .example = {},
     .members = &kValidity,
     .blame = Blame::Whole},
    kChainIdField,
    kContractsField,
    {.name = "userAddress",
     .rules = {&rules::kAddress},
     .description = "Who asks, and has signed",
     .example = kExampleUser},
    kSignatureField,
    kPublicKeyField,
    kExtraDataField,
}};

enum DelegatedField : std::size_t
{
    DelegatedPairs,
    DelegatedChainId,
    DelegatedContracts,
    Delegator,
    Delegate,
    DelegatedStart,
    DelegatedDays,
    DelegatedSignature,
    DelegatedPublicKey,
    DelegatedExtraData,
};

constexpr std::array<FieldRule, 10> kDelegatedFields = {{
    kPairsField,
    kChainIdField,
    kContractsField,
    {.name = "delegatorAddress",
     .rules = {&rules::kAddress},
     .description = "Whose ciphertexts they are",
     .example = kExampleOther},
    {.name = "delegateAddress",
     .rules = {&rules::kAddress},
     .description = "Who asks, and has signed",
     .example = kExampleUser},
    kStartField,
    kDaysField,
    kSignatureField,
    kPublicKeyField,
    kExtraDataField,
}};

std::vector<core::HandleOfContract> pairsOf(const Value &list)
{
    std::vector<core::HandleOfContract> pairs;
    pairs.reserve(list.inside.size());
    for (const Value &pair : list.inside)
    {
        pairs.push_back({parseHandle(pair.inside[Handle].text).value(),
                         parseAddress(pair.inside[Contract].text).value()});
    }
    return pairs;
}
}  // namespace

constinit const RequestTable kUserDecryptTable = {
    .name = "UserDecryptRequest",
    .description = "Ciphertexts that a user may see, to be encrypted for that user",
    .fields = kDirectFields,
};

constinit const RequestTable kDelegatedUserDecryptTable = {
    .name = "DelegatedUserDecryptRequest",
    .description = "Ciphertexts that somebody else may see on behalf of a user",
    .fields = kDelegatedFields,
};

std::vector<core::Address> addressesOf(const Value &list)
{
    std::vector<core::Address> addresses;
    addresses.reserve(list.inside.size());
    for (const Value &address : list.inside)
    {
        addresses.push_back(parseAddress(address.text).value());
    }
    return addresses;
}

UserDecryptRead readUserDecrypt(std::string_view body, std::uint64_t now,
                                const RequestLimits &limits)
{
    const BodyRead read = readBody(body, kUserDecryptTable, limits, now);
    if (read.problem)
    {
        return *read.problem;
    }
    const std::vector<Value> &values = read.root.inside;
    const std::vector<Value> &validity = values[Validity].inside;
    core::DirectUserDecrypt request;
    request.handles = pairsOf(values[Pairs]);
    request.startTimestamp = parseTimestamp(validity[Start].text).seconds.value();
    request.durationDays = parseU32(validity[Days].text).value();
    request.contractsChainId = parseChainId(values[ChainId].text).value();
    request.contracts = addressesOf(values[Contracts]);
    request.user = parseAddress(values[User].text).value();
    request.signature = core::fromHex(values[Signature].text).value();
    request.publicKey = core::fromHex(values[PublicKey].text).value();
    request.extraData = parsePrefixedHex(values[ExtraData].text).value();
    return core::UserDecrypt(std::move(request));
}

UserDecryptRead readDelegatedUserDecrypt(std::string_view body, std::uint64_t now,
                                         const RequestLimits &limits)
{
    const BodyRead read = readBody(body, kDelegatedUserDecryptTable, limits, now);
    if (read.problem)
    {
        return *read.problem;
    }
    const std::vector<Value> &values = read.root.inside;
    core::DelegatedUserDecrypt request;
    request.handles = pairsOf(values[DelegatedPairs]);
    request.contractsChainId = parseChainId(values[DelegatedChainId].text).value();
    request.contracts = addressesOf(values[DelegatedContracts]);
    request.delegator = parseAddress(values[Delegator].text).value();
    request.delegate = parseAddress(values[Delegate].text).value();
    request.startTimestamp = parseTimestamp(values[DelegatedStart].text).seconds.value();
    request.durationDays = parseU32(values[DelegatedDays].text).value();
    request.signature = core::fromHex(values[DelegatedSignature].text).value();
    request.publicKey = core::fromHex(values[DelegatedPublicKey].text).value();
    request.extraData = parsePrefixedHex(values[DelegatedExtraData].text).value();
    return core::UserDecrypt(std::move(request));
}
}  // namespace relayer::wire
