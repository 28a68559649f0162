// What PostgreSQL's planner believes about our tables, while they are young.
//
// A prepared statement is planned for the table as it is at that moment, and a table of a few pages
// is best read as a whole. Autovacuum comes once a minute; under load such a plan would read sixty
// thousand rows for each of them by then. So a table that has doubled since it was last looked at
// is looked at again, which makes every session plan anew. A table that is large already is left to
// autovacuum: its plans use the indexes.
#pragma once

#include "models/connections.h"

#include <drogon/utils/coroutine.h>

#include <string>
#include <vector>

namespace relayer::models
{
class PlannerStatistics
{
  public:
    explicit PlannerStatistics(ConnectionsPtr writer) : writer_(std::move(writer)) {}

    // The tables that were looked at. Cheap when there are none. Throws StoreError.
    drogon::Task<std::vector<std::string>> refresh();

  private:
    const ConnectionsPtr writer_;
};
}  // namespace relayer::models
