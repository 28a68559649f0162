#include "tidy/rules.h"

#include <algorithm>
#include <cctype>

namespace relayer::tidy
{
namespace
{
struct SqlWord
{
    std::string_view raw;
    std::string upper;
    size_t offset;
};

// Words and single signs of an SQL text; comments are left out.
std::vector<SqlWord> sqlWords(std::string_view text)
{
    std::vector<SqlWord> words;
    const auto isWord = [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == '$';
    };
    for (size_t i = 0; i < text.size();)
    {
        if (text.substr(i, 2) == "--")
            i = std::min(text.find('\n', i), text.size());
        else if (text.substr(i, 2) == "/*")
            i = std::min(text.find("*/", i), text.size() - 2) + 2;
        else if (text[i] == '\\')
            i += 2;  // as written: of "...)\nUPDATE a" the word is UPDATE
        else if (std::isspace(static_cast<unsigned char>(text[i])) != 0)
            ++i;
        else
        {
            size_t end = i + 1;
            while (isWord(text[i]) && end < text.size() && isWord(text[end]))
                ++end;
            std::string upper(text.substr(i, end - i));
            std::transform(upper.begin(), upper.end(), upper.begin(), [](char c) {
                return static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
            });
            words.push_back({text.substr(i, end - i), std::move(upper), i});
            i = end;
        }
    }
    return words;
}

bool follows(const std::vector<SqlWord> &words, size_t i, std::string_view what)
{
    return i < words.size() && words[i].upper == what;
}

// The index of SET in `UPDATE table [AS] [alias] SET` that starts at i, or 0.
size_t setOfUpdate(const std::vector<SqlWord> &words, size_t i)
{
    if (!follows(words, i, "UPDATE"))
        return 0;
    size_t at = i + 1;
    if (follows(words, at, "ONLY"))
        ++at;
    for (size_t last = at + 3; at <= last && at < words.size(); ++at)
        if (at > i + 1 && words[at].upper == "SET")
            return at;
    return 0;
}

// It changes rows.
bool startsWrite(const std::vector<SqlWord> &words, size_t i)
{
    return (follows(words, i, "INSERT") && follows(words, i + 1, "INTO")) ||
           (follows(words, i, "DELETE") && follows(words, i + 1, "FROM")) ||
           setOfUpdate(words, i) != 0;
}

// Keywords count in capitals; at the start of a literal also in small letters, since prose such as
// "removed from the inbox" seldom starts like a statement.
bool startsStatement(const std::vector<SqlWord> &words, size_t i)
{
    if (i > 0 && words[i].raw != words[i].upper)
        return false;
    if (startsWrite(words, i))
        return true;
    if (oneOf(words[i].upper, {"CREATE", "ALTER", "DROP"}))
        return follows(words, i + 1, "TABLE");
    if (follows(words, i, "SELECT"))
        return std::any_of(words.begin() + static_cast<std::ptrdiff_t>(i), words.end(),
                           [](const SqlWord &word) { return word.upper == "FROM"; });
    return false;
}

bool assignsStatus(const std::vector<SqlWord> &words, size_t set)
{
    for (size_t i = set + 1; i < words.size(); ++i)
    {
        if (oneOf(words[i].upper, {"WHERE", "FROM", "RETURNING"}))
            return false;
        if (words[i].upper == "STATUS" && follows(words, i + 1, "=") &&
            (i == set + 1 || follows(words, i - 1, ",")))
            return true;
    }
    return false;
}

// Offsets of `NOT IN`, where a list follows or the literal ends (the list is appended in code).
std::vector<size_t> notIns(const std::vector<SqlWord> &words)
{
    std::vector<size_t> found;
    for (size_t i = 0; i + 1 < words.size(); ++i)
        if (words[i].upper == "NOT" && words[i + 1].upper == "IN" &&
            (i + 2 == words.size() || words[i + 2].upper == "("))
            found.push_back(words[i].offset);
    return found;
}

void addNotIn(const Source &file, int line, Report &report)
{
    report.add(
        file, line, "a guard that names what is excluded lets a new status through",
        "name the states that are meant: status = ANY (...) generated from core/lifecycle.h");
}

// The one place that writes the guarded updates, from the table in core/lifecycle.h.
bool writesGuards(const Source &file)
{
    return file.path.starts_with("models/request_sql") && file.path.ends_with(".cc");
}

void checkStatusUpdates(const Source &file, const Literal &literal, Report &report)
{
    const std::vector<SqlWord> words = sqlWords(literal.text);
    for (size_t i = 0; i < words.size(); ++i)
        if (const size_t set = setOfUpdate(words, i);
            set != 0 && oneOf(words[i + 1].upper, {"REQUEST", "PUBLIC.REQUEST"}) &&
            assignsStatus(words, set))
            report.add(
                file, literal.lineAt(words[i].offset),
                "a status changes outside the generated guards",
                "add the edge to core/lifecycle.h and use its guard from models/request_sql");
}

bool writes(const std::vector<SqlWord> &words)
{
    for (size_t i = 0; i < words.size(); ++i)
        if (startsWrite(words, i))
            return true;
    return false;
}

// Whether a std::string is declared that begins with the token at i, and given a value.
bool declaresText(const Source &file, size_t i)
{
    return file.is(i, "std") && file.is(i + 1, "::") && file.is(i + 2, "string") &&
           file.is(i + 4, "=");
}

bool wellNamed(std::string_view name)
{
    constexpr std::string_view suffix = ".sql";
    constexpr size_t digits = 4;
    const auto isDigit = [](char c) { return c >= '0' && c <= '9'; };
    const auto isNameChar = [isDigit](char c) {
        return isDigit(c) || (c >= 'a' && c <= 'z') || c == '_';
    };
    if (!name.ends_with(suffix) || name.size() <= digits + 1 + suffix.size())
        return false;
    const std::string_view number = name.substr(0, digits);
    const std::string_view rest = name.substr(digits, name.size() - digits - suffix.size());
    return std::all_of(number.begin(), number.end(), isDigit) && rest.front() == '_' &&
           std::all_of(rest.begin(), rest.end(), isNameChar);
}
}  // namespace

void checkSql(const Tree &tree, Report &report)
{
    for (const Source &file : tree)
    {
        if (!file.inProduction() || file.room == "models")
            continue;
        for (const Literal &literal : file.literals())
        {
            const std::vector<SqlWord> words = sqlWords(literal.text);
            for (size_t i = 0; i < words.size(); ++i)
                if (startsStatement(words, i))
                {
                    report.add(file, literal.lineAt(words[i].offset),
                               "SQL text outside models/ and migrations/",
                               "give a store in models/ a method that says what is wanted");
                    break;
                }
        }
    }
}

void checkGuards(const Tree &tree, Report &report)
{
    for (const Source &file : tree)
    {
        if (file.room == "migrations" && file.path.ends_with(".sql"))
        {
            for (const size_t offset : notIns(sqlWords(file.text)))
                addNotIn(file,
                         1 + static_cast<int>(std::count(
                                 file.text.begin(),
                                 file.text.begin() + static_cast<std::ptrdiff_t>(offset), '\n')),
                         report);
        }
        if (!file.inProduction())
            continue;
        for (const Literal &literal : file.literals())
        {
            if (file.room == "models")
                for (const size_t offset : notIns(sqlWords(literal.text)))
                    addNotIn(file, literal.lineAt(offset), report);
            if (!writesGuards(file))
                checkStatusUpdates(file, literal, report);
        }
    }
}

// A text that can be executed is a static std::string, or a Write.
void checkWrites(const Tree &tree, Report &report)
{
    for (const Source &file : tree)
    {
        if (file.room != "models" || !file.cpp)
            continue;
        for (size_t i = 0; i < file.tokens.size(); ++i)
        {
            if (!declaresText(file, i))
                continue;
            const size_t declared = i;
            std::string text;
            for (; i < file.tokens.size() && !file.is(i, ";"); ++i)
                if (file.tokens[i].kind == TokenKind::Text)
                    text += file.tokens[i].text;
            if (writes(sqlWords(text)))
                report.add(file, file.tokens[declared].line,
                           "what a session that ends has taken back is told as if it were written",
                           "make the text a Write (models/write.h)");
        }
    }
}

void checkMigrations(const Tree &tree, Report &report)
{
    std::vector<const Source *> scripts;
    for (const Source &file : tree)
        if (file.room == "migrations" && file.path.ends_with(".sql"))
            scripts.push_back(&file);
    std::sort(scripts.begin(), scripts.end(),
              [](const Source *a, const Source *b) { return a->path < b->path; });
    int expected = 1;
    for (const Source *script : scripts)
    {
        const std::string_view name = script->path.substr(script->path.rfind('/') + 1);
        if (!wellNamed(name))
        {
            report.add(*script, 1, "a migration is named NNNN_what_it_does.sql", "rename it");
            continue;
        }
        const int number = std::stoi(std::string(name.substr(0, 4)));
        if (number != expected)
            report.add(*script, 1,
                       "migration " + std::to_string(number) + " stands where " +
                           std::to_string(expected) + " is due",
                       "number migrations without gaps and without duplicates");
        expected = number + 1;
    }
}
}  // namespace relayer::tidy
