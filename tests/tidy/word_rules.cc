#include "tidy/rules.h"

#include <algorithm>
#include <cctype>
#include <optional>

namespace relayer::tidy
{
namespace
{
using Names = std::vector<std::string>;

bool isWord(char c)
{
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

std::string lower(std::string_view text)
{
    std::string out(text);
    std::transform(out.begin(), out.end(), out.begin(), [](char c) {
        return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    });
    return out;
}

bool hasWord(std::string_view line, std::string_view word)
{
    for (size_t at = line.find(word); at != std::string_view::npos; at = line.find(word, at + 1))
    {
        const size_t end = at + word.size();
        if ((at == 0 || !isWord(line[at - 1])) && (end == line.size() || !isWord(line[end])))
            return true;
    }
    return false;
}

std::optional<std::string_view> unfinishedWord(std::string_view line)
{
    static const Names capitals = allWhole({"TO|DO", "FIX|ME", "XX|X", "HA|CK"});
    static const Names anyCase =
        allWhole({"not imple|mented", "for n|ow", "st|ub", "st|ubs", "st|ubbed"});
    static const Names binds = allWhole({"place|holder", "place|holders"});
    for (const std::string_view word : capitals)
        if (hasWord(line, word))
            return word;
    const std::string small = lower(line);
    for (const std::string_view word : anyCase)
        if (hasWord(small, word))
            return word;
    const bool aboutSql = small.find("sql") != std::string::npos ||
                          small.find("bind") != std::string::npos ||
                          small.find("$1") != std::string::npos;
    for (const std::string_view word : binds)
        if (!aboutSql && hasWord(small, word))
            return word;
    return std::nullopt;
}

bool isDocument(const Source &file)
{
    return file.path.ends_with(".md") || file.path == "LICENSE";
}

// An absolute path: what stands before it belongs to no longer path or address.
bool hasRootedPath(std::string_view line, std::string_view path)
{
    for (size_t at = line.find(path); at != std::string_view::npos; at = line.find(path, at + 1))
        if (at == 0 || (!isWord(line[at - 1]) &&
                        std::string_view(".~}$/-*").find(line[at - 1]) == std::string_view::npos))
            return true;
    return false;
}

bool fetchesFromGitHub(std::string_view line)
{
    static const Names ways = {"/releases/", "/archive/", "/raw/",     ".git",          ".tar",
                               ".zip",       "curl ",     "git clone", "GIT_REPOSITORY"};
    static const Names hosts = allWhole({"raw.github|usercontent.com", "github|.com/"});
    if (line.find(hosts.front()) != std::string_view::npos)
        return true;
    return line.find(hosts.back()) != std::string_view::npos &&
           std::any_of(ways.begin(), ways.end(), [line](std::string_view way) {
               return line.find(way) != std::string_view::npos;
           });
}

// Whether a name means something that must not get into a log. Names that say it is only measured,
// hashed or masked are fine.
bool isSecretName(std::string_view name)
{
    const std::vector<std::string> words = wordsOf(name);
    bool secret = false;
    for (size_t i = 0; i < words.size(); ++i)
    {
        if (oneOf(words[i], {"mask", "masked", "redact", "redacted", "size", "bytes", "length",
                             "count", "hash", "limit", "max"}))
            return false;
        secret = secret ||
                 oneOf(words[i], {"url", "urls", "secret", "secrets", "password", "passwd",
                                  "payload", "payloads", "signature", "signatures"}) ||
                 (words[i] == "private" && i + 1 < words.size() && words[i + 1] == "key");
    }
    return secret;
}

bool isMasking(std::string_view name)
{
    const std::vector<std::string> words = wordsOf(name);
    return !words.empty() && oneOf(words.front(), {"mask", "masked", "redact", "redacted"});
}

size_t closingOf(const Source &file, size_t open)
{
    int depth = 0;
    for (size_t i = open; i < file.tokens.size(); ++i)
    {
        if (file.is(i, "("))
            ++depth;
        else if (file.is(i, ")") && --depth == 0)
            return i;
    }
    return file.tokens.size();
}

bool onlyMeasuredOrMasked(const Source &file, size_t i)
{
    return (file.is(i + 1, ".") || file.is(i + 1, "->")) &&
           (file.is(i + 2, "size") || file.is(i + 2, "length") || file.is(i + 2, "empty") ||
            file.is(i + 2, "masked"));
}

// Reports one statement that starts with a LOG_ macro; returns the index of its end.
size_t checkLogStatement(const Source &file, size_t i, Report &report)
{
    for (; i < file.tokens.size() && !file.is(i, ";"); ++i)
    {
        const Token &token = file.tokens[i];
        if (token.kind != TokenKind::Identifier)
            continue;
        if (isMasking(token.text) && file.is(i + 1, "("))
            i = closingOf(file, i + 1);
        else if (isSecretName(token.text) && !onlyMeasuredOrMasked(file, i))
            report.add(file, token.line, inQuotes(token.text) + " goes into a log",
                       "log an id, a size or a hash, or mask it with a function named mask…");
    }
    return i;
}
}  // namespace

void checkUnfinished(const Tree &tree, Report &report)
{
    // std's own bind arguments are a name, not a promise.
    static const std::string bindArguments = whole("std::place|holders");
    for (const Source &file : tree)
    {
        if (!file.inProduction() && file.room != "migrations")
            continue;
        for (size_t i = 0; i < file.lines.size(); ++i)
        {
            if (file.lines[i].find(bindArguments) != std::string_view::npos)
                continue;
            if (const auto word = unfinishedWord(file.lines[i]))
                report.add(file, static_cast<int>(i) + 1,
                           inQuotes(*word) + " often means unfinished",
                           "finish it, or say what the code does do");
        }
    }
}

void checkPaths(const Tree &tree, Report &report)
{
    static const Names paths = allWhole({"/wo|rk/", "/fa|rm/", "/tmp/bash|_jobs"});
    for (const Source &file : tree)
        for (size_t i = 0; i < file.lines.size(); ++i)
            for (const std::string_view path : paths)
                if (hasRootedPath(file.lines[i], path))
                    report.add(file, static_cast<int>(i) + 1,
                               inQuotes(path) + " is a path of one machine",
                               "use a path relative to the tree, an option or a variable");
}

void checkHosts(const Tree &tree, Report &report)
{
    static const Names hosts =
        allWhole({"deb.deb|ian.org", "security.deb|ian.org", "archive.ubu|ntu.com",
                  "registry.np|mjs.org", "registry.yarn|pkg.com", "pypi|.org",
                  "files.python|hosted.org", "crates|.io", "binaries.solidity|lang.org"});
    for (const Source &file : tree)
    {
        if (isDocument(file))
            continue;
        for (size_t i = 0; i < file.lines.size(); ++i)
        {
            const std::string_view line = file.lines[i];
            const bool host =
                std::any_of(hosts.begin(), hosts.end(), [line](std::string_view name) {
                    return line.find(name) != std::string_view::npos;
                });
            if (host || fetchesFromGitHub(line))
                report.add(file, static_cast<int>(i) + 1, "the line names a host to fetch from",
                           "let the machine's own configuration decide where packages come from");
        }
    }
}

void checkSecrets(const Tree &tree, Report &report)
{
    for (const Source &file : tree)
    {
        if (!file.inProduction())
            continue;
        for (size_t i = 0; i < file.tokens.size(); ++i)
            if (file.tokens[i].kind == TokenKind::Identifier && !file.tokens[i].directive &&
                file.tokens[i].text.starts_with("LOG_"))
                i = checkLogStatement(file, i, report);
    }
}
}  // namespace relayer::tidy
