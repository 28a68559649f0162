#include "tidy/lexer.h"

#include <algorithm>
#include <cctype>

namespace relayer::tidy
{
namespace
{
bool isWordStart(char c)
{
    return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_';
}

bool isDigit(char c)
{
    return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

bool isWord(char c)
{
    return isWordStart(c) || isDigit(c);
}
}  // namespace

Lexer::Lexer(Source &out) : out_(out), text_(out.text) {}

void Lexer::run()
{
    while (pos_ < text_.size())
    {
        const char c = text_[pos_];
        if (std::isspace(static_cast<unsigned char>(c)) != 0 || at("\\\n"))
            blankOrNewline();
        else if (at("//"))
            lineComment();
        else if (at("/*"))
            blockComment();
        else if (c == '#' && lineIsBlankSoFar_)
            directive();
        else if (c == '"' || c == '\'')
            quoted(c);
        else if (isWordStart(c))
            word();
        else if (isDigit(c))
            number();
        else
            punctuation();
    }
}

bool Lexer::at(std::string_view what) const
{
    return text_.substr(pos_, what.size()) == what;
}

void Lexer::skipLines(size_t end)
{
    line_ += static_cast<int>(std::count(text_.begin() + static_cast<std::ptrdiff_t>(pos_),
                                         text_.begin() + static_cast<std::ptrdiff_t>(end), '\n'));
    pos_ = end;
}

void Lexer::blankOrNewline()
{
    if (at("\\\n"))
    {
        skipLines(pos_ + 2);
        return;
    }
    if (text_[pos_] == '\n')
    {
        ++line_;
        lineIsBlankSoFar_ = true;
        inDirective_ = false;
    }
    ++pos_;
}

void Lexer::lineComment()
{
    const size_t end = std::min(text_.find('\n', pos_), text_.size());
    out_.comments.push_back({text_.substr(pos_, end - pos_), line_});
    pos_ = end;
}

void Lexer::blockComment()
{
    const size_t close = text_.find("*/", pos_ + 2);
    const size_t end = close == std::string_view::npos ? text_.size() : close + 2;
    out_.comments.push_back({text_.substr(pos_, end - pos_), line_});
    skipLines(end);
}

void Lexer::quoted(char quote)
{
    size_t end = pos_ + 1;
    while (end < text_.size() && text_[end] != quote && text_[end] != '\n')
        end += text_[end] == '\\' ? 2 : 1;
    end = std::min(end, text_.size());
    push(quote == '"' ? TokenKind::Text : TokenKind::Character, pos_ + 1, end);
    skipLines(std::min(end + (end < text_.size() && text_[end] == quote ? 1 : 0), text_.size()));
}

void Lexer::rawText()
{
    const size_t open = std::min(text_.find('(', pos_), text_.size());
    std::string closing(")");
    closing.append(text_.substr(pos_ + 1, open - std::min(open, pos_ + 1))).append("\"");
    const size_t from = std::min(open + 1, text_.size());
    const size_t close = std::min(text_.find(closing, from), text_.size());
    push(TokenKind::Text, from, close);
    skipLines(std::min(close + closing.size(), text_.size()));
}

void Lexer::word()
{
    size_t end = pos_;
    while (end < text_.size() && isWord(text_[end]))
        ++end;
    const std::string_view found = text_.substr(pos_, end - pos_);
    const char next = end < text_.size() ? text_[end] : '\0';
    if (next == '"' && oneOf(found, {"R", "LR", "uR", "UR", "u8R"}))
    {
        pos_ = end;
        rawText();
    }
    else if ((next == '"' || next == '\'') && oneOf(found, {"L", "u", "U", "u8"}))
    {
        pos_ = end;
        quoted(next);
    }
    else
    {
        push(TokenKind::Identifier, pos_, end);
        pos_ = end;
    }
}

void Lexer::number()
{
    size_t end = pos_;
    while (end < text_.size() &&
           (isWord(text_[end]) || text_[end] == '.' ||
            (text_[end] == '\'' && end + 1 < text_.size() && isWord(text_[end + 1]))))
        ++end;
    push(TokenKind::Number, pos_, end);
    pos_ = end;
}

void Lexer::punctuation()
{
    const size_t length = at("::") || at("->") ? 2 : 1;
    push(TokenKind::Punctuation, pos_, pos_ + length);
    pos_ += length;
}

void Lexer::directive()
{
    lineIsBlankSoFar_ = false;
    inDirective_ = true;
    size_t from = text_.find_first_not_of(" \t", pos_ + 1);
    constexpr std::string_view keyword = "include";
    if (from == std::string_view::npos || text_.substr(from, keyword.size()) != keyword)
    {
        punctuation();
        return;
    }
    const size_t lineEnd = std::min(text_.find('\n', pos_), text_.size());
    from = std::min(text_.find_first_of("<\"", from), lineEnd);
    const bool angled = from < lineEnd && text_[from] == '<';
    const size_t to = std::min(text_.find(angled ? '>' : '"', from + 1), lineEnd);
    if (from < to)
        out_.includes.push_back({text_.substr(from + 1, to - from - 1), angled, line_});
    pos_ = std::min(to + 1, lineEnd);
}

void Lexer::push(TokenKind kind, size_t from, size_t to)
{
    out_.tokens.push_back({kind, text_.substr(from, to - from), line_, inDirective_});
    lineIsBlankSoFar_ = false;
}
}  // namespace relayer::tidy
