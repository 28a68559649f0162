#include "wire/key_urls.h"

#include "wire/json_writer.h"

#include <utility>

namespace relayer::wire
{
namespace
{
void write(JsonWriter &json, const KeyLocation &location)
{
    json.beginObject().key("dataId").hex(location.id, "0x");
    json.key("urls").beginList().text(location.url).endList().endObject();
}
}  // namespace

std::string materialUrl(std::string_view storageUrl, std::string_view storagePrefix,
                        KeyMaterial material, const core::Hash32 &id)
{
    while (storageUrl.ends_with('/'))
    {
        storageUrl.remove_suffix(1);
    }
    std::string url(storageUrl);
    url += "/";
    url += storagePrefix;
    url += material == KeyMaterial::PublicKey ? "/PublicKey/" : "/CRS/";
    return url + core::toHex(id);
}

std::string keyUrls(const KeyLocation &publicKey, const KeyLocation &crs)
{
    // The number of bits that the CRS is for; there is one size.
    constexpr std::string_view kCrsBits = "2048";
    JsonWriter json;
    json.beginObject().key("status").text("succeeded").key("response").beginObject();
    json.key("fheKeyInfo").beginList().beginObject().key("fhePublicKey");
    write(json, publicKey);
    json.endObject().endList().key("crs").beginObject().key(kCrsBits);
    write(json, crs);
    json.endObject().endObject().endObject();
    return std::move(json).take();
}
}  // namespace relayer::wire
