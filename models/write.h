// A statement that changes something, and lets its caller know whether the change has come to stay.
//
// Drogon hands out a result when the statement is done, and PostgreSQL commits behind that: a
// session that is ended in between, as all are when the server is stopped, has told what it takes
// back. So each row carries the transaction's id, and who executes it asks what became of that
// transaction before anybody hears of it (models/execute.h).
//
//     static const Write text = "UPDATE ... RETURNING r.id";
#pragma once

#include <string>

namespace relayer::models
{
class Write
{
  public:
    // One statement; of a WITH the last part begins behind the last end of a line. Throws
    // std::logic_error for what is none of INSERT, UPDATE, DELETE and SELECT.
    // NOLINTNEXTLINE(google-explicit-constructor): a text is all there is to say
    Write(const std::string &statement);
    // NOLINTNEXTLINE(google-explicit-constructor)
    Write(const char *statement) : Write(std::string(statement)) {}

    // The columns of the statement, and behind them the id of its transaction; a statement that
    // returns nothing has one row with that.
    [[nodiscard]] const std::string &text() const { return text_; }

  private:
    std::string text_;
};
}  // namespace relayer::models
