#pragma once

#include "config/settings.h"

#include <array>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace relayer::config
{
// What kinds of values there are. Each kind points at the member it fills and says what it accepts.

struct Flag
{
    bool *value;
};

struct Integer
{
    std::uint64_t *value;
    std::uint64_t min;
    std::uint64_t max;
};

/// A number that has no default. 0 says that it has not been given; `shipped` is what config.json
/// says.
struct RequiredInteger
{
    std::uint64_t *value;
    std::uint64_t min;
    std::uint64_t max;
    std::uint64_t shipped;
};

/// A decimal fraction, exact, in millionths: 0.2 is 200'000.
struct Decimal
{
    std::uint64_t *value;
    std::uint64_t min;
    std::uint64_t max;
};

/// A number that may be left out: null in the file, empty text elsewhere.
struct OptionalInteger
{
    std::optional<std::uint64_t> *value;
    std::uint64_t min;
    std::uint64_t max;
};

struct Duration
{
    milliseconds *value;
    milliseconds min;
    milliseconds max;
};

struct Bytes
{
    std::uint64_t *value;
    std::uint64_t min;
    std::uint64_t max;
};

struct Choice
{
    std::string *value;
    std::span<const std::string_view> choices;
};

/// `accepts` may be null: then any text without control characters will do. Empty text means "not
/// given" and is accepted when `optional`.
struct Text
{
    std::string *value;
    std::size_t maxLength;
    bool optional;
    bool (*accepts)(std::string_view);
    std::string_view allowed;
};

/// Comes from the environment or from the file that the key `fileKey` names, never from
/// config.json.
struct SecretText
{
    Secret *value;
    std::string *file;
    std::string_view fileKey;
    bool required;
    bool (*accepts)(std::string_view);
    std::string_view allowed;
};

/// A contract or an account; any case, the checksum that the case may carry is not looked at.
/// Empty text means "not given".
struct AccountAddress
{
    std::optional<core::Address> *value;
};

/// Nodes, in the file as `[{"name": "a", "url": "https://..."}]`, elsewhere as
/// `a=https://...,b=...` with commas in a URL written as %2C. One without a name is called
/// `<unnamed>-<its number>`. The URLs are secrets; yet the file may hold them, as many of them hold
/// none.
struct UrlList
{
    std::vector<NamedUrl> *value;
    std::size_t most;
    std::string_view unnamed;
    /// ws and wss beside http and https
    bool subscriptions;
};

/// Host chains, in the file as `[{"chain_id": 1, "url": "https://...", "acl_address": "0x..."}]`,
/// elsewhere each member in a variable of its own, with the number of its chain in the name:
/// `..._HOST_CHAINS__0__URL`. The URL is what a UrlList is elsewhere, so it may be several.
struct HostChainList
{
    std::vector<HostChainSettings> *value;
    std::size_t most;
};

using Field = std::variant<Flag, Integer, RequiredInteger, Decimal, OptionalInteger, Duration,
                           Bytes, Choice, Text, SecretText, AccountAddress, UrlList, HostChainList>;

struct Key
{
    std::string_view path;
    Field field;
    std::string_view doc;
};

struct Section
{
    std::string_view path;
    std::string_view doc;
};

/// The one description of the configuration: the binding from JSON, the environment variables, the
/// validation, --print-config, config.json and docs/configuration.md all come from this list. The
/// pointers in it lead into `settings`.
std::vector<Key> describe(Settings &settings);
/// The part of the list that is about HTTP: schema_http.cc.
void describeHttp(std::vector<Key> &keys, HttpSettings &http);
/// When clients are told to come back: schema_retry_after.cc.
void describeRetryAfter(std::vector<Key> &keys, RetryAfterSettings &retryAfter);
/// What stands between the commas of a text, without blanks around it.
std::vector<std::string> partsOf(std::string_view list);
/// The part of the list that is about chains: schema_chain.cc.
void describeChain(std::vector<Key> &keys, Settings &settings);
/// Who may administer: schema_admin.cc.
void describeAdmin(std::vector<Key> &keys, AdminSettings &admin);
/// Deadlines and retention: schema_sweeper.cc.
void describeSweeper(std::vector<Key> &keys, SweeperSettings &sweeper);
/// And about the host chains and what is asked before a decryption goes on: schema_readiness.cc.
void describeReadiness(std::vector<Key> &keys, Settings &settings);
/// Shares of votes: schema_shares.cc.
void describeShares(std::vector<Key> &keys, ShareSchedulerSettings &shares);
void describeVotingAdmin(std::vector<Key> &keys, VotingAdminSettings &voting);
/// Sections within others (`gateway.rpc` in `gateway`) stand somewhere below them.
std::span<const Section> sections();
/// The section of a key or of a section, `gateway.rpc` for `gateway.rpc.read`; "" at the top.
std::string_view sectionOf(std::string_view path);

bool isNumericAddress(std::string_view text);

inline constexpr std::size_t longestInstanceName = 64;
/// What instance.name is made of.
bool isTokenCharacter(char c);
bool isToken(std::string_view text);

/// What is wrong with a combination of values that are each fine: (path, text) pairs.
using Contradictions = std::vector<std::pair<std::string, std::string>>;
Contradictions crossCheck(const Settings &settings);
void crossCheckChain(const Settings &settings, Contradictions &wrong);
void crossCheckRetryAfter(const RetryAfterSettings &retryAfter, Contradictions &wrong);
void crossCheckAdmin(const Settings &settings, Contradictions &wrong);
void crossCheckSweeper(const Settings &settings, Contradictions &wrong);
void crossCheckShares(const ShareSchedulerSettings &shares, Contradictions &wrong);
void crossCheckReadiness(const ReadinessSettings &readiness, Contradictions &wrong);

/// "2s, 4s, 8s": whole seconds, at most 32 of them. Nothing: it is no such list.
std::optional<std::vector<std::chrono::seconds>> parseWaits(std::string_view text);

/// `database.write_connections` -> `RELAYER_DATABASE__WRITE_CONNECTIONS`
std::string environmentName(std::string_view path);

/// Sets the member from text, as the environment and the command line give it; what is wrong with
/// the text otherwise, and then the member keeps its value.
std::optional<std::string> assign(const Field &field, std::string_view text);

struct UrlEntry
{
    std::string name;
    std::string url;
};
/// The same for a list that the file gives.
std::optional<std::string> assign(const UrlList &list, std::vector<UrlEntry> entries);

/// One entry of a list of host chains as it was found: what is not given is absent.
struct HostChainEntry
{
    /// Of one member: `host_chains[0].url`, `RELAYER_HOST_CHAINS__0__URL`.
    std::string whereIs(std::string_view member) const;

    std::string where;  // of the entry: `host_chains[0]`, `RELAYER_HOST_CHAINS__0`
    std::map<std::string, std::string, std::less<>> members;
};
inline constexpr std::array<std::string_view, 3> hostChainMembers = {"chain_id", "url",
                                                                     "acl_address"};
/// Sets the member from these, or says what is wrong with which of them: (where, text) pairs.
std::vector<std::pair<std::string, std::string>> assign(const HostChainList &list,
                                                        const std::vector<HostChainEntry> &entries);
std::string printHostChains(const std::vector<HostChainSettings> &chains);

/// The value as it would be written in config.json, without quotes; secrets masked.
std::string print(const Field &field);

bool isSecret(const Field &field);
/// Whether it has no default and has not been given.
bool isMissing(const Field &field);
/// Whether config.json writes the value in quotes.
bool isQuoted(const Field &field);
/// `integer, 1 to 64`
std::string kind(const Field &field);
}  // namespace relayer::config
