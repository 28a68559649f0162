#include "tidy/rules.h"

#include <algorithm>

namespace relayer::tidy
{
namespace
{
using Names = std::vector<std::string_view>;

constexpr int kFunctionLinesMax = 70;
constexpr size_t kFileLinesMax = 500;
constexpr size_t kControllerLinesMax = 100;
constexpr size_t kColumnsMax = 100;
constexpr size_t kBannerMin = 10;

size_t columnsOf(std::string_view line)
{
    // Bytes that continue a UTF-8 character take no column.
    return static_cast<size_t>(std::count_if(line.begin(), line.end(), [](char c) {
        return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
    }));
}

void checkFileLength(const Source &file, Report &report)
{
    const bool controller = file.room == "controllers";
    const size_t most = controller ? kControllerLinesMax : kFileLinesMax;
    if (file.lines.size() > most)
        report.add(file, 1,
                   std::to_string(file.lines.size()) + " lines, at most " + std::to_string(most),
                   controller ? "a controller decodes, calls a service and renders; move the rest"
                              : "two rooms with no wall: find the wall and split the file");
}

bool isWeakWord(const std::string &word)
{
    return oneOf(word, {"manager", "managers", "helper", "helpers", "util", "utils", "impl2"});
}

// "Impl2" is two words for wordsOf() nowhere: digits stay with the letters before them.
bool isWeakName(std::string_view name)
{
    const std::vector<std::string> words = wordsOf(name);
    return std::any_of(words.begin(), words.end(), isWeakWord);
}

// The name a class, struct, enum or alias gets by its definition at token i; else empty.
std::string_view typeDefinedAt(const Source &file, size_t i)
{
    if (file.is(i, "using"))
        return file.is(i + 2, "=") ? file.tokens[i + 1].text : std::string_view{};
    if (!oneOf(file.tokens[i].text, {"class", "struct", "union", "enum"}))
        return {};
    const size_t name = file.is(i + 1, "class") || file.is(i + 1, "struct") ? i + 2 : i + 1;
    const bool defines =
        file.is(name + 1, "{") || file.is(name + 1, ":") || file.is(name + 1, "final");
    return defines ? file.tokens[name].text : std::string_view{};
}

// The index behind a forward declaration or an opened namespace at i; i itself when it is neither.
size_t afterPreamble(const Source &file, size_t i)
{
    if (file.tokens[i].directive)
        return i + 1;
    if (file.is(i, "namespace") || (file.is(i, "inline") && file.is(i + 1, "namespace")))
    {
        while (i < file.tokens.size() && !file.is(i, "{"))
            ++i;
        return i + 1;
    }
    if (oneOf(file.tokens[i].text, {"class", "struct", "enum", "}"}))
        for (size_t end = i + 1; end < file.tokens.size() && !file.is(end, "{"); ++end)
            if (file.is(end, ";"))
                return end + 1;
    return file.is(i, "}") ? i + 1 : i;
}

int firstDeclarationLine(const Source &file)
{
    size_t i = 0;
    while (i < file.tokens.size())
    {
        const size_t next = afterPreamble(file, i);
        if (next == i)
            return file.tokens[i].line;
        i = next;
    }
    return static_cast<int>(file.lines.size()) + 1;
}

bool hasPragmaOnce(const Source &file)
{
    for (size_t i = 0; i + 2 < file.tokens.size(); ++i)
        if (file.is(i, "#") && file.is(i + 1, "pragma") && file.is(i + 2, "once"))
            return true;
    return false;
}

bool isBanner(std::string_view line)
{
    const size_t from = line.find_first_not_of(" \t");
    const size_t to = line.find_last_not_of(" \t\r");
    if (from == std::string_view::npos)
        return false;
    line = line.substr(from, to - from + 1);
    const char last = line.back();
    if (oneOf(std::string_view(&last, 1), {"=", "*", "/", "#", "-"}))
    {
        const size_t before = line.find_last_not_of(last);
        const size_t run =
            before == std::string_view::npos ? line.size() : line.size() - before - 1;
        if (run >= kBannerMin)
            return true;
    }
    const size_t start = line.find_first_not_of("/* ");
    if (start == std::string_view::npos)
        return line.size() >= kBannerMin;
    const char first = line[start];
    const size_t end = std::min(line.find_first_not_of(first, start), line.size());
    return oneOf(std::string_view(&first, 1), {"=", "#", "-"}) && end - start >= kBannerMin;
}

bool asserts(const Source &file, size_t i)
{
    const Token &token = file.tokens[i];
    if (token.kind != TokenKind::Identifier)
        return false;
    const std::string_view name = token.text;
    if (name.starts_with("EXPECT_") || name.starts_with("ASSERT_") ||
        oneOf(name, {"FAIL", "ADD_FAILURE", "GTEST_SKIP"}))
        return true;
    if (!file.is(i + 1, "(") && !file.is(i + 1, "<"))
        return false;
    return oneOf(wordsOf(name).front(), {"expect", "check", "verify", "assert"});
}

bool isTest(const Source &file, const Function &function)
{
    return oneOf(file.tokens[function.signature].text,
                 {"TEST", "TEST_F", "TEST_P", "TYPED_TEST", "TYPED_TEST_P"});
}

bool bodyAsserts(const Source &file, const Function &function, const Names &asserting)
{
    for (size_t i = function.open; i < function.close; ++i)
        if (asserts(file, i) || (oneOf(file.tokens[i].text, asserting) && file.is(i + 1, "(")))
            return true;
    return false;
}
}  // namespace

void checkLengths(const Tree &tree, Report &report)
{
    for (const Source &file : tree)
    {
        if (!file.cpp || file.generated())
            continue;
        checkFileLength(file, report);
        for (size_t i = 0; i < file.lines.size(); ++i)
            if (const size_t columns = columnsOf(file.lines[i]); columns > kColumnsMax)
                report.add(
                    file, static_cast<int>(i) + 1,
                    std::to_string(columns) + " columns, at most " + std::to_string(kColumnsMax),
                    "let clang-format break it");
        for (const Function &function : file.functions())
        {
            const int body = file.tokens[function.close].line - file.tokens[function.open].line - 1;
            if (body > kFunctionLinesMax)
                report.add(file, file.tokens[function.signature].line,
                           inQuotes(function.name) + " has a body of " + std::to_string(body) +
                               " lines, at most " + std::to_string(kFunctionLinesMax),
                           "push ifs up and fors down, and give the parts names");
        }
    }
}

void checkNames(const Tree &tree, Report &report)
{
    const std::string fix = "name it after what it does";
    for (const Source &file : tree)
    {
        if (!file.cpp || file.generated())
            continue;
        if (isWeakName(file.path.substr(file.path.rfind('/') + 1)))
            report.add(file, 1, "the file's name says nothing", fix);
        for (size_t i = 0; i + 2 < file.tokens.size(); ++i)
            if (file.tokens[i].kind == TokenKind::Identifier)
                if (const std::string_view name = typeDefinedAt(file, i); isWeakName(name))
                    report.add(file, file.tokens[i].line, inQuotes(name) + " says nothing", fix);
    }
}

void checkHeaders(const Tree &tree, Report &report)
{
    for (const Source &file : tree)
    {
        if (!file.header || file.generated())
            continue;
        if (!hasPragmaOnce(file))
            report.add(file, 1, "the header lacks #pragma once", "make it the first line");
        const int line = firstDeclarationLine(file);
        const bool told =
            std::any_of(file.comments.begin(), file.comments.end(),
                        [line](const Comment &comment) { return comment.line < line; });
        if (!told)
            report.add(
                file, 1, "the header does not say what it is for",
                "start with a comment: what for, who owns it, on which loop, what it promises");
    }
}

void checkBanners(const Tree &tree, Report &report)
{
    for (const Source &file : tree)
    {
        if (file.generated())
            continue;
        for (const Comment &comment : file.comments)
        {
            int line = comment.line;
            for (std::string_view rest = comment.text; !rest.empty(); ++line)
            {
                const size_t end = std::min(rest.find('\n'), rest.size());
                if (isBanner(rest.substr(0, end)))
                    report.add(file, line, "a banner", "remove it; a file has few enough parts");
                rest.remove_prefix(std::min(end + 1, rest.size()));
            }
        }
    }
}

void checkAssertions(const Tree &tree, Report &report)
{
    for (const Source &file : tree)
    {
        if (!file.cpp || file.room != "tests")
            continue;
        // Functions above a test in the same file may assert for it, whatever their name.
        Names asserting;
        for (const Function &function : file.functions())
        {
            const bool found = bodyAsserts(file, function, asserting);
            if (found && !isTest(file, function))
                asserting.push_back(function.name);
            if (!found && isTest(file, function))
                report.add(file, file.tokens[function.signature].line, "the test asserts nothing",
                           "EXPECT what its name says, or call an expect…/check… function");
        }
    }
}
}  // namespace relayer::tidy
