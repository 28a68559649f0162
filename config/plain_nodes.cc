#include "config/plain_nodes.h"

#include "config/schema.h"

#include <algorithm>

namespace relayer::config
{
namespace
{
void addPlain(std::vector<PlainNode> &found, const std::string &key,
              const std::vector<NamedUrl> &urls)
{
    for (const NamedUrl &url : urls)
    {
        if (isPlainElsewhere(url.url.reveal()))
        {
            found.push_back({key, url.name});
        }
    }
}
}  // namespace

bool isPlainElsewhere(std::string_view url)
{
    const std::size_t end = url.find("://");
    if (end == std::string_view::npos ||
        (url.substr(0, end) != "http" && url.substr(0, end) != "ws"))
    {
        return false;
    }
    std::string_view host = url.substr(end + 3);
    host = host.substr(0, host.find_first_of("/?"));
    host =
        host.starts_with('[') ? host.substr(0, host.find(']') + 1) : host.substr(0, host.find(':'));
    // By its number: what a name like 127.example.org is, only its owner knows.
    const bool thisMachine = host == "localhost" || host == "[::1]" ||
                             (host.starts_with("127.") &&
                              host.find_first_not_of("0123456789.") == std::string_view::npos);
    return !thisMachine;
}

std::vector<PlainNode> plainNodes(const Settings &settings)
{
    std::vector<PlainNode> found;
    Settings copy = settings;
    for (const Key &key : describe(copy))
    {
        const std::string path(key.path);
        if (const auto *list = std::get_if<UrlList>(&key.field))
        {
            addPlain(found, path, *list->value);
        }
        else if (const auto *chains = std::get_if<HostChainList>(&key.field))
        {
            for (const HostChainSettings &chain : *chains->value)
            {
                addPlain(found, path, chain.rpc);
            }
        }
    }
    if (isPlainElsewhere(settings.signer.kms.endpoint))
    {
        found.push_back({"signer.kms.endpoint", "kms"});
    }
    return found;
}
}  // namespace relayer::config
