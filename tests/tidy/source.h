#pragma once

// One file of the tree as the tidy rules see it: code, comments and string literals told apart by a
// small C++ lexer, so that no rule mistakes a word in a comment for a call. Files that are not C++
// carry their lines only. A Source points into the File it was made from and must not outlive it.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace relayer::tidy
{
struct File
{
    std::string path;  // from the root of the tree, with '/'
    std::string text;
};

enum class TokenKind
{
    Identifier,
    Number,
    Text,       // a string literal; its text is what stands between the quotes, as written
    Character,  // a character literal
    Punctuation
};

struct Token
{
    TokenKind kind;
    std::string_view text;
    int line;
    bool directive;  // part of a preprocessor directive
};

struct Comment
{
    std::string_view text;  // with its // or /* */
    int line;
};

struct Include
{
    std::string_view target;
    bool angled;
    int line;
};

// Neighbouring string literals joined, as the compiler joins them.
struct Literal
{
    std::string text;
    std::vector<std::pair<size_t, int>> starts;  // offset of each piece, its line

    int lineAt(size_t offset) const;
};

// A brace-enclosed function body, lambdas and local classes included; indices into Source::tokens.
struct Function
{
    size_t signature;
    size_t open;
    size_t close;
    std::string_view name;
};

struct Source
{
    explicit Source(const File &file);

    std::string_view path;
    std::string_view text;
    std::string_view room;  // "core", "chain/rpc", "models/generated", "tests", ...; "" at the root
    bool cpp;               // a C++ source or header
    bool header;
    std::vector<std::string_view> lines;
    std::vector<Token> tokens;  // directives other than #include are in here, marked
    std::vector<Comment> comments;
    std::vector<Include> includes;

    bool inProduction() const;  // our own C++ that ends up in a relayer
    bool generated() const;
    bool is(size_t index, std::string_view what) const;  // false when there is no such token
    std::vector<Literal> literals() const;
    std::vector<Function> functions() const;
};

using Tree = std::vector<Source>;

bool oneOf(std::string_view value, const std::vector<std::string_view> &values);

std::string inQuotes(std::string_view name);

// Takes out every '|'. Words that a search over this repository should find only where they matter
// are written with one inside, so that the rules and their samples do not find themselves.
std::string whole(std::string_view marked);
std::vector<std::string> allWhole(const std::vector<std::string_view> &marked);

// "payloadBytes_" -> payload, bytes; "REQUEST_URL" -> request, url.
std::vector<std::string> wordsOf(std::string_view name);
}  // namespace relayer::tidy
