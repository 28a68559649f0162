#include "models/write.h"

#include <stdexcept>
#include <string_view>

namespace relayer::models
{
namespace
{
const std::string kItsId = "pg_current_xact_id()::text";

bool beginsWith(std::string_view text, std::string_view word)
{
    return text.starts_with(word) && text.substr(word.size()).starts_with(' ');
}

bool returnsRows(std::string_view last)
{
    return beginsWith(last, "SELECT") || last.find(" RETURNING ") != std::string_view::npos;
}

std::string withItsTransaction(const std::string &statement)
{
    const bool hasParts = beginsWith(statement, "WITH");
    const auto end = hasParts ? statement.rfind('\n') : std::string::npos;
    const std::string parts = end == std::string::npos ? "" : statement.substr(0, end);
    const std::string last = end == std::string::npos ? statement : statement.substr(end + 1);
    const bool known = beginsWith(last, "SELECT") || beginsWith(last, "INSERT") ||
                       beginsWith(last, "UPDATE") || beginsWith(last, "DELETE");
    if (!known || hasParts != !parts.empty())
    {
        throw std::logic_error("not a statement that writes: " + last);
    }
    return (hasParts ? parts + ",\n" : std::string("WITH ")) + "told AS (" + last + ")\nSELECT " +
           (returnsRows(last) ? "told.*, " + kItsId + " FROM told" : kItsId);
}
}  // namespace

Write::Write(const std::string &statement) : text_(withItsTransaction(statement)) {}
}  // namespace relayer::models
