#include "core/log_line.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <set>

namespace relayer::core
{
namespace
{
constexpr std::string_view kUrlMark = "://";
constexpr std::string_view kUrl = "(a URL)";
constexpr std::string_view kHex = "(hex digits)";
// A hash has as many.
constexpr std::size_t kMostHexDigits = 64;
constexpr std::size_t kMostDigitsOfANumber = 15;
constexpr std::size_t kLongest = 16'384;
// What may follow in the same message of PostgreSQL.
constexpr std::array<std::string_view, 4> kBehindTheError = {
    "\nDETAIL:", "\nCONTEXT:", "\nQUERY:", "\nSTATEMENT:"};
// Quoted behind these stands a name, not a value.
constexpr std::array<std::string_view, 14> kNamed = {
    "relation", "column",   "constraint", "table", "function", "schema", "index",
    "type",     "database", "role",       "user",  "at",       "host",   "sequence"};

bool isDigit(char c)
{
    return c >= '0' && c <= '9';
}
bool isHexDigit(char c)
{
    return isDigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}
bool isLetter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool endsAUrl(char c)
{
    return c <= ' ' || std::string_view("\"'<>`()[]{}|\\^,;").find(c) != std::string_view::npos;
}

std::string withoutUrls(std::string_view text)
{
    std::string plain;
    for (std::size_t mark = text.find(kUrlMark); mark != std::string_view::npos;
         mark = text.find(kUrlMark))
    {
        std::size_t start = mark;
        while (start > 0 && (isLetter(text[start - 1]) || isDigit(text[start - 1]) ||
                             text[start - 1] == '+' || text[start - 1] == '.'))
        {
            --start;
        }
        plain.append(text.substr(0, start)).append(kUrl);
        const auto *const end =
            std::find_if(text.begin() + mark + kUrlMark.size(), text.end(), endsAUrl);
        text.remove_prefix(static_cast<std::size_t>(end - text.begin()));
    }
    return plain.append(text);
}

std::string withoutLongHex(std::string_view text)
{
    std::string plain;
    while (!text.empty())
    {
        const auto *const end = std::find_if_not(text.begin(), text.end(), isHexDigit);
        const auto digits = static_cast<std::size_t>(end - text.begin());
        if (digits > kMostHexDigits)
        {
            plain.append(kHex);
        }
        else
        {
            plain.append(text.substr(0, digits));
        }
        text.remove_prefix(digits);
        const auto *const next = std::find_if(text.begin(), text.end(), isHexDigit);
        plain.append(text.begin(), next);
        text.remove_prefix(static_cast<std::size_t>(next - text.begin()));
    }
    return plain;
}

bool behindItStandsAName(std::string_view before)
{
    while (before.ends_with(' '))
    {
        before.remove_suffix(1);
    }
    return std::ranges::any_of(kNamed, [before](std::string_view word) {
        return before.ends_with(word) &&
               (before.size() == word.size() || before[before.size() - word.size() - 1] == ' ');
    });
}

// A value may hold quotes of its own: from the first that is not of a name, all to the last one.
std::string withoutQuotedValues(std::string_view text)
{
    std::size_t from = 0;
    for (;;)
    {
        const std::size_t open = text.find('"', from);
        if (open == std::string_view::npos)
        {
            return std::string(text);
        }
        const std::size_t close = text.find('"', open + 1);
        if (close == std::string_view::npos || !behindItStandsAName(text.substr(0, open)))
        {
            const std::size_t last = text.rfind('"');
            const bool closed = last != open;
            return std::string(text.substr(0, open + 1)) + "...\"" +
                   std::string(closed ? text.substr(last + 1) : std::string_view());
        }
        from = close + 1;
    }
}

std::string_view upTo(std::string_view text, std::string_view end)
{
    return text.substr(0, text.find(end));
}

struct Line
{
    std::string_view time;    // 20261119 09:38:17.123456
    std::string_view thread;  // empty: this was no line of trantor's
    std::string_view level;
    std::string_view said;
    std::string_view source;
};

// Takes what stands before the next blank, and the blanks.
std::string_view takeWord(std::string_view &text)
{
    const std::string_view word = upTo(text, " ");
    text.remove_prefix(word.size());
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    return word;
}

Line parse(std::string_view written)
{
    Line line;
    std::string_view rest = written;
    while (rest.ends_with('\n'))
    {
        rest.remove_suffix(1);
    }
    line.said = rest;
    constexpr std::size_t kTime = std::string_view("20261119 09:38:17.123456").size();
    constexpr std::string_view kZone = " UTC ";
    if (rest.size() < kTime || !std::all_of(rest.begin(), rest.begin() + 8, isDigit))
    {
        return line;
    }
    const std::string_view time = rest.substr(0, kTime);
    rest.remove_prefix(kTime);
    if (!rest.starts_with(kZone))
    {
        return line;
    }
    rest.remove_prefix(kZone.size());
    line.time = time;
    line.thread = takeWord(rest);
    line.level = takeWord(rest);
    const std::size_t dash = rest.rfind(" - ");
    if (dash != std::string_view::npos && rest.find(' ', dash + 3) == std::string_view::npos)
    {
        line.source = rest.substr(dash + 3);
        rest = rest.substr(0, dash);
    }
    line.said = rest;
    return line;
}

// Our files have small letters only, Drogon's and trantor's do not.
bool isOurs(const Line &line)
{
    return !line.source.empty() && line.source.front() >= 'a' && line.source.front() <= 'z';
}

std::string cleaned(const Line &line)
{
    std::string_view said = line.said.substr(0, kLongest);
    for (const std::string_view behind : kBehindTheError)
    {
        said = upTo(said, behind);
    }
    std::string text = isOurs(line) ? std::string(said) : withoutQuotedValues(upTo(said, "\n"));
    text = withoutLongHex(withoutUrls(text));
    for (char &c : text)
    {
        const bool shown = c >= ' ' && c != '\x7f';
        c = shown || static_cast<unsigned char>(c) >= 0x80 ? c : ' ';
    }
    while (text.ends_with(' '))
    {
        text.pop_back();
    }
    return text;
}

void appendQuoted(std::string &out, std::string_view text)
{
    static constexpr std::string_view kDigits = "0123456789abcdef";
    out.push_back('"');
    for (const char c : text)
    {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\')
        {
            out.push_back('\\');
            out.push_back(c);
        }
        else if (byte < 0x20 || byte >= 0x7f)
        {
            // Nobody knows what is meant by it; as Latin-1 it is valid whatever it is.
            out.append("\\u00").push_back(kDigits[byte >> 4U]);
            out.push_back(kDigits[byte & 15U]);
        }
        else
        {
            out.push_back(c);
        }
    }
    out.push_back('"');
}

class Fields
{
  public:
    void add(std::string_view name, std::string_view value)
    {
        if (!names_.insert(std::string(name)).second)
        {
            return;
        }
        begin(name);
        // Ids are no numbers, though some look like one.
        const bool number = !value.empty() && value.size() <= kMostDigitsOfANumber &&
                            std::all_of(value.begin(), value.end(), isDigit) &&
                            (value.size() == 1 || value.front() != '0') && !name.ends_with("_id");
        if (number)
        {
            out_.append(value);
            return;
        }
        appendQuoted(out_, value);
    }
    [[nodiscard]] bool has(std::string_view name) const
    {
        return names_.contains(std::string(name));
    }
    [[nodiscard]] std::string take() && { return (out_.empty() ? "{" : std::move(out_)) + "}\n"; }

  private:
    void begin(std::string_view name)
    {
        out_.append(out_.empty() ? "{" : ",");
        appendQuoted(out_, name);
        out_.push_back(':');
    }

    std::set<std::string> names_;
    std::string out_;
};

bool isFieldName(std::string_view text)
{
    return !text.empty() && isLetter(text.front()) &&
           std::all_of(text.begin(), text.end(),
                       [](char c) { return isLetter(c) || isDigit(c) || c == '_' || c == '.'; });
}

// Fields until a word is none; then words.
void addSaid(Fields &fields, std::string_view said)
{
    while (!said.empty())
    {
        const std::string_view before = said;
        std::string_view word = takeWord(said);
        const std::size_t equals = word.find('=');
        const std::string_view name = word.substr(0, equals);
        if (equals == std::string_view::npos || !isFieldName(name) || fields.has(name))
        {
            fields.add("message", before);
            return;
        }
        if (name == "why")
        {
            fields.add(name, before.substr(equals + 1));
            return;
        }
        const bool wordsFollow = word.ends_with(':') || word.ends_with(';');
        word.remove_suffix(wordsFollow ? 1 : 0);
        fields.add(name, word.substr(equals + 1));
        if (wordsFollow)
        {
            fields.add("message", said);
            return;
        }
    }
}

std::string json(const Line &line, std::string_view said)
{
    Fields fields;
    if (!line.time.empty())
    {
        const std::string_view at = line.time;
        fields.add("time", std::string(at.substr(0, 4))
                               .append("-")
                               .append(at.substr(4, 2))
                               .append("-")
                               .append(at.substr(6, 2))
                               .append("T")
                               .append(at.substr(9))
                               .append("Z"));
        std::string level(line.level);
        std::ranges::transform(level, level.begin(), [](char c) {
            return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
        });
        fields.add("level", level);
        fields.add("thread", line.thread);
    }
    if (!line.source.empty())
    {
        fields.add("source", line.source);
    }
    addSaid(fields, said);
    return std::move(fields).take();
}
}  // namespace

std::string formatLogLine(std::string_view written, LogFormat format)
{
    const Line line = parse(written);
    const std::string said = cleaned(line);
    if (format == LogFormat::Json)
    {
        return json(line, said);
    }
    const auto before = static_cast<std::size_t>(line.said.data() - written.data());
    std::string text(written.substr(0, before));
    text.append(said);
    if (!line.source.empty())
    {
        text.append(" - ").append(line.source);
    }
    return text + "\n";
}
}  // namespace relayer::core
