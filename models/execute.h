// One statement, awaited; every way in which it can fail becomes a StoreError.
#pragma once

#include "models/store_error.h"

#include <drogon/orm/DbClient.h>
#include <drogon/orm/Exception.h>
#include <drogon/utils/coroutine.h>

#include <string>
#include <utility>

namespace relayer::models
{
// The text of a database error may carry values of the row, so it does not travel further than
// Drogon's own log. `sql` must outlive the program's statements (a static): Drogon keeps views of
// it.
template <typename... Arguments>
drogon::Task<drogon::orm::Result> execute(drogon::orm::DbClientPtr client, const std::string *sql,
                                          Arguments... arguments)
{
    if (!client->hasAvailableConnections())
    {
        throw StoreError(StoreError::Code::Unavailable, "no connection to the database");
    }
    try
    {
        co_return co_await client->execSqlCoro(*sql, std::move(arguments)...);
    }
    catch (const drogon::orm::TimeoutError &)
    {
        throw StoreError(StoreError::Code::Unavailable, "the database did not answer in time");
    }
    catch (const drogon::orm::BrokenConnection &)
    {
        throw StoreError(StoreError::Code::Unavailable, "the connection to the database broke");
    }
    catch (const drogon::orm::DrogonDbException &)
    {
        // A connection that broke under a statement is reported like an error of the statement.
        throw client->hasAvailableConnections()
            ? StoreError(StoreError::Code::Refused, "the database refused a statement")
            : StoreError(StoreError::Code::Unavailable, "the connection to the database broke");
    }
}
}  // namespace relayer::models
