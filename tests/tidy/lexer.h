#pragma once

// Fills the tokens, comments and includes of a Source from its text. Knows what matters to tell
// code from text: both kinds of comments, escapes, raw strings, digit separators, directives.

#include "tidy/source.h"

namespace relayer::tidy
{
class Lexer
{
  public:
    explicit Lexer(Source &out);
    void run();

  private:
    bool at(std::string_view what) const;
    void skipLines(size_t end);
    void blankOrNewline();
    void lineComment();
    void blockComment();
    void quoted(char quote);
    void rawText();
    void word();
    void number();
    void punctuation();
    void directive();
    void push(TokenKind kind, size_t from, size_t to);

    Source &out_;
    std::string_view text_;
    size_t pos_ = 0;
    int line_ = 1;
    bool lineIsBlankSoFar_ = true;
    bool inDirective_ = false;
};
}  // namespace relayer::tidy
