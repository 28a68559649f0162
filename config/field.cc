#include "config/node_url.h"
#include "config/printable.h"
#include "config/schema.h"
#include "config/units.h"
#include "core/bytes.h"

#include <algorithm>
#include <tuple>
#include <type_traits>

namespace relayer::config
{
namespace
{
using Wrong = std::optional<std::string>;

template <typename... Visitors>
struct Overloaded : Visitors...
{
    using Visitors::operator()...;
};

std::string formatNumber(std::uint64_t number)
{
    return std::to_string(number);
}

/// Puts a parsed value into the member when it is in range.
template <typename Kind, typename Value>
Wrong setInRange(const Kind &kind, Value value, std::string (*format)(Value))
{
    if (value < kind.min)
    {
        return format(value) + " is below the minimum of " + format(kind.min);
    }
    if (value > kind.max)
    {
        return format(value) + " is above the maximum of " + format(kind.max);
    }
    *kind.value = value;
    return std::nullopt;
}

Wrong set(const Flag &flag, std::string_view text)
{
    if (text != "true" && text != "false")
    {
        return inQuotes(text) + " is neither true nor false";
    }
    *flag.value = text == "true";
    return std::nullopt;
}

template <typename Kind>
Wrong setNumber(const Kind &integer, std::string_view text)
{
    if (const auto value = parseInteger(text))
    {
        return setInRange(integer, *value, formatNumber);
    }
    if (text.starts_with('-') && parseInteger(text.substr(1)))
    {
        return std::string(text) + " is below the minimum of " + formatNumber(integer.min);
    }
    const bool digitsOnly =
        !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
    return digitsOnly ? inQuotes(text) + " is above the maximum of " + formatNumber(integer.max)
                      : inQuotes(text) + " is not an integer";
}

Wrong set(const Integer &integer, std::string_view text)
{
    return setNumber(integer, text);
}

Wrong set(const OptionalInteger &integer, std::string_view text)
{
    if (text.empty())
    {
        integer.value->reset();
        return std::nullopt;
    }
    return setNumber(integer, text);
}

Wrong set(const RequiredInteger &integer, std::string_view text)
{
    return setNumber(integer, text);
}

Wrong set(const Decimal &decimal, std::string_view text)
{
    if (const auto value = parseDecimal(text))
    {
        return setInRange(decimal, *value, formatDecimal);
    }
    return inQuotes(text) + " is not a number such as 0.2, with up to six digits after the point";
}

Wrong set(const Duration &duration, std::string_view text)
{
    if (const auto value = parseDuration(text))
    {
        return setInRange(duration, *value, formatDuration);
    }
    return inQuotes(text) + " is not a duration such as 500ms, 30m, 1h 30m or 7d";
}

Wrong set(const Bytes &bytes, std::string_view text)
{
    if (const auto value = parseBytes(text))
    {
        return setInRange(bytes, *value, formatBytes);
    }
    return inQuotes(text) + " is not a size such as 512KiB, 2MiB or a number of bytes";
}

Wrong set(const Choice &choice, std::string_view text)
{
    if (std::find(choice.choices.begin(), choice.choices.end(), text) == choice.choices.end())
    {
        return inQuotes(text) + " is not " + kind(choice);
    }
    *choice.value = text;
    return std::nullopt;
}

Wrong set(const Text &rule, std::string_view text)
{
    if (text.empty() && !rule.optional)
    {
        return "must not be empty; it is " + std::string(rule.allowed);
    }
    if (text.size() > rule.maxLength)
    {
        return "is longer than " + std::to_string(rule.maxLength) + " characters";
    }
    // The text itself is not repeated: who puts a secret into the wrong key should not find it in a
    // log.
    if (hasControlCharacters(text) || (rule.accepts && !text.empty() && !rule.accepts(text)))
    {
        return "is not acceptable; it must be " + std::string(rule.allowed);
    }
    *rule.value = text;
    return std::nullopt;
}

Wrong set(const SecretText &secret, std::string_view text)
{
    constexpr std::size_t longest = 16384;
    if (text.empty())
    {
        return "is empty";
    }
    if (text.size() > longest || hasControlCharacters(text) ||
        (secret.accepts && !secret.accepts(text)))
    {
        return "is not acceptable (the value is not shown); it must be " +
               std::string(secret.allowed);
    }
    *secret.value = Secret(std::string(text));
    return std::nullopt;
}

constexpr std::string_view addressForm = "0x and 40 hexadecimal digits";

Wrong set(const AccountAddress &address, std::string_view text)
{
    const auto bytes = text.starts_with("0x") ? core::fromHex(text.substr(2)) : std::nullopt;
    if (!text.empty() && (!bytes || bytes->size() != std::tuple_size_v<core::Address>))
    {
        return "is not acceptable; it must be " + std::string(addressForm);
    }
    address.value->reset();
    if (bytes)
    {
        std::copy(bytes->begin(), bytes->end(), address.value->emplace().begin());
    }
    return std::nullopt;
}

/// `name=url` or only the URL: what stands before the first `=` of a URL can not be a name.
UrlEntry entryOf(std::string_view text)
{
    const auto equals = text.find('=');
    if (equals != std::string_view::npos && isToken(text.substr(0, equals)))
    {
        return {std::string(text.substr(0, equals)), std::string(text.substr(equals + 1))};
    }
    return {"", std::string(text)};
}

Wrong set(const UrlList &list, std::string_view text)
{
    std::vector<UrlEntry> entries;
    while (!text.empty())
    {
        const auto comma = text.find(',');
        entries.push_back(entryOf(text.substr(0, comma)));
        if (comma == text.size() - 1)
        {
            return "ends with a comma";
        }
        text.remove_prefix(comma == std::string_view::npos ? text.size() : comma + 1);
    }
    return assign(list, std::move(entries));
}

Wrong set(const HostChainList &list, std::string_view text)
{
    if (!text.empty())
    {
        return "is given in parts: " + environmentName("host_chains.0.chain_id") + ", " +
               environmentName("host_chains.0.url") + ", " +
               environmentName("host_chains.0.acl_address");
    }
    list.value->clear();
    return std::nullopt;
}

std::string printAddress(const std::optional<core::Address> &address)
{
    return address ? "0x" + core::toHex(*address) : "";
}

std::string printUrls(const std::vector<NamedUrl> &urls)
{
    std::string out;
    for (const auto &url : urls)
    {
        out += out.empty() ? "" : ", ";
        out += R"({"name": ")" + url.name + R"(", "url": ")" + url.url.masked() + "\"}";
    }
    return '[' + out + ']';
}
}  // namespace

std::optional<std::string> assign(const Field &field, std::string_view text)
{
    return std::visit([text](const auto &rule) { return set(rule, text); }, field);
}

std::optional<std::string> assign(const UrlList &list, std::vector<UrlEntry> entries)
{
    if (entries.size() > list.most)
    {
        return "has " + std::to_string(entries.size()) + " entries, " + std::to_string(list.most) +
               " are allowed";
    }
    constexpr std::size_t longestName = 64;
    std::vector<NamedUrl> urls;
    for (auto &entry : entries)
    {
        const auto number = std::to_string(urls.size() + 1);
        if (entry.name.empty())
        {
            entry.name = std::string(list.unnamed) + '-' + number;
        }
        // Neither is repeated: a key may have slipped into the name.
        if (!isToken(entry.name) || entry.name.size() > longestName)
        {
            return "entry " + number + ": the name must be letters, digits, '.', '_', '-'";
        }
        if (!isNodeUrl(entry.url, list.subscriptions))
        {
            return "entry " + number +
                   ": the URL is not acceptable (it is not shown); it must be " +
                   std::string(nodeUrlForm(list.subscriptions));
        }
        if (std::any_of(urls.begin(), urls.end(),
                        [&entry](const auto &other) { return other.name == entry.name; }))
        {
            return "entry " + number + ": its name is taken by another";
        }
        urls.push_back({std::move(entry.name), Secret(std::move(entry.url))});
    }
    *list.value = std::move(urls);
    return std::nullopt;
}

std::string print(const Field &field)
{
    return std::visit(
        Overloaded{
            [](const Flag &flag) { return std::string(*flag.value ? "true" : "false"); },
            [](const Integer &integer) { return std::to_string(*integer.value); },
            [](const RequiredInteger &integer) {
                return *integer.value == 0 ? "" : std::to_string(*integer.value);
            },
            [](const Decimal &decimal) { return formatDecimal(*decimal.value); },
            [](const OptionalInteger &integer) {
                return *integer.value ? std::to_string(**integer.value) : "";
            },
            [](const Duration &duration) { return formatDuration(*duration.value); },
            [](const Bytes &bytes) { return formatBytes(*bytes.value); },
            [](const Choice &choice) { return *choice.value; },
            [](const Text &text) { return *text.value; },
            [](const SecretText &secret) { return secret.value->masked(); },
            [](const AccountAddress &address) { return printAddress(*address.value); },
            [](const UrlList &list) { return printUrls(*list.value); },
            [](const HostChainList &list) { return printHostChains(*list.value); },
        },
        field);
}

bool isSecret(const Field &field)
{
    return std::holds_alternative<SecretText>(field) || std::holds_alternative<UrlList>(field) ||
           std::holds_alternative<HostChainList>(field);
}

bool isMissing(const Field &field)
{
    const auto *required = std::get_if<RequiredInteger>(&field);
    return required != nullptr && *required->value == 0;
}

bool isQuoted(const Field &field)
{
    return std::visit(
        []<typename Kind>(const Kind &) {
            return !(std::is_same_v<Kind, Flag> || std::is_same_v<Kind, Integer> ||
                     std::is_same_v<Kind, RequiredInteger> || std::is_same_v<Kind, Decimal> ||
                     std::is_same_v<Kind, OptionalInteger> || std::is_same_v<Kind, UrlList> ||
                     std::is_same_v<Kind, HostChainList>);
        },
        field);
}

std::string kind(const Field &field)
{
    const auto range = [](const auto &min, const auto &max) { return min + " to " + max; };
    return std::visit(
        Overloaded{
            [](const Flag &) { return std::string("true or false"); },
            [&](const Integer &rule) {
                return "integer, " + range(formatNumber(rule.min), formatNumber(rule.max));
            },
            [&](const RequiredInteger &rule) {
                return "integer, " + range(formatNumber(rule.min), formatNumber(rule.max));
            },
            [&](const Decimal &rule) {
                return "number, " + range(formatDecimal(rule.min), formatDecimal(rule.max));
            },
            [&](const OptionalInteger &rule) {
                return "integer, " + range(formatNumber(rule.min), formatNumber(rule.max)) +
                       ", or null";
            },
            [&](const Duration &rule) {
                return "duration, " + range(formatDuration(rule.min), formatDuration(rule.max));
            },
            [&](const Bytes &rule) {
                return "size, " + range(formatBytes(rule.min), formatBytes(rule.max));
            },
            [](const Choice &rule) {
                std::string out = "one of";
                for (const auto choice : rule.choices)
                {
                    out.append(choice == rule.choices.front() ? " " : ", ").append(choice);
                }
                return out;
            },
            [](const Text &rule) {
                return std::string(rule.allowed) + (rule.optional ? ", or empty" : "");
            },
            [](const SecretText &rule) { return "secret: " + std::string(rule.allowed); },
            [](const AccountAddress &) { return std::string(addressForm) + ", or empty"; },
            [](const UrlList &rule) {
                return "list of up to " + std::to_string(rule.most) +
                       " nodes: " + std::string(nodeUrlForm(rule.subscriptions));
            },
            [](const HostChainList &rule) {
                return "list of up to " + std::to_string(rule.most) +
                       " objects with chain_id, url and acl_address";
            },
        },
        field);
}
}  // namespace relayer::config
