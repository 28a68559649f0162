#include "wire/request_tables.h"

#include "wire/json_writer.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

namespace relayer::wire
{
namespace
{
bool isTime(const FieldRule &rule)
{
    return std::any_of(rule.rules.begin(), rule.rules.end(), [](const Rule *each) {
        return each == &rules::kTimestamp || each == &rules::kDecimalTimestamp;
    });
}

void writeExample(JsonWriter &json, const RequestTable &table, std::uint64_t now);

void writeExample(JsonWriter &json, const FieldRule &rule, std::uint64_t now)
{
    const bool list = rule.type == FieldType::TextList || rule.type == FieldType::ObjectList;
    if (list)
    {
        json.beginList();
    }
    if (rule.members != nullptr)
    {
        writeExample(json, *rule.members, now);
    }
    else if (isTime(rule))
    {
        json.text(std::to_string(now));
    }
    else
    {
        json.json(rule.example);
    }
    if (list)
    {
        json.endList();
    }
}

void writeExample(JsonWriter &json, const RequestTable &table, std::uint64_t now)
{
    json.beginObject();
    for (const FieldRule &rule : table.fields)
    {
        json.key(rule.name);
        writeExample(json, rule, now);
    }
    json.endObject();
}
}  // namespace

std::size_t RequestLimits::of(ListLimit limit) const
{
    switch (limit)
    {
        case ListLimit::Handles: return handles;
        case ListLimit::Contracts: return contracts;
        case ListLimit::None: break;
    }
    return std::numeric_limits<std::size_t>::max();
}

std::string exampleOf(const RequestTable &table, std::uint64_t now)
{
    JsonWriter json;
    writeExample(json, table, now);
    return std::move(json).take();
}

std::span<const RequestRoute> requestRoutes()
{
    using core::Kind;
    static constexpr std::array<RequestRoute, 5> kRoutes = {{
        {"/v2/input-proof", "InputProof", "Input proofs",
         "Have an encrypted input and its proof verified", &kInputProofTable, Kind::InputProof},
        {"/v2/public-decrypt", "PublicDecrypt", "Public decryption",
         "Decrypt what everybody may see", &kPublicDecryptTable, Kind::PublicDecrypt},
        {"/v2/user-decrypt", "UserDecrypt", "User decryption",
         "Re-encrypt for a user who is allowed", &kUserDecryptTable, Kind::UserDecrypt},
        {"/v2/delegated-user-decrypt", "DelegatedUserDecrypt", "User decryption",
         "Re-encrypt for a delegate of such a user", &kDelegatedUserDecryptTable,
         Kind::UserDecrypt},
        {"/v3/user-decrypt", "UnifiedUserDecrypt", "User decryption",
         "Re-encrypt for a user, own and delegated handles alike", &kUnifiedUserDecryptTable,
         Kind::UserDecrypt},
    }};
    return kRoutes;
}
}  // namespace relayer::wire
