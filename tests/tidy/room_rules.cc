#include "tidy/rules.h"

#include <algorithm>
#include <map>
#include <set>

namespace relayer::tidy
{
namespace
{
using Names = std::vector<std::string_view>;

// Families of <angled> headers.
enum class Family
{
    Std,
    OpenSsl,
    Json,
    Secp256k1,
    CryptoPp,
    Boost,
    DrogonOrm,  // with <drogon/utils/coroutine.h>
    Drogon,     // all the rest of it, HTTP included
    Trantor,
    Postgres,
    Other  // POSIX and whatever else the machine has
};

struct Room
{
    Names mayInclude;  // rooms besides itself
    std::set<Family> families;
};

const std::set<Family> kAnyFamily = {Family::Std,       Family::OpenSsl,  Family::Json,
                                     Family::Secp256k1, Family::CryptoPp, Family::Boost,
                                     Family::DrogonOrm, Family::Drogon,   Family::Trantor,
                                     Family::Postgres,  Family::Other};

const std::map<std::string_view, Room> &rooms()
{
    static const std::map<std::string_view, Room> table = {
        {"core", {{}, {Family::Std, Family::OpenSsl}}},
        {"config", {{"core"}, {Family::Std, Family::Json, Family::Other}}},
        {"wire", {{"core"}, {Family::Std, Family::Json}}},
        {"chain",
         {{"core"},
          {Family::Std, Family::OpenSsl, Family::Secp256k1, Family::CryptoPp, Family::Boost}}},
        {"chain/rpc", {{"core", "chain"}, kAnyFamily}},
        {"models", {{"core"}, {Family::Std, Family::DrogonOrm, Family::Trantor, Family::Postgres}}},
        {"plugins", {{"core", "config", "chain", "wire", "models"}, kAnyFamily}},
        {"filters", {{"core", "wire", "plugins"}, kAnyFamily}},
        {"views", {{"core"}, {Family::Std}}},
        {"controllers", {{"core", "wire", "models", "plugins", "filters", "views"}, kAnyFamily}},
        {"importer", {{"core", "config"}, {Family::Std, Family::Json, Family::Other}}},
        {"drogon_relayer", {{"config", "wire", "plugins", "controllers"}, kAnyFamily}},
        {"",  // main.cc
         {{"core", "config", "chain", "wire", "models", "plugins", "filters", "views",
           "controllers", "importer"},
          kAnyFamily}},
    };
    return table;
}

std::string_view topOf(std::string_view path)
{
    return path.substr(0, std::min(path.find('/'), path.size()));
}

Family familyOf(std::string_view header)
{
    const std::string_view top = topOf(header);
    if (top == "drogon")
        return header.starts_with("drogon/orm/") || header == "drogon/utils/coroutine.h"
                   ? Family::DrogonOrm
                   : Family::Drogon;
    static const std::map<std::string_view, Family> byFolder = {{"trantor", Family::Trantor},
                                                                {"json", Family::Json},
                                                                {"openssl", Family::OpenSsl},
                                                                {"cryptopp", Family::CryptoPp},
                                                                {"boost", Family::Boost}};
    if (const auto found = byFolder.find(top); found != byFolder.end())
        return found->second;
    if (header.starts_with("secp256k1"))
        return Family::Secp256k1;
    if (header.starts_with("libpq") || header == "postgres_ext.h")
        return Family::Postgres;
    return header.find_first_of("/.") == std::string_view::npos ? Family::Std : Family::Other;
}

std::string choices(const Names &names)
{
    std::string text = names.empty() ? "it may include no other room" : "it may include ";
    for (const std::string_view name : names)
        text.append(name == names.front() ? "" : ", ").append(name);
    return text;
}

bool climbs(std::string_view target)
{
    return target.starts_with("../") || target.find("/../") != std::string_view::npos;
}

void checkRoomInclude(const Source &file, const Room &room, const Include &include, Report &report)
{
    const std::string target(include.target);
    if (include.angled)
    {
        if (!room.families.contains(familyOf(include.target)))
            report.add(file, include.line,
                       std::string(file.room) + "/ must not know <" + target + ">",
                       "move what needs it to a room that may, and hand the result in");
        return;
    }
    const std::string_view top = topOf(include.target);
    if (top == include.target)
    {
        if (!file.generated())
            report.add(file, include.line, inQuotes(target) + " does not say which room it is from",
                       "write the path from the root of the tree");
        return;
    }
    const std::string_view own = topOf(file.room);
    const bool rpc = include.target.starts_with("chain/rpc/") && file.room == "chain";
    if (!rpc && (top == own || oneOf(top, room.mayInclude)))
        return;
    if (!rooms().contains(top) && !oneOf(top, {"devnet", "tests", "bench"}))
        report.add(file, include.line, inQuotes(target) + " is from no room of this house",
                   "include from a room, or tell tests/tidy/room_rules.cc about the new one");
    else
        report.add(file, include.line,
                   std::string(file.room) + "/ must not include " +
                       (rpc ? "chain/rpc" : std::string(top)) + "/",
                   choices(room.mayInclude) + "; see CONTRIBUTING.md for the map");
}

// Tests and benchmarks may include everything that exists.
void checkOutsideInclude(const Source &file, const std::set<std::string_view> &folders,
                         const Include &include, Report &report)
{
    const std::string_view top = topOf(include.target);
    if (!include.angled && top != include.target && !folders.contains(top))
        report.add(file, include.line, inQuotes(include.target) + " is from no room of this house",
                   "include from a room or from a folder of tests/");
}

std::set<std::string_view> foldersForTests(const Tree &tree)
{
    std::set<std::string_view> folders = {"bench", "devnet", "tests"};
    for (const auto &[name, room] : rooms())
        folders.insert(name);
    for (const Source &file : tree)
        if (file.room == "tests")
            folders.insert(topOf(file.path.substr(std::string_view("tests/").size())));
    return folders;
}

bool isPure(const Source &file)
{
    return file.cpp && oneOf(file.room, {"core", "chain", "wire"});
}

// A call of a free function of this name: not a method of something, not a declaration.
bool callsFree(const Source &file, size_t i)
{
    if (!file.is(i + 1, "("))
        return false;
    if (i == 0 || file.is(i - 1, "."))
        return i == 0;
    if (file.is(i - 1, "::"))
        return i < 2 || file.is(i - 2, "std") || file.tokens[i - 2].kind != TokenKind::Identifier ||
               oneOf(file.tokens[i - 2].text, {"return", "co_return"});
    if (file.tokens[i - 1].kind == TokenKind::Identifier)
        return oneOf(file.tokens[i - 1].text, {"return", "co_return", "co_await", "else", "do"});
    return !oneOf(file.tokens[i - 1].text, {"->", "*", "&", ">", "~"});
}

// What token i does that a pure room must not do; empty when nothing.
std::string impurityAt(const Source &file, size_t i, bool knowsPosix)
{
    const std::string_view name = file.tokens[i].text;
    if (name == "now" && file.is(i + 1, "(") && i > 0 && file.is(i - 1, "::"))
        return "reads a clock";
    if (oneOf(name, {"gettimeofday", "clock_gettime", "timespec_get"}))
        return "reads a clock";
    if (name == "time" && callsFree(file, i) &&
        (file.is(i + 2, "nullptr") || file.is(i + 2, "NULL") || file.is(i + 2, "0") ||
         file.is(i + 2, "&")))
        return "reads a clock";
    if (oneOf(name, {"random_device", "mt19937", "mt19937_64", "default_random_engine",
                     "RAND_bytes", "RAND_priv_bytes", "getrandom"}))
        return "uses randomness";
    if (oneOf(name, {"rand", "srand"}) && callsFree(file, i))
        return "uses randomness";
    if (oneOf(name, {"fstream", "ifstream", "ofstream"}))
        return "does I/O";
    if (oneOf(name, {"cout", "cerr", "clog", "cin"}) && i > 0 && file.is(i - 1, "::"))
        return "does I/O";
    if (oneOf(name, {"printf", "fprintf", "puts", "fputs", "fopen", "getenv", "secure_getenv",
                     "socket"}) &&
        callsFree(file, i))
        return "does I/O";
    const bool global =
        i > 0 && file.is(i - 1, "::") && callsFree(file, i) && !file.is(i - 2, "std");
    if (oneOf(name, {"open", "read", "write", "close", "connect"}) &&
        (global || (knowsPosix && callsFree(file, i))))
        return "does I/O";
    return {};
}
}  // namespace

void checkRooms(const Tree &tree, Report &report)
{
    const std::set<std::string_view> folders = foldersForTests(tree);
    for (const Source &file : tree)
    {
        const auto room = rooms().find(file.generated() ? topOf(file.room) : file.room);
        for (const Include &include : file.includes)
        {
            if (climbs(include.target))
                report.add(file, include.line, "the include climbs out of its folder",
                           "write the path from the root of the tree");
            else if (file.generated() && include.angled)
                continue;
            else if (room != rooms().end())
                checkRoomInclude(file, room->second, include, report);
            else
                checkOutsideInclude(file, folders, include, report);
        }
        if (file.cpp && room == rooms().end() &&
            !oneOf(file.room, {"tests", "bench", "devnet", "views", "examples"}))
            report.add(
                file, 1, inQuotes(file.room) + " is no room of this house",
                "put the file into a room, or tell tests/tidy/room_rules.cc about the new one");
    }
}

void checkPurity(const Tree &tree, Report &report)
{
    const std::string fix = "take time, randomness and bytes as arguments from the caller";
    for (const Source &file : tree)
    {
        if (!isPure(file))
            continue;
        bool knowsPosix = false;
        for (const Include &include : file.includes)
        {
            if (oneOf(include.target, {"random", "fstream", "iostream", "filesystem"}))
                report.add(file, include.line,
                           inQuotes(include.target) + " has no place in a pure room", fix);
            knowsPosix = knowsPosix || oneOf(include.target, {"unistd.h", "fcntl.h"}) ||
                         include.target.starts_with("sys/");
        }
        for (size_t i = 0; i < file.tokens.size(); ++i)
        {
            if (file.tokens[i].kind != TokenKind::Identifier)
                continue;
            if (const std::string what = impurityAt(file, i, knowsPosix); !what.empty())
                report.add(file, file.tokens[i].line, inQuotes(file.tokens[i].text) + " " + what,
                           fix);
        }
    }
}

void checkBlocking(const Tree &tree, Report &report)
{
    for (const Source &file : tree)
    {
        if (!file.cpp || !oneOf(file.room, {"controllers", "filters", "plugins", "models"}))
            continue;
        for (size_t i = 0; i < file.tokens.size(); ++i)
        {
            const Token &token = file.tokens[i];
            if (token.kind != TokenKind::Identifier)
                continue;
            const bool inStd = i >= 2 && file.is(i - 1, "::") && file.is(i - 2, "std");
            if (oneOf(token.text,
                      {"execSqlSync", "execSqlAsyncFuture", "sync_wait", "get_future"}) ||
                (inStd && oneOf(token.text, {"future", "shared_future", "promise", "async"})))
                report.add(file, token.line,
                           inQuotes(token.text) + " waits, and may do so on an event loop",
                           "co_await a coroutine, or take a callback");
        }
    }
}

void checkSleep(const Tree &tree, Report &report)
{
    static const std::vector<std::string> always =
        allWhole({"sleep_|for", "sleep_|until", "u|sleep", "nano|sleep", "clock_nano|sleep"});
    for (const Source &file : tree)
        for (size_t i = 0; i < file.tokens.size(); ++i)
        {
            const Token &token = file.tokens[i];
            if (token.kind != TokenKind::Identifier ||
                !(file.inProduction() || file.room == "tests"))
                continue;
            if (std::ranges::find(always, token.text) != always.end() ||
                (token.text == "sleep" && callsFree(file, i)))
                report.add(file, token.line, inQuotes(token.text) + " sleeps",
                           "wait for a signal or drive a fake clock; in a coroutine use a timer");
        }
}
}  // namespace relayer::tidy
