#include "config/load.h"

#include "config/host_chains.h"
#include "config/json_type.h"
#include "config/printable.h"
#include "config/schema.h"
#include "config/secret_file.h"

#include <algorithm>
#include <array>
#include <unistd.h>

namespace relayer::config
{
namespace
{
constexpr std::string_view environmentPrefix = "RELAYER_";

/// Variables of that prefix that are no keys: they belong to the scripts and the tests, or are read
/// by themselves (RELAYER_CONFIG by program.cc, RELAYER_FAIL_POINT and RELAYER_CORE_DUMPS by the
/// files of plugins/ with these names).
bool isForeignVariable(std::string_view name)
{
    static constexpr std::array<std::string_view, 7> names = {
        "RELAYER_CONFIG",        "RELAYER_BIN",        "RELAYER_SOURCE_DIR", "RELAYER_SANITIZE",
        "RELAYER_READY_SECONDS", "RELAYER_FAIL_POINT", "RELAYER_CORE_DUMPS"};
    static constexpr std::array<std::string_view, 5> prefixes = {
        "RELAYER_TEST_", "RELAYER_BENCH_", "RELAYER_BUILD_", "RELAYER_RUN_", "RELAYER_CI_"};
    return std::find(names.begin(), names.end(), name) != names.end() ||
           std::any_of(prefixes.begin(), prefixes.end(),
                       [name](std::string_view prefix) { return name.starts_with(prefix); });
}

/// The JSON types a kind of value may be written in. Looser readings ("8" for 8, 1 for true) are
/// refused: they hide mistakes, and Drogon's own reading of the same file would not share them.
bool isWrittenRight(const Field &field, const Json::Value &value)
{
    const bool integer = isWrittenInteger(value);
    if (std::holds_alternative<Flag>(field))
    {
        return value.isBool();
    }
    if (std::holds_alternative<Integer>(field) || std::holds_alternative<RequiredInteger>(field))
    {
        return integer;
    }
    if (std::holds_alternative<Decimal>(field))
    {
        return value.isNumeric();
    }
    if (std::holds_alternative<OptionalInteger>(field))
    {
        return integer || value.isNull();
    }
    return value.isString() || (std::holds_alternative<Bytes>(field) && integer);
}

std::string_view wantedJson(const Field &field)
{
    if (std::holds_alternative<Flag>(field))
    {
        return "true or false";
    }
    if (std::holds_alternative<Integer>(field) || std::holds_alternative<RequiredInteger>(field))
    {
        return "an integer";
    }
    if (std::holds_alternative<Decimal>(field))
    {
        return "a number";
    }
    if (std::holds_alternative<OptionalInteger>(field))
    {
        return "an integer or null";
    }
    if (std::holds_alternative<Duration>(field))
    {
        return "text such as \"30s\" or \"1h 30m\"";
    }
    if (std::holds_alternative<Bytes>(field))
    {
        return "text such as \"2MiB\" or a number of bytes";
    }
    return "text";
}

/// A host name may hold what an instance name may not.
std::string nameOfInstance(std::string name)
{
    std::replace_if(name.begin(), name.end(), [](char c) { return !isTokenCharacter(c); }, '-');
    name.resize(std::min(name.size(), longestInstanceName));
    return name.empty() ? "relayer" : name;
}

class Loader
{
  public:
    explicit Loader(const Sources &sources) : sources_(sources) {}

    Loaded load()
    {
        readObject("", sources_.tree);
        readEnvironment();
        readCommandLine();
        readDbClient();
        readSecretFiles();
        reportMissing();
        if (loaded_.settings.instance.name.empty())
        {
            loaded_.settings.instance.name = nameOfInstance(sources_.hostName);
            loaded_.origins["instance.name"] = "host name";
        }
        for (auto &[path, text] : crossCheck(loaded_.settings))
        {
            // What was given and refused is not missing as well.
            if (!isReported(path))
            {
                report(std::move(path), std::move(text));
            }
        }
        return std::move(loaded_);
    }

  private:
    void report(std::string where, std::string text)
    {
        loaded_.problems.push_back({std::move(where), std::move(text)});
    }

    const Key *find(std::string_view path) const
    {
        const auto key = std::find_if(keys_.begin(), keys_.end(), [path](const Key &candidate) {
            return candidate.path == path;
        });
        return key == keys_.end() ? nullptr : &*key;
    }

    void set(const Key &key, std::string_view text, std::string where, const std::string &origin)
    {
        keep(key, assign(key.field, text), std::move(where), origin);
    }

    void keep(const Key &key, std::optional<std::string> wrong, std::string where,
              const std::string &origin)
    {
        if (wrong)
        {
            report(std::move(where), std::move(*wrong));
            return;
        }
        loaded_.origins[std::string(key.path)] = origin;
    }

    /// The names that may stand in the object at `prefix` ("" or "database.").
    std::vector<std::string> namesAt(std::string_view prefix) const
    {
        std::vector<std::string> names;
        for (const auto &key : keys_)
        {
            if (key.path.starts_with(prefix))
            {
                const auto rest = key.path.substr(prefix.size());
                names.emplace_back(rest.substr(0, rest.find('.')));
            }
        }
        return names;
    }

    void readObject(const std::string &prefix, const Json::Value &object)
    {
        if (object.isNull() && prefix.empty())
        {
            return;
        }
        if (!object.isObject())
        {
            report(prefix.empty() ? "config" : prefix.substr(0, prefix.size() - 1),
                   "must be an object, not " + jsonTypeName(object));
            return;
        }
        const auto names = namesAt(prefix);
        for (const auto &name : object.getMemberNames())
        {
            const auto path = prefix + name;
            if (std::find(names.begin(), names.end(), name) == names.end())
            {
                report(prefix + printable(name), "unknown key" + didYouMean(name, names));
            }
            else if (const Key *key = find(path))
            {
                readValue(*key, object[name]);
            }
            else
            {
                readObject(path + '.', object[name]);
            }
        }
    }

    void readValue(const Key &key, const Json::Value &value)
    {
        const std::string path(key.path);
        if (const auto *secret = std::get_if<SecretText>(&key.field))
        {
            report(path, "a secret does not belong into the file: give it as " +
                             environmentName(path) + ", or name a file that holds it in " +
                             std::string(secret->fileKey));
        }
        else if (const auto *list = std::get_if<UrlList>(&key.field))
        {
            readUrls(key, *list, value);
        }
        else if (const auto *chains = std::get_if<HostChainList>(&key.field))
        {
            HostChainEntries read = readHostChains(path, value);
            if (read.wrong)
            {
                report(std::move(read.wrong->first), std::move(read.wrong->second));
                return;
            }
            keepHostChains(key, *chains, read.entries, "file");
        }
        else if (!isWrittenRight(key.field, value))
        {
            report(path, "must be " + std::string(wantedJson(key.field)) + ", not " +
                             jsonTypeName(value));
        }
        else
        {
            const bool decimal = std::holds_alternative<Decimal>(key.field);
            set(key, decimal ? asDecimal(value) : value.asString(), path, "file");
        }
    }

    void readUrls(const Key &key, const UrlList &list, const Json::Value &value)
    {
        const std::string path(key.path);
        if (!value.isArray())
        {
            report(path, "must be a list of objects with name and url, not " + jsonTypeName(value));
            return;
        }
        std::vector<UrlEntry> entries;
        for (Json::ArrayIndex i = 0; i < value.size(); ++i)
        {
            const auto where = path + '[' + std::to_string(i) + ']';
            if (!isUrlEntry(value[i], where))
            {
                return;
            }
            entries.push_back({value[i]["name"].asString(), value[i]["url"].asString()});
        }
        keep(key, assign(list, std::move(entries)), path, "file");
    }

    bool isUrlEntry(const Json::Value &entry, const std::string &where)
    {
        if (!entry.isObject() || !entry["url"].isString() ||
            (entry.isMember("name") && !entry["name"].isString()))
        {
            report(where, "must be an object with the texts name and url");
            return false;
        }
        for (const auto &name : entry.getMemberNames())
        {
            if (name != "name" && name != "url")
            {
                report(where + '.' + printable(name), "unknown key");
                return false;
            }
        }
        return true;
    }

    void keepHostChains(const Key &key, const HostChainList &list,
                        const std::vector<HostChainEntry> &entries, const std::string &origin)
    {
        auto problems = assign(list, entries);
        for (auto &[where, text] : problems)
        {
            report(std::move(where), std::move(text));
        }
        if (problems.empty())
        {
            loaded_.origins[std::string(key.path)] = origin;
        }
    }

    void readEnvironment()
    {
        std::map<std::string, const Key *, std::less<>> known;
        std::vector<std::string> names;
        for (const auto &key : keys_)
        {
            names.push_back(environmentName(key.path));
            known.emplace(names.back(), &key);
        }
        HostChainVariables hostChains;
        for (const auto &[name, value] : sources_.environment)
        {
            if (const auto key = known.find(name); key != known.end())
            {
                set(*key->second, value, name, "environment");
            }
            else if (!hostChains.take(name, value) && name.starts_with(environmentPrefix) &&
                     !isForeignVariable(name))
            {
                report(printable(name), "unknown variable" + didYouMean(name, names));
            }
        }
        const Key *key = find("host_chains");
        if (const auto entries = hostChains.entries(); key && !entries.empty())
        {
            keepHostChains(*key, std::get<HostChainList>(key->field), entries, "environment");
        }
    }

    void readCommandLine()
    {
        for (const auto &[path, value] : sources_.commandLine)
        {
            if (const Key *key = find(path))
            {
                set(*key, value, path + " (command line)", "command line");
            }
        }
    }

    void readDbClient()
    {
        DatabaseSettings &database = loaded_.settings.database;
        if (database.dbClient.empty())
        {
            return;
        }
        const std::string where = "database.db_client";
        if (!sources_.dbClient)
        {
            report(where,
                   "only an application that embeds the module has db_clients; give "
                   "database.url instead");
        }
        else if (!database.url.empty() || !database.urlFile.empty())
        {
            report(where, "is set and database.url is too: keep one");
        }
        else if (auto address = sources_.dbClient(database.dbClient); address.empty())
        {
            report(where, "this application has no db_client " + inQuotes(database.dbClient) +
                              " for PostgreSQL that is not a fast one");
        }
        else
        {
            database.url = Secret(std::move(address));
            loaded_.origins["database.url"] = "db_clients";
        }
    }

    void readSecretFiles()
    {
        for (const auto &key : keys_)
        {
            if (const auto *secret = std::get_if<SecretText>(&key.field))
            {
                readSecretFile(key, *secret);
            }
        }
    }

    void readSecretFile(const Key &key, const SecretText &secret)
    {
        const std::string path(key.path);
        if (secret.value->empty() && !secret.file->empty())
        {
            takeSecretFile(key, secret);
        }
        else if (!secret.file->empty() && originOf(secret.fileKey) == "environment")
        {
            // A file named in config.json gives way to the environment, as every key does.
            report(environmentName(path),
                   "is set and " + environmentName(secret.fileKey) + " is too: keep one");
        }
        else if (secret.value->empty() && secret.required && !isReported(path) &&
                 !isReported("database.db_client"))
        {
            report(path, "is required: give it as " + environmentName(path) +
                             ", or name a file that holds it in " + std::string(secret.fileKey) +
                             " or " + environmentName(secret.fileKey));
        }
    }

    void reportMissing()
    {
        for (const auto &key : keys_)
        {
            const std::string path(key.path);
            if (isMissing(key.field) && !isReported(path))
            {
                report(path, "is required: give it in the file, or as " + environmentName(path));
            }
        }
    }

    void takeSecretFile(const Key &key, const SecretText &secret)
    {
        auto content = readSecret(*secret.file);
        if (!content.wrong.empty())
        {
            report(std::string(secret.fileKey), std::move(content.wrong));
        }
        else if (auto wrong = assign(key.field, content.text))
        {
            report(std::string(secret.fileKey), "the content of the file " + *wrong);
        }
        else
        {
            loaded_.origins[std::string(key.path)] = "secret file";
        }
    }

    std::string_view originOf(std::string_view path) const
    {
        const auto origin = loaded_.origins.find(path);
        return origin == loaded_.origins.end() ? std::string_view{} : origin->second;
    }

    bool isReported(const std::string &path) const
    {
        return std::any_of(
            loaded_.problems.begin(), loaded_.problems.end(), [&](const Problem &problem) {
                return problem.where == path || problem.where == environmentName(path);
            });
    }

    const Sources &sources_;
    Loaded loaded_;
    const std::vector<Key> keys_{describe(loaded_.settings)};
};
}  // namespace

std::string line(const Problem &problem)
{
    return problem.where + ": " + problem.text;
}

Environment processEnvironment()
{
    Environment found;
    for (char **entry = environ; entry != nullptr && *entry != nullptr; ++entry)
    {
        const std::string_view text(*entry);
        const auto equals = text.find('=');
        if (text.starts_with(environmentPrefix) && equals != std::string_view::npos)
        {
            found.emplace(text.substr(0, equals), text.substr(equals + 1));
        }
    }
    return found;
}

std::string processHostName()
{
    std::array<char, 256> name{};
    if (gethostname(name.data(), name.size() - 1) != 0 || name[0] == '\0')
    {
        return "relayer";
    }
    return name.data();
}

Loaded load(const Sources &sources)
{
    return Loader(sources).load();
}
}  // namespace relayer::config
