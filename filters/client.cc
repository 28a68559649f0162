#include "filters/client.h"

#include "core/bytes.h"
#include "core/content_hash.h"

#include <trantor/net/InetAddress.h>

namespace relayer::filters
{
namespace
{
// Where RealIpResolver leaves what it found. Asked here and not there, since it asks Drogon for
// itself, which ends the process while Drogon quits.
const std::string kRealIp = "real-ip";
}  // namespace

std::string clientOf(const drogon::HttpRequestPtr &request, const std::string &keyHeader)
{
    const std::string key = keyHeader.empty() ? std::string() : request->getHeader(keyHeader);
    if (!key.empty())
    {
        core::ContentHasher hasher;
        return "key:" + core::toHex(hasher.text("client_key:").text(key).finish());
    }
    return "address:" + addressOf(request);
}

std::string addressOf(const drogon::HttpRequestPtr &request)
{
    const auto &attributes = request->attributes();
    const trantor::InetAddress address = attributes->find(kRealIp)
                                             ? attributes->get<trantor::InetAddress>(kRealIp)
                                             : request->peerAddr();
    return address.toIp();
}
}  // namespace relayer::filters
