#include "config/reference.h"

#include "config/drogon_file.h"
#include "config/schema.h"

#include <json/writer.h>

#include <algorithm>
#include <utility>

namespace relayer::config
{
namespace
{
std::string_view nameOf(std::string_view path)
{
    return path.substr(path.rfind('.') + 1);
}

/// What config.json says where there is no default.
std::string shipped(const Field &field)
{
    const auto *required = std::get_if<RequiredInteger>(&field);
    return required != nullptr ? std::to_string(required->shipped) : "";
}

std::string literal(const Field &field)
{
    const auto text = print(field);
    return isQuoted(field) ? '"' + text + '"' : text.empty() ? "null" : text;
}

/// Comment lines of at most 100 columns.
std::string comment(std::string_view text, const std::string &indent)
{
    const std::size_t width = 100 - indent.size() - 3;
    std::string out;
    while (!text.empty())
    {
        auto end = text.size() <= width ? text.size() : text.rfind(' ', width);
        end = end == std::string_view::npos ? text.size() : end;
        out.append(indent).append("// ").append(text.substr(0, end)).append("\n");
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return out;
}

/// The tree as text, object by object.
class Example
{
  public:
    std::string tree(const std::string &indent) const { return object("", indent); }

  private:
    std::string object(std::string_view path, const std::string &indent) const
    {
        const auto inner = indent + "    ";
        std::string out = "{\n";
        bool first = true;
        for (const auto &key : keys_)
        {
            if (sectionOf(key.path) == path)
            {
                out += std::exchange(first, isComment(key)) ? "" : ",\n";
                out += member(key, inner);
            }
        }
        for (const auto &section : sections())
        {
            if (sectionOf(section.path) == path)
            {
                out += std::exchange(first, false) ? "" : ",\n";
                out += comment(section.doc, inner) + inner + '"';
                out.append(nameOf(section.path)) += "\": " + object(section.path, inner);
            }
        }
        return out + "\n" + indent + "}";
    }

    /// A secret is only told of, before the key for its file.
    static bool isComment(const Key &key) { return std::holds_alternative<SecretText>(key.field); }

    static std::string member(const Key &key, const std::string &indent)
    {
        const std::string name(nameOf(key.path));
        if (const auto *secret = std::get_if<SecretText>(&key.field))
        {
            return comment(name + ": " + std::string(key.doc) +
                               " A secret, never in this file: " + environmentName(key.path) +
                               " or " + std::string(nameOf(secret->fileKey)) + ".",
                           indent);
        }
        return comment(std::string(key.doc) + " (" + kind(key.field) + ")", indent) + indent + '"' +
               name + "\": " + (isMissing(key.field) ? shipped(key.field) : literal(key.field));
    }

    Settings defaults_;
    std::vector<Key> keys_{describe(defaults_)};
};

std::string defaultColumn(const Key &key)
{
    if (isSecret(key.field))
    {
        return "none";
    }
    if (isMissing(key.field))
    {
        return "required; `config.json` says `" + shipped(key.field) + '`';
    }
    const auto text = print(key.field);
    return text.empty() ? "empty" : '`' + text + '`';
}

constexpr std::string_view tableHead =
    "\n| Key | Meaning | Accepts | Default |\n|---|---|---|---|\n";

std::string row(const Key &key)
{
    return "| `" + std::string(key.path) + "`<br>`" + environmentName(key.path) + "` | " +
           std::string(key.doc) + " | " + kind(key.field) + " | " + defaultColumn(key) + " |\n";
}

constexpr std::string_view referenceHead = R"(# Configuration

<!-- Written by `relayer --config-reference`; a test checks that it is current. -->

`config.json` is a Drogon configuration file in which comments are allowed. Our settings are the
`config` of the plugin `relayer::plugins::Settings` (embedded: of `relayer::Module`); the copy at
the root of the project holds every key with its default, and a value for each one that is required.
Drogon's own sections (`app`, `listeners`, `ssl`, `db_clients`, `redis_clients`, `custom_config`)
and other plugins may stand beside it, as Drogon documents them; what `host` and `log` set may not
be set a second time under `app`.

A value comes from the last of these that gives it:

1. its default;
2. the file: `--config FILE`, else the file that `RELAYER_CONFIG` names, else `config.json` in the
   working directory if there is one;
3. the environment: `RELAYER_` and the path of the key in upper case, with two underscores between
   the levels;
4. the command line (`--port`).

Secrets are never read from `config.json`: they come from the environment, or from a file whose path
is given (`url_file` for `url`). The URLs of nodes may stand in it, since many hold no key; they are
masked and kept out of the log like secrets. They are lists: in the file

```json
"read": [{"name": "first", "url": "https://node.example/key"}, {"url": "http://10.0.0.7:8545"}]
```

and in the environment `first=https://node.example/key,http://10.0.0.7:8545`, with a comma in a URL
written as `%2C`. The names stand in the log; a node without one is called after its key and its
place in the list, here `read-2`. A list in the environment replaces the one of the file.

Everything is checked before the program starts. Unknown keys and variables, wrong types, values out
of range: all problems are printed, each in a line that says where it stands, and the program ends
with code 78. `relayer --check-config` does only that; `relayer --print-config` shows each value in
effect and where it came from, secrets masked; `relayer --config-example` prints a file with every
key.

The list of host chains is in the file

```json
"host_chains": [{"chain_id": 8009, "url": "https://node.example/key", "acl_address": "0x..."}]
```

and in the environment a variable for each member, the number of the chain in its name:
`RELAYER_HOST_CHAINS__0__CHAIN_ID`, `RELAYER_HOST_CHAINS__0__URL`,
`RELAYER_HOST_CHAINS__0__ACL_ADDRESS`, `RELAYER_HOST_CHAINS__1__CHAIN_ID` and so on. A `url` is
written like a list of nodes in the environment, so it may be several:
`first=https://node.example/key,second=http://10.0.0.7:8545`.

Durations are written as `500ms`, `30m`, `1h 30m` or `7d`; sizes as `512KiB`, `2MiB`, `1GiB` or a
number of bytes.
)";
}  // namespace

std::string effectiveConfiguration(const Loaded &loaded)
{
    Settings settings = loaded.settings;
    const auto keys = describe(settings);
    std::size_t widest = 0;
    for (const auto &key : keys)
    {
        widest = std::max(widest, key.path.size() + 3 + literal(key.field).size());
    }
    std::string out;
    for (const auto &key : keys)
    {
        const auto origin = loaded.origins.find(key.path);
        auto text = std::string(key.path) + " = " + literal(key.field);
        text.resize(widest + 2, ' ');
        out += text + (origin == loaded.origins.end() ? "default" : origin->second) + "\n";
    }
    return out;
}

std::string effectiveConfigurationAsJson(const Loaded &loaded)
{
    Settings settings = loaded.settings;
    std::string out;
    for (const auto &key : describe(settings))
    {
        const auto origin = loaded.origins.find(key.path);
        out += out.empty() ? "{\n" : ",\n";
        out.append("    ").append(Json::valueToQuotedString(std::string(key.path).c_str()));
        const std::string text = print(key.field);
        out += ": {\"value\": " +
               (isQuoted(key.field) ? Json::valueToQuotedString(text.c_str()) : literal(key.field));
        out += ", \"origin\": ";
        const bool given = origin != loaded.origins.end();
        out += Json::valueToQuotedString(given ? origin->second.c_str() : "default") + "}";
    }
    return out + "\n}\n";
}

std::string configurationReference()
{
    Settings defaults;
    const auto keys = describe(defaults);
    std::string out(referenceHead);
    for (const auto &key : keys)
    {
        if (sectionOf(key.path).empty())
        {
            out += "\n## " + std::string(key.path) + "\n" + std::string(tableHead) + row(key);
        }
    }
    for (const auto &section : sections())
    {
        out += "\n## " + std::string(section.path) + "\n\n" + std::string(section.doc) + "\n";
        bool empty = true;
        for (const auto &key : keys)
        {
            if (sectionOf(key.path) == section.path)
            {
                out += std::exchange(empty, false) ? std::string(tableHead) : "";
                out += row(key);
            }
        }
    }
    return out;
}

std::string exampleFile()
{
    std::string out =
        "// A Drogon configuration file with our settings in the plugin that comes first.\n"
        "// Every key stands here with its default; a key that is left out has it too. Those of\n"
        "// http.retry_after.nominal_times have none: they are required, and these are examples.\n"
        "// Written by `relayer --config-example`, explained in docs/configuration.md.\n"
        "{\n    \"plugins\": [\n";
    for (const auto &plugin : modulePlugins())
    {
        const bool settings = plugin.name == settingsPlugin;
        out += "        {\n            \"name\": \"" + std::string(plugin.name) + "\",\n";
        out += "            \"dependencies\": [";
        for (const auto dependency : plugin.dependencies)
        {
            out += (dependency == plugin.dependencies.front() ? "\"" : ", \"");
            out += std::string(dependency) + "\"";
        }
        out += "],\n            \"config\": ";
        out += settings ? Example().tree("            ") : "{}";
        out += plugin.name == modulePlugins().back().name ? "\n        }\n" : "\n        },\n";
    }
    return out + "    ]\n}\n";
}
}  // namespace relayer::config
