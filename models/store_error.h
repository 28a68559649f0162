// What callers of the stores catch: the database could not be asked, or could not be asked now.
// Losing a guarded update is not an error; that is an outcome.
#pragma once

#include <stdexcept>
#include <string>

namespace relayer::models
{
class StoreError : public std::runtime_error
{
  public:
    enum class Code
    {
        Unavailable,  // no connection, or no answer in time. What was asked may have happened
                      // (guards make asking again safe; an outcome of the first try is not known)
        Overloaded,   // too many callers wait already; nothing was asked
        Refused,      // the database refused this statement; asking again will not help
        Closed,       // the store is being shut down; nothing was asked
    };

    StoreError(Code code, const std::string &what) : std::runtime_error(what), code_(code) {}

    [[nodiscard]] Code code() const { return code_; }

  private:
    Code code_;
};
}  // namespace relayer::models
