#include "wire/decrypt_fields.h"
#include "wire/decrypt_requests.h"
#include "wire/request_tables.h"

#include <array>

namespace relayer::wire
{
namespace
{
enum EntryField : std::size_t
{
    Handle,
    Contract,
    Owner,
};

constexpr std::array<FieldRule, 3> kEntryFields = {{
    {.name = "ctHandle",
     .rules = {&rules::kHandle},
     .description = "What is to be decrypted",
     .example = kExampleHandle},
    {.name = "contractAddress",
     .rules = {&rules::kAddress},
     .description = "The contract that holds it",
     .example = kExampleContract},
    {.name = "ownerAddress",
     .rules = {&rules::kAddress},
     .description = "Whose it is: who asks, or who has delegated it to them",
     .example = kExampleUser},
}};

constexpr RequestTable kEntry = {
    .name = "HandleEntry",
    .description = "A handle, the contract that holds it, and whose it is",
    .fields = kEntryFields,
};

enum ValidityField : std::size_t
{
    Start,
    Seconds,
};

constexpr std::array<FieldRule, 2> kValidityFields = {{
    {.name = "startTimestamp",
     .rules = {&rules::kDecimalTimestamp},
     .description = "From when on the signature is valid, in seconds since 1970",
     .example = R"("1700000000")"},
    {.name = "durationSeconds",
     .rules = {&rules::kDurationSeconds},
     .description = "For how many seconds the signature is valid; the gateway takes up to 365 days",
     .example = R"("604800")"},
}};

constexpr WholeRule kNotExpired = {
    .words = "startTimestamp and durationSeconds together must lie in the future",
    .check = [](std::span<const std::string_view> texts, std::uint64_t now) {
        return checkWindow(parseU64(texts[Start]).value(), parseU64(texts[Seconds]).value(), now);
    }};

constexpr RequestTable kValidity = {
    .name = "RequestValiditySeconds",
    .description = "When the signature is valid",
    .fields = kValidityFields,
    .whole = &kNotExpired,
};

enum PayloadField : std::size_t
{
    Version,
    Type,
    Handles,
    User,
    AllowedContracts,
    Validity,
    PublicKey,
    ExtraData,
};

constexpr std::array<FieldRule, 8> kPayloadFields = {{
    {.name = "version",
     .rules = {&rules::kPayloadVersion},
     .description = "Of the payload's form",
     .example = R"("2.0")"},
    {.name = "type",
     .rules = {&rules::kPayloadType},
     .description = "What is asked for",
     .example = R"("user_decryption")"},
    {.name = "handles",
     .type = FieldType::ObjectList,
     .description = "What is to be decrypted; the order is kept. All are of one chain",
     .example = {},
     .members = &kEntry,
     .atLeast = 1,
     .limit = ListLimit::Handles},
    {.name = "userAddress",
     .rules = {&rules::kAddress},
     .description = "Who asks, and has signed; a contract signs by ERC-1271",
     .example = kExampleUser},
    {.name = "allowedContracts",
     .type = FieldType::TextList,
     .rules = {&rules::kAddress},
     .description = "The contracts that the signature is about; the gateway takes up to 10",
     .example = kExampleContract,
     .limit = ListLimit::Contracts},
    {.name = "requestValidity",
     .type = FieldType::Object,
     .description = "When the signature is valid",
     .example = {},
     .members = &kValidity,
     .blame = Blame::Whole},
    {.name = "publicKey",
     .rules = {&rules::kFourCharacters, &rules::kHex},
     .description = "The key that the answer is encrypted for",
     .example = R"("0x2000000000000000d6a1c3")"},
    kExtraDataField,
}};

constexpr RequestTable kPayload = {
    .name = "AttestedPayload",
    .description = "What is asked, and signed but for the handles",
    .fields = kPayloadFields,
    .unknownFieldsDenied = true,
};

enum Field : std::size_t
{
    AttestationType,
    AttestedPayload,
    Signature,
};

constexpr std::array<FieldRule, 3> kFields = {{
    {.name = "attestationType",
     .rules = {&rules::kAttestationType},
     .description = "How the payload is signed",
     .example = R"("eip712-unified-user-decrypt-v1")"},
    {.name = "attestedPayload",
     .type = FieldType::Object,
     .description = "What is asked",
     .example = {},
     .members = &kPayload},
    {.name = "signature",
     .rules = {&rules::kHexOrEmpty},
     .description = "The signature of who asks; of a contract it may have any length, or be empty",
     .example = R"("0x8f3c1a5b7d9e0f2244668899aabbccddeeff00112233445566778899aabbccdd)"
                R"(1f2e3d4c5b6a79880f1e2d3c4b5a69788796a5b4c3d2e1f00112233445566778)"
                R"(1b")"},
}};

std::vector<core::HandleOfOwner> entriesOf(const Value &list)
{
    std::vector<core::HandleOfOwner> entries;
    entries.reserve(list.inside.size());
    for (const Value &entry : list.inside)
    {
        entries.push_back({parseHandle(entry.inside[Handle].text).value(),
                           parseAddress(entry.inside[Contract].text).value(),
                           parseAddress(entry.inside[Owner].text).value()});
    }
    return entries;
}
}  // namespace

constinit const RequestTable kUnifiedUserDecryptTable = {
    .name = "UnifiedUserDecryptRequest",
    .description = "Ciphertexts that a user may see, their own or delegated to them",
    .fields = kFields,
    .unknownFieldsDenied = true,
};

UserDecryptRead readUnifiedUserDecrypt(std::string_view body, std::uint64_t now,
                                       const RequestLimits &limits)
{
    const BodyRead read = readBody(body, kUnifiedUserDecryptTable, limits, now);
    if (read.problem)
    {
        return *read.problem;
    }
    const std::vector<Value> &payload = read.root.inside[AttestedPayload].inside;
    const std::vector<Value> &validity = payload[Validity].inside;
    core::UnifiedUserDecrypt request;
    request.handles = entriesOf(payload[Handles]);
    request.user = parseAddress(payload[User].text).value();
    request.publicKey = parsePrefixedHex(payload[PublicKey].text).value();
    request.allowedContracts = addressesOf(payload[AllowedContracts]);
    request.startTimestamp = parseU64(validity[Start].text).value();
    request.durationSeconds = parseU64(validity[Seconds].text).value();
    request.signature = parsePrefixedHex(read.root.inside[Signature].text).value();
    request.extraData = parsePrefixedHex(payload[ExtraData].text).value();
    return core::UserDecrypt(std::move(request));
}
}  // namespace relayer::wire
