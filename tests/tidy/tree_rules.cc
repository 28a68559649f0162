#include "tidy/tree_rules.h"

#include "tidy/rules.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <tuple>

namespace relayer::tidy
{
namespace
{
constexpr std::string_view kMarkerRule = "markers";

constexpr std::array kRules{
    Rule{"rooms", checkRooms},
    Rule{"purity", checkPurity},
    Rule{"blocking", checkBlocking},
    Rule{"sleep", checkSleep},
    Rule{"sql", checkSql},
    Rule{"guards", checkGuards},
    Rule{"writes", checkWrites},
    Rule{"migrations", checkMigrations},
    Rule{"lengths", checkLengths},
    Rule{"names", checkNames},
    Rule{"headers", checkHeaders},
    Rule{"banners", checkBanners},
    Rule{"assertions", checkAssertions},
    Rule{"unfinished", checkUnfinished},
    Rule{"paths", checkPaths},
    Rule{"hosts", checkHosts},
    Rule{"secrets", checkSecrets},
};

struct Marker
{
    const Source *file;
    int line;
    std::string_view rule;
    std::string_view reason;
    bool used = false;
};

std::string_view trimmed(std::string_view text)
{
    const size_t from = text.find_first_not_of(" \t\r");
    const size_t to = text.find_last_not_of(" \t\r");
    return from == std::string_view::npos ? std::string_view{} : text.substr(from, to - from + 1);
}

// Reads "tidy: allow RULE: reason"; text stands right behind the comment sign.
void readMarker(const Source &file, int line, std::string_view text, std::vector<Marker> &out)
{
    constexpr std::string_view start = "tidy:";
    text = trimmed(text);
    if (!text.starts_with(start))
        return;
    text = trimmed(text.substr(start.size()));
    constexpr std::string_view verb = "allow ";
    if (text.starts_with(verb))
        text.remove_prefix(verb.size());
    const size_t colon = std::min(text.find(':'), text.size());
    out.push_back({&file, line, trimmed(text.substr(0, colon)),
                   trimmed(text.substr(std::min(colon + 1, text.size())))});
}

std::vector<Marker> markersOf(const Tree &tree)
{
    std::vector<Marker> markers;
    for (const Source &file : tree)
    {
        for (const Comment &comment : file.comments)
            readMarker(file, comment.line, comment.text.substr(2), markers);
        if (file.cpp || file.path.ends_with(".md"))
            continue;
        for (size_t i = 0; i < file.lines.size(); ++i)
            for (const std::string_view sign : {"# tidy:", "-- tidy:", "// tidy:"})
                if (const size_t at = file.lines[i].find(sign); at != std::string_view::npos)
                    readMarker(file, static_cast<int>(i) + 1,
                               file.lines[i].substr(at + sign.find(' ')), markers);
    }
    return markers;
}

bool allowed(const Finding &finding, std::vector<Marker> &markers)
{
    bool found = false;
    for (Marker &marker : markers)
        if (marker.line == finding.line && marker.rule == finding.rule && !marker.reason.empty() &&
            marker.file->path == finding.path)
            found = marker.used = true;
    return found;
}

void judgeMarkers(const std::vector<Marker> &markers, std::vector<Finding> &out)
{
    Report report(kMarkerRule, out);
    const std::vector<std::string_view> known = ruleNames();
    for (const Marker &marker : markers)
    {
        if (!oneOf(marker.rule, known))
            report.add(*marker.file, marker.line,
                       inQuotes(marker.rule) + " is no rule that can be allowed",
                       "write 'tidy: allow RULE: reason' with a rule of tests/tidy/tree_rules.cc");
        else if (marker.reason.empty())
            report.add(*marker.file, marker.line, "the marker gives no reason",
                       "say behind the rule's name and a colon why this line is right");
        else if (!marker.used)
            report.add(*marker.file, marker.line, "the marker allows nothing on this line",
                       "remove it, or put it on the line of the finding");
    }
}
}  // namespace

std::string toString(const Finding &finding)
{
    return finding.path + ":" + std::to_string(finding.line) + ": [" + finding.rule + "] " +
           finding.why + " — " + finding.remedy;
}

std::vector<Finding> findings(const std::vector<File> &files)
{
    const Tree tree(files.begin(), files.end());
    std::vector<Finding> all;
    for (const Rule &rule : kRules)
    {
        Report report(rule.name, all);
        rule.check(tree, report);
    }
    std::vector<Marker> markers = markersOf(tree);
    std::erase_if(all, [&markers](const Finding &finding) { return allowed(finding, markers); });
    judgeMarkers(markers, all);
    std::sort(all.begin(), all.end(), [](const Finding &a, const Finding &b) {
        return std::tie(a.path, a.line, a.rule, a.why) < std::tie(b.path, b.line, b.rule, b.why);
    });
    return all;
}

std::vector<std::string_view> ruleNames()
{
    std::vector<std::string_view> names;
    std::transform(kRules.begin(), kRules.end(), std::back_inserter(names),
                   [](const Rule &rule) { return rule.name; });
    return names;
}
}  // namespace relayer::tidy
