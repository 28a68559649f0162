#include "config/host_chains.h"

#include "config/json_type.h"
#include "config/printable.h"
#include "config/units.h"
#include "core/bytes.h"

#include <algorithm>
#include <limits>

namespace relayer::config
{
namespace
{
using Problem = std::pair<std::string, std::string>;
constexpr std::size_t mostNodes = 5;

/// One member of one entry, read by the rules that keys of its kind have; a problem otherwise.
class EntryReader
{
  public:
    EntryReader(const HostChainEntry &entry, std::vector<Problem> &wrong)
        : entry_(entry), wrong_(wrong)
    {}

    HostChainSettings read()
    {
        HostChainSettings chain;
        set("chain_id", Integer{&chain.chainId, 1, std::numeric_limits<std::uint64_t>::max()});
        const std::string unnamed = "host-" + std::to_string(chain.chainId);
        set("url", UrlList{&chain.rpc, mostNodes, unnamed, false});
        std::optional<core::Address> acl;
        set("acl_address", AccountAddress{&acl});
        chain.acl = acl.value_or(core::Address{});
        return chain;
    }

  private:
    void set(std::string_view member, const Field &field)
    {
        const auto given = entry_.members.find(member);
        if (given == entry_.members.end() || given->second.empty())
        {
            wrong_.emplace_back(entry_.whereIs(member), "is required: each host chain has one");
        }
        else if (auto problem = assign(field, given->second))
        {
            wrong_.emplace_back(entry_.whereIs(member), std::move(*problem));
        }
    }

    const HostChainEntry &entry_;
    std::vector<Problem> &wrong_;
};

/// What is wrong with one member of an object in the file; nothing when it was taken.
std::optional<Problem> readMember(const std::string &name, const Json::Value &value,
                                  HostChainEntry &entry)
{
    const std::vector<std::string> names(hostChainMembers.begin(), hostChainMembers.end());
    if (std::find(names.begin(), names.end(), name) == names.end())
    {
        return Problem(entry.whereIs(printable(name)), "unknown key" + didYouMean(name, names));
    }
    const bool number = name == "chain_id";
    if (number ? !isWrittenInteger(value) : !value.isString())
    {
        return Problem(entry.whereIs(name), std::string("must be ") +
                                                (number ? "an integer" : "text") + ", not " +
                                                jsonTypeName(value));
    }
    entry.members.emplace(name, value.asString());
    return std::nullopt;
}
}  // namespace

HostChainEntries readHostChains(const std::string &path, const Json::Value &list)
{
    HostChainEntries read;
    if (!list.isArray())
    {
        read.wrong = {path, "must be a list of objects with chain_id, url and acl_address, not " +
                                jsonTypeName(list)};
        return read;
    }
    for (Json::ArrayIndex i = 0; i < list.size(); ++i)
    {
        HostChainEntry &entry =
            read.entries.emplace_back(HostChainEntry{path + '[' + std::to_string(i) + ']', {}});
        if (!list[i].isObject())
        {
            read.wrong = {entry.where, "must be an object, not " + jsonTypeName(list[i])};
            return read;
        }
        for (const auto &name : list[i].getMemberNames())
        {
            read.wrong = readMember(name, list[i][name], entry);
            if (read.wrong)
            {
                return read;
            }
        }
    }
    return read;
}

bool HostChainVariables::take(std::string_view name, const std::string &value)
{
    static const std::string prefix = environmentName("host_chains.");
    constexpr std::size_t mostDigits = 4;
    const auto end = name.find("__", std::min(prefix.size(), name.size()));
    if (!name.starts_with(prefix) || end == std::string_view::npos)
    {
        return false;
    }
    const auto digits = name.substr(prefix.size(), end - prefix.size());
    const auto number = parseInteger(digits.substr(0, mostDigits));
    HostChainEntry entry{std::string(name.substr(0, end)), {}};
    const auto member = std::ranges::find_if(
        hostChainMembers, [&](std::string_view one) { return entry.whereIs(one) == name; });
    if (!number || digits.size() > mostDigits || member == hostChainMembers.end())
    {
        return false;
    }
    const auto at = found_.try_emplace(*number, std::move(entry)).first;
    at->second.members.emplace(*member, value);
    return true;
}

std::vector<HostChainEntry> HostChainVariables::entries() const
{
    std::vector<HostChainEntry> all;
    all.reserve(found_.size());
    for (const auto &[number, entry] : found_)
    {
        all.push_back(entry);
    }
    return all;
}

std::string HostChainEntry::whereIs(std::string_view member) const
{
    // As environmentName() makes them.
    return where.ends_with(']')
               ? where + '.' + std::string(member)
               : where +
                     environmentName('.' + std::string(member)).substr(environmentName("").size());
}

std::vector<Problem> assign(const HostChainList &list, const std::vector<HostChainEntry> &entries)
{
    std::vector<Problem> wrong;
    std::vector<HostChainSettings> chains;
    for (const HostChainEntry &entry : entries)
    {
        HostChainSettings chain = EntryReader(entry, wrong).read();
        const bool taken = std::ranges::any_of(chains, [&chain](const auto &other) {
            return other.chainId == chain.chainId && chain.chainId != 0;
        });
        if (taken)
        {
            wrong.emplace_back(entry.whereIs("chain_id"),
                               std::to_string(chain.chainId) + " is taken by another host chain");
        }
        chains.push_back(std::move(chain));
    }
    if (chains.size() > list.most)
    {
        wrong.emplace_back(entries.back().where, "is one of " + std::to_string(chains.size()) +
                                                     " host chains, " + std::to_string(list.most) +
                                                     " are allowed");
    }
    if (wrong.empty())
    {
        *list.value = std::move(chains);
    }
    return wrong;
}

std::string printHostChains(const std::vector<HostChainSettings> &chains)
{
    std::string out;
    for (const HostChainSettings &chain : chains)
    {
        std::string urls;
        for (const NamedUrl &url : chain.rpc)
        {
            urls += (urls.empty() ? "" : ",") + url.name + '=' + url.url.masked();
        }
        out += out.empty() ? "" : ", ";
        out += R"({"chain_id": )" + std::to_string(chain.chainId) + R"(, "url": ")" + urls +
               R"(", "acl_address": "0x)" + core::toHex(chain.acl) + "\"}";
    }
    return '[' + out + ']';
}
}  // namespace relayer::config
