#include "wire/decrypt_results.h"

#include "wire/json_writer.h"

#include <utility>

namespace relayer::wire
{
namespace
{
constexpr std::string_view kPrefix = "0x";
}  // namespace

std::string publicDecryptResult(const core::PublicDecryptResult &result)
{
    JsonWriter json;
    json.beginObject().key("decryptedValue").hex(result.decrypted);
    json.key("signatures").beginList();
    for (const core::Bytes &signature : result.signatures)
    {
        json.hex(signature);
    }
    json.endList().key("extraData").hex(result.extraData, kPrefix).endObject();
    return std::move(json).take();
}

std::string userDecryptResult(std::span<const core::DecryptShare> shares)
{
    JsonWriter json;
    json.beginObject().key("result").beginList();
    for (const core::DecryptShare &share : shares)
    {
        json.beginObject().key("payload").hex(share.payload);
        json.key("signature").hex(share.signature);
        json.key("extraData").hex(share.extraData, kPrefix).endObject();
    }
    json.endList().endObject();
    return std::move(json).take();
}
}  // namespace relayer::wire
