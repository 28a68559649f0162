#include "config/reference.h"

#include "config/drogon_file.h"
#include "config/schema.h"

#include <algorithm>

namespace relayer::config
{
namespace
{
std::string_view sectionOf(std::string_view path)
{
    return path.substr(0, path.rfind('.'));
}

std::string_view nameOf(std::string_view path)
{
    return path.substr(path.rfind('.') + 1);
}

std::string literal(const Field &field)
{
    return isQuoted(field) ? '"' + print(field) + '"' : print(field);
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

/// The keys of one section as members of its object.
std::string members(const std::vector<Key> &keys, std::string_view section,
                    const std::string &indent)
{
    std::string out;
    std::string separator;
    for (const auto &key : keys)
    {
        if (sectionOf(key.path) != section)
        {
            continue;
        }
        if (const auto *secret = std::get_if<SecretText>(&key.field))
        {
            // Stands before its file key, so that the comma before it belongs to the member above.
            out += separator.empty() ? "" : separator + "\n";
            out += comment(std::string(nameOf(key.path)) + ": " + std::string(key.doc) +
                               " A secret, never in this file: " + environmentName(key.path) +
                               " or " + std::string(nameOf(secret->fileKey)) + ".",
                           indent);
            separator = "";
            continue;
        }
        out += separator.empty() ? "" : separator + "\n";
        out += comment(std::string(key.doc) + " (" + kind(key.field) + ")", indent);
        out += indent + '"' + std::string(nameOf(key.path)) + "\": " + literal(key.field);
        separator = ",";
    }
    return out + "\n";
}

std::string settingsTreeText(const std::string &indent)
{
    Settings defaults;
    const auto keys = describe(defaults);
    std::string out = "{\n";
    for (const auto &section : sections())
    {
        out += comment(section.doc, indent + "    ");
        out += indent + "    \"" + std::string(section.path) + "\": {\n";
        out += members(keys, section.path, indent + "        ");
        out += indent + (section.path == sections().back().path ? "    }\n" : "    },\n");
    }
    return out + indent + "}";
}

std::string defaultColumn(const Key &key)
{
    if (isSecret(key.field))
    {
        return "none";
    }
    const auto text = print(key.field);
    return text.empty() ? "empty" : '`' + text + '`';
}

constexpr std::string_view referenceHead = R"(# Configuration

<!-- Written by `relayer --config-reference`; a test checks that it is current. -->

`config.json` is a Drogon configuration file in which comments are allowed. Our settings are the
`config` of the plugin `relayer::plugins::Settings`; the copy at the root of the project holds every
key with its default. Drogon's own sections (`app`, `listeners`, `ssl`, `db_clients`,
`redis_clients`, `custom_config`) and other plugins may stand beside it, as Drogon documents them;
what `host` and `log` set may not be set a second time under `app`.

A value comes from the last of these that gives it:

1. its default;
2. the file: `--config FILE`, else the file that `RELAYER_CONFIG` names, else `config.json` in the
   working directory if there is one;
3. the environment: `RELAYER_` and the path of the key in upper case, with two underscores between
   the levels;
4. the command line (`--port`).

Secrets are never read from `config.json`: they come from the environment, or from a file whose path
is given (`url_file` for `url`).

Everything is checked before the program starts. Unknown keys and variables, wrong types, values out
of range: all problems are printed, each in a line that says where it stands, and the program ends
with code 78. `relayer --check-config` does only that; `relayer --print-config` shows each value in
effect and where it came from, secrets masked; `relayer --config-example` prints a file with every
key.

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

std::string configurationReference()
{
    Settings defaults;
    const auto keys = describe(defaults);
    std::string out(referenceHead);
    for (const auto &section : sections())
    {
        out += "\n## " + std::string(section.path) + "\n\n" + std::string(section.doc) + "\n\n";
        out += "| Key | Meaning | Accepts | Default |\n|---|---|---|---|\n";
        for (const auto &key : keys)
        {
            if (sectionOf(key.path) == section.path)
            {
                out += "| `" + std::string(key.path) + "`<br>`" + environmentName(key.path) +
                       "` | " + std::string(key.doc) + " | " + kind(key.field) + " | " +
                       defaultColumn(key) + " |\n";
            }
        }
    }
    return out;
}

std::string exampleFile()
{
    std::string out =
        "// A Drogon configuration file with our settings in the plugin that comes first.\n"
        "// Every key stands here with its default; a key that is left out has it too.\n"
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
        out += settings ? settingsTreeText("            ") : "{}";
        out += plugin.name == modulePlugins().back().name ? "\n        }\n" : "\n        },\n";
    }
    return out + "    ]\n}\n";
}
}  // namespace relayer::config
