#include "tidy/source.h"

#include "tidy/lexer.h"

#include <algorithm>
#include <cctype>

namespace relayer::tidy
{
namespace
{
std::string_view roomOf(std::string_view path)
{
    for (const std::string_view inner : {"chain/rpc", "models/generated", "views/generated"})
        if (path.starts_with(inner) && path.substr(inner.size()).starts_with('/'))
            return path.substr(0, inner.size());
    const size_t slash = path.find('/');
    return slash == std::string_view::npos ? std::string_view{} : path.substr(0, slash);
}

std::vector<std::string_view> splitLines(std::string_view text)
{
    std::vector<std::string_view> lines;
    while (!text.empty())
    {
        const size_t end = std::min(text.find('\n'), text.size());
        lines.push_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return lines;
}

// Finds function bodies by walking declarations: namespaces and classes are entered, every other
// pair of braces is either a body or an initialiser, and is stepped over.
class FunctionScan
{
  public:
    explicit FunctionScan(const Source &source) : source_(source) {}

    std::vector<Function> run()
    {
        for (size_t i = 0; i < source_.tokens.size(); ++i)
            if (!source_.tokens[i].directive)
                i = step(i);
            else if (start_ == i)
                start_ = i + 1;
        return std::move(found_);
    }

  private:
    size_t step(size_t i)
    {
        if (source_.is(i, "(") || source_.is(i, "["))
            ++depth_;
        else if (source_.is(i, ")") || source_.is(i, "]"))
            depth_ = std::max(0, depth_ - 1);
        else if (source_.is(i, "{"))
            return brace(i);
        else if (depth_ == 0 && endsDeclaration(i))
            start_ = i + 1;
        return i;
    }

    bool endsDeclaration(size_t i) const
    {
        return source_.is(i, ";") || source_.is(i, "}") ||
               (source_.is(i, ":") && i > 0 &&
                oneOf(source_.tokens[i - 1].text, {"public", "private", "protected"}));
    }

    size_t brace(size_t i)
    {
        if (depth_ == 0 && opensContainer(i))
        {
            start_ = i + 1;
            return i;
        }
        const size_t close = matching(i);
        if (depth_ == 0 && opensBody(i))
        {
            found_.push_back({start_, i, close, nameBefore(i)});
            start_ = close + 1;
        }
        return close;
    }

    size_t matching(size_t open) const
    {
        int depth = 0;
        for (size_t i = open; i < source_.tokens.size(); ++i)
        {
            if (source_.tokens[i].directive)
                continue;
            if (source_.is(i, "{"))
                ++depth;
            else if (source_.is(i, "}") && --depth == 0)
                return i;
        }
        return source_.tokens.size() - 1;
    }

    // Steps over `template <...>`, whose `class T` is no class.
    size_t afterTemplateHead(size_t i) const
    {
        if (!source_.is(i, "template") || !source_.is(i + 1, "<"))
            return i;
        int angles = 0;
        for (++i; i < source_.tokens.size(); ++i)
        {
            if (source_.is(i, "<"))
                ++angles;
            else if (source_.is(i, ">") && --angles == 0)
                return i + 1;
        }
        return i;
    }

    bool opensContainer(size_t open) const
    {
        for (size_t i = start_; i < open; ++i)
        {
            i = afterTemplateHead(i);
            if (i >= open || source_.is(i, "(") || source_.is(i, "="))
                return false;
            if (oneOf(source_.tokens[i].text, {"namespace", "class", "struct", "union", "enum"}))
                return true;
            if (source_.is(i, "extern") && source_.tokens[i + 1].kind == TokenKind::Text)
                return true;
        }
        return false;
    }

    bool opensBody(size_t open) const
    {
        bool parameters = false;
        bool trailingReturn = false;
        int depth = 0;
        for (size_t i = start_; i < open; ++i)
        {
            if (source_.is(i, "("))
                ++depth;
            else if (source_.is(i, ")"))
                --depth;
            parameters = parameters || depth > 0;
            trailingReturn = trailingReturn || (depth == 0 && parameters && source_.is(i, "->"));
        }
        if (!parameters || open == 0)
            return false;
        return trailingReturn ||
               oneOf(source_.tokens[open - 1].text,
                     {")", "}", "const", "noexcept", "override", "final", "mutable", "try", "&"});
    }

    std::string_view nameBefore(size_t open) const
    {
        for (size_t i = start_ + 1; i < open; ++i)
            if (source_.is(i, "(") && source_.tokens[i - 1].kind == TokenKind::Identifier)
                return source_.tokens[i - 1].text;
        return "this function";
    }

    const Source &source_;
    std::vector<Function> found_;
    size_t start_ = 0;
    int depth_ = 0;
};
}  // namespace

int Literal::lineAt(size_t offset) const
{
    auto piece = std::find_if(starts.rbegin(), starts.rend(),
                              [offset](const auto &start) { return start.first <= offset; });
    if (piece == starts.rend())
        return starts.front().second;
    const auto from = text.begin() + static_cast<std::ptrdiff_t>(piece->first);
    const auto to = text.begin() + static_cast<std::ptrdiff_t>(std::min(offset, text.size()));
    return piece->second + static_cast<int>(std::count(from, to, '\n'));
}

Source::Source(const File &file)
    : path(file.path),
      text(file.text),
      room(roomOf(path)),
      cpp(path.ends_with(".cc") || path.ends_with(".h") || path.ends_with(".cpp") ||
          path.ends_with(".hpp")),
      header(path.ends_with(".h") || path.ends_with(".hpp")),
      lines(splitLines(text))
{
    if (cpp)
        Lexer(*this).run();
}

bool Source::inProduction() const
{
    return cpp && !generated() && !oneOf(room, {"tests", "bench", "devnet"});
}

bool Source::generated() const
{
    return room.ends_with("/generated");
}

bool Source::is(size_t index, std::string_view what) const
{
    return index < tokens.size() && tokens[index].text == what &&
           tokens[index].kind != TokenKind::Text && tokens[index].kind != TokenKind::Character;
}

std::vector<Literal> Source::literals() const
{
    std::vector<Literal> all;
    for (size_t i = 0; i < tokens.size(); ++i)
    {
        if (tokens[i].kind != TokenKind::Text)
            continue;
        if (i == 0 || tokens[i - 1].kind != TokenKind::Text)
            all.emplace_back();
        all.back().starts.emplace_back(all.back().text.size(), tokens[i].line);
        all.back().text += tokens[i].text;
    }
    return all;
}

std::vector<Function> Source::functions() const
{
    return FunctionScan(*this).run();
}

bool oneOf(std::string_view value, const std::vector<std::string_view> &values)
{
    return std::find(values.begin(), values.end(), value) != values.end();
}

std::string inQuotes(std::string_view name)
{
    // Appended, because gcc 12 at -O2 warns of an overlap that is none in "'" + std::string(...).
    std::string text("'");
    return text.append(name).append("'");
}

std::string whole(std::string_view marked)
{
    std::string word(marked);
    std::erase(word, '|');
    return word;
}

std::vector<std::string> allWhole(const std::vector<std::string_view> &marked)
{
    std::vector<std::string> words;
    words.reserve(marked.size());
    for (const std::string_view word : marked)
        words.push_back(whole(word));
    return words;
}

std::vector<std::string> wordsOf(std::string_view name)
{
    std::vector<std::string> words(1);
    bool afterLower = false;
    for (const char c : name)
    {
        const auto u = static_cast<unsigned char>(c);
        if (std::isalnum(u) == 0 || (std::isupper(u) != 0 && afterLower))
            words.emplace_back();
        if (std::isalnum(u) != 0)
            words.back() += static_cast<char>(std::tolower(u));
        afterLower = std::islower(u) != 0 || std::isdigit(u) != 0;
    }
    std::erase(words, std::string());
    return words;
}
}  // namespace relayer::tidy
