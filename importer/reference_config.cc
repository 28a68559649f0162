#include "importer/reference_config.h"

#include "config/drogon_file.h"
#include "config/load.h"
#include "config/units.h"
#include "importer/flat_yaml.h"
#include "importer/reference_rules.h"

#include <json/value.h>
#include <json/writer.h>

#include <algorithm>
#include <map>
#include <optional>

namespace relayer::importer
{
namespace
{
using Leaves = std::map<std::string, std::string, std::less<>>;
using Notes = std::vector<Import::Note>;

bool isBelow(std::string_view path, std::string_view folder)
{
    return path.starts_with(folder) && path.size() > folder.size() &&
           (path[folder.size()] == '.' || path[folder.size()] == '[');
}

bool isMeant(const Rule &rule, std::string_view path)
{
    if (rule.theirs.ends_with(".*"))
    {
        return isBelow(path, rule.theirs.substr(0, rule.theirs.size() - 2));
    }
    return rule.theirs.ends_with("[]")
               ? isBelow(path, rule.theirs.substr(0, rule.theirs.size() - 2))
               : path == rule.theirs;
}

// The one that says most: `log.format` before `log.*`, which stands behind it.
const Rule *ruleFor(std::string_view path)
{
    const auto found =
        std::ranges::find_if(rules(), [path](const Rule &rule) { return isMeant(rule, path); });
    return found == rules().end() ? nullptr : &*found;
}

bool isTrue(std::string_view text)
{
    return text == "true" || text == "True" || text == "TRUE" || text == "yes" || text == "on";
}

Json::Value numberOf(const std::string &text)
{
    if (const auto whole = config::parseInteger(text))
    {
        return Json::UInt64(*whole);
    }
    const auto millionths = config::parseDecimal(text);
    return millionths ? Json::Value(static_cast<double>(*millionths) / 1e6) : Json::Value(text);
}

class Importing
{
  public:
    explicit Importing(Leaves leaves) : leaves_(std::move(leaves)) {}

    Import run()
    {
        for (const auto &[path, text] : leaves_)
        {
            takeLeaf(path, text);
        }
        takeListeners();
        takeHostChains();
        takeBackoff();
        takeRetention();
        check();
        import_.file = fileAround(tree_);
        return std::move(import_);
    }

  private:
    static std::string fileAround(const Json::Value &tree)
    {
        Json::Value file = config::defaultDrogonFile();
        for (Json::Value &plugin : file["plugins"])
        {
            if (plugin["name"] == Json::Value(std::string(config::settingsPlugin)))
            {
                plugin["config"] = tree;
            }
        }
        Json::StreamWriterBuilder writer;
        writer["indentation"] = "    ";
        writer["precision"] = 6;
        return Json::writeString(writer, file) + "\n";
    }

    void set(std::string_view path, Json::Value value)
    {
        Json::Value *at = &tree_;
        for (std::size_t dot = path.find('.'); dot != std::string_view::npos; dot = path.find('.'))
        {
            at = &(*at)[std::string(path.substr(0, dot))];
            path.remove_prefix(dot + 1);
        }
        (*at)[std::string(path)] = std::move(value);
    }
    void remove(std::string_view path)
    {
        Json::Value *at = &tree_;
        for (std::size_t dot = path.find('.'); dot != std::string_view::npos; dot = path.find('.'))
        {
            at = &(*at)[std::string(path.substr(0, dot))];
            path.remove_prefix(dot + 1);
        }
        if (at->isObject())
        {
            at->removeMember(std::string(path));
        }
    }

    void takeLeaf(const std::string &path, const std::string &text)
    {
        const Rule *const rule = ruleFor(path);
        if (rule == nullptr)
        {
            import_.unknown.push_back({path, "the reference does not know it, and ignores it"});
            return;
        }
        if (rule->how == How::Nowhere)
        {
            noteOnce(import_.nowhere, *rule);
            return;
        }
        ++import_.taken;
        std::string ours(rule->ours);
        switch (rule->how)
        {
            case How::AsText: set(ours, text); break;
            case How::AsNumber: set(ours, numberOf(text)); break;
            case How::AsMilliseconds: set(ours, text + "ms"); break;
            case How::AsSeconds: set(ours, text + "s"); break;
            case How::AsMinutes: set(ours, text + "m"); break;
            case How::AsSpan: set(ours, text); break;
            case How::AsNode: set(ours, listOf(node("", text))); break;
            case How::AsSecret: import_.secrets.push_back({path, ours}); break;
            case How::InAnotherWay: takeSingle(path, text); break;
            case How::Nowhere: break;
        }
    }

    static void noteOnce(Notes &notes, const Rule &rule)
    {
        if (std::ranges::none_of(
                notes, [&rule](const Import::Note &note) { return note.theirs == rule.theirs; }))
        {
            notes.push_back({std::string(rule.theirs), std::string(rule.ours)});
        }
    }

    static Json::Value node(const std::string &name, const std::string &url)
    {
        Json::Value entry(Json::objectValue);
        if (!name.empty())
        {
            entry["name"] = name;
        }
        entry["url"] = url;
        return entry;
    }
    static Json::Value listOf(Json::Value entry)
    {
        Json::Value list(Json::arrayValue);
        list.append(std::move(entry));
        return list;
    }

    // Those that stand alone, but mean something else.
    void takeSingle(const std::string &path, const std::string &text)
    {
        if (path == "log.format")
        {
            set("log.format", text == "json" ? "json" : "text");
        }
        else if (path == "http.endpoint")
        {
            takeEndpoint(path, text, "host");
        }
        else if (path == "metrics.endpoint")
        {
            set("metrics.enabled", true);
            takeEndpoint(path, text, "metrics");
        }
        else if (path == "http.enable_admin_endpoint" && isTrue(text))
        {
            set("admin.access", "token");
            import_.secrets.push_back({path, "RELAYER_ADMIN__TOKEN"});
            import_.changed.push_back(
                {path, "admin routes ask for a token, which clients have to show"});
        }
    }

    void takeEndpoint(const std::string &path, const std::string &text, const std::string &section)
    {
        const std::size_t colon = text.rfind(':');
        std::string address = text.substr(0, colon);
        if (address.starts_with('[') && address.ends_with(']'))
        {
            address = address.substr(1, address.size() - 2);
        }
        if (address == "localhost")
        {
            address = "127.0.0.1";
            import_.changed.push_back({path, "localhost is 127.0.0.1: an address has to be one"});
        }
        set(section + ".address", address);
        set(section + ".port",
            colon == std::string::npos ? Json::Value() : numberOf(text.substr(colon + 1)));
    }

    [[nodiscard]] std::optional<std::string> leaf(const std::string &path) const
    {
        const auto found = leaves_.find(path);
        return found == leaves_.end() ? std::nullopt : std::optional(found->second);
    }

    // Calls `take` with the path of each element of a list.
    template <typename Take>
    void eachOf(const std::string &list, const Take &take) const
    {
        for (std::size_t i = 0;; ++i)
        {
            const std::string path = list + '[' + std::to_string(i) + ']';
            const auto next = leaves_.lower_bound(path);
            if (next == leaves_.end() || !next->first.starts_with(path))
            {
                return;
            }
            take(path, i);
        }
    }

    void takeListeners()
    {
        Json::Value endpoints(Json::arrayValue);
        eachOf("gateway.listener_pool.listeners", [&](const std::string &path, std::size_t i) {
            const std::string url = leaf(path + ".url").value_or("");
            const std::string type = leaf(path + ".type").value_or("");
            if (url.starts_with("ws") != (type == "subscription"))
            {
                import_.changed.push_back(
                    {path, "type " + type +
                               " is left out: ws and wss are subscribed to, http and "
                               "https are polled"});
            }
            endpoints.append(node(type + "-" + std::to_string(i), url));
        });
        if (!endpoints.empty())
        {
            set("listener.endpoints", endpoints);
        }
    }

    void takeHostChains()
    {
        Json::Value chains(Json::arrayValue);
        eachOf("host_chains", [&](const std::string &path, std::size_t) {
            Json::Value chain(Json::objectValue);
            chain["chain_id"] = numberOf(leaf(path + ".chain_id").value_or(""));
            chain["url"] = leaf(path + ".url").value_or("");
            chain["acl_address"] = leaf(path + ".acl_address").value_or("");
            chains.append(chain);
        });
        if (!chains.empty())
        {
            set("host_chains", chains);
        }
    }

    // The first interval counts from the beginning, wherever its threshold is.
    void takeBackoff()
    {
        std::string table;
        eachOf("http.retry_after.copro_kms_backoff_intervals",
               [&](const std::string &path, std::size_t i) {
                   const auto part = [&](const char *name, const char *place) {
                       return leaf(path + name).value_or(leaf(path + place).value_or(""));
                   };
                   const std::string from = part(".elapsed_threshold_secs", "[0]");
                   const std::string wait = part(".retry_interval_secs", "[1]");
                   table += i == 0 ? "0s=" : ", " + from + "s=";
                   table += wait + "s";
               });
        if (!table.empty())
        {
            set("http.retry_after.copro_kms_backoff_intervals", table);
            import_.changed.push_back(
                {"http.retry_after.copro_kms_backoff_intervals",
                 "all of it counts; the reference only ever uses the first interval"});
        }
    }

    void takeRetention()
    {
        const bool expires = isTrue(leaf("storage.cron.expiry_enabled").value_or("false"));
        for (const char *const kind : {"input_proof", "public_decrypt", "user_decrypt"})
        {
            const auto age = leaf("storage.cron." + std::string(kind) + "_expiry");
            set("sweeper.keep." + std::string(kind), expires && age ? *age : "0s");
        }
    }

    // What our own reading of the file says to it, with stand-ins for the secrets.
    void check()
    {
        config::Sources sources;
        sources.environment = {{"RELAYER_DATABASE__URL", "postgresql://stand-in@127.0.0.1/relayer"},
                               {"RELAYER_SIGNER__PRIVATE_KEY", std::string(63, '0') + "1"},
                               {"RELAYER_SIGNER__KMS__ACCESS_KEY_ID", "stand-in"},
                               {"RELAYER_SIGNER__KMS__SECRET_ACCESS_KEY", "stand-in"},
                               {"RELAYER_ADMIN__TOKEN", "stand-in-for-a-token"}};
        sources.hostName = "import";
        sources.tree = tree_;
        for (auto &problem : config::load(sources).problems)
        {
            remove(problem.where);
            import_.refused.push_back({std::move(problem.where), std::move(problem.text)});
        }
        if (leaf("gateway.tx_engine.signer.type") == "aws_kms")
        {
            import_.secrets.push_back(
                {"(the environment of AWS)", "RELAYER_SIGNER__KMS__SECRET_ACCESS_KEY"});
            import_.changed.push_back(
                {"gateway.tx_engine.signer",
                 "set signer.kms.access_key_id too: no other source of credentials is asked"});
        }
    }

    const Leaves leaves_;
    Json::Value tree_{Json::objectValue};
    Import import_;
};

void add(std::string &report, std::string_view title, const Notes &notes, std::string_view between)
{
    if (notes.empty())
    {
        return;
    }
    report.append("\n").append(title).append("\n");
    for (const Import::Note &note : notes)
    {
        report.append("  ").append(note.theirs).append(between).append(note.text).append("\n");
    }
}
}  // namespace

Import importReference(std::string_view yaml)
{
    FlatYaml flat = flatten(yaml);
    if (!flat.wrong.empty())
    {
        Import import;
        import.wrong = std::move(flat.wrong);
        return import;
    }
    return Importing(std::move(flat.leaves)).run();
}

std::string Import::report() const
{
    std::string text = "taken over: " + std::to_string(taken) + " values\n";
    add(text,
        "secrets, which the file does not hold; give each as a variable, or its file as ..._FILE",
        secrets, " -> ");
    add(text, "different here", changed, ": ");
    add(text, "without an equivalent, and left out", nowhere, ": ");
    add(text, "unknown, and left out", unknown, ": ");
    add(text, "to be put right: refused, missing, or contradicting each other", refused, ": ");
    return text;
}
}  // namespace relayer::importer
