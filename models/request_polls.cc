#include "models/request_polls.h"

#include "models/execute.h"
#include "models/pg_array.h"
#include "models/pg_values.h"
#include "models/request_sql.h"

#include <utility>

namespace relayer::models
{
using drogon::Task;
using drogon::orm::Result;

Poll pollFrom(const drogon::orm::Row &row)
{
    Poll poll;
    poll.row = RequestRow(row, 0);
    poll.inStatus = millisFrom(row[sql::kColumns]);
    if (!row[sql::kColumns + 1].isNull())
    {
        poll.result = bytesOf(row[sql::kColumns + 1]);
    }
    return poll;
}

Task<std::vector<std::optional<Poll>>> readPolls(
    ConnectionsPtr reader, std::shared_ptr<const std::vector<const core::JobId *>> batch)
{
    PgArray ids(PgType::Uuid);
    for (const core::JobId *id : *batch)
    {
        ids.add(core::ByteView(id->raw()));
    }
    const Target target(std::move(reader), tablesIn<2>);
    const Result rows = co_await execute(target, &sql::polls(), std::move(ids).finish());
    std::vector<std::optional<Poll>> polls(batch->size());
    for (const auto &row : rows)
    {
        polls.at(row[sql::kColumns + 2].as<std::size_t>() - 1) = pollFrom(row);
    }
    co_return polls;
}
}  // namespace relayer::models
