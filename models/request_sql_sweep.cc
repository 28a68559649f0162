// Statements that walk over requests by their age, for whoever sweeps.
#include "core/overdue.h"
#include "models/request_sql.h"

#include <map>

namespace relayer::models::sql
{
using core::Status;
using core::Transition;

namespace
{
std::string nothingOnItsWay(Status status)
{
    return core::isLeftToItsSender(status, true) ? " AND NOT EXISTS (SELECT FROM tx_attempt a"
                                                   " WHERE a.request_id = r.id AND a.open OFFSET 0)"
                                                 : "";
}

std::string makeOverdue(Status status)
{
    const Transition transition = core::endOfOverdue(status);
    const std::string due = "r.status = '" + std::string(core::name(status)) +
                            "' AND r.status_at < now() - $2::bigint * interval '1 millisecond'" +
                            nothingOnItsWay(status);
    return "WITH mine AS MATERIALIZED (SELECT r.id FROM live_request l"
           " JOIN request r ON r.id = l.request_id WHERE l.kind = $1::text::request_kind AND " +
           due +
           " ORDER BY l.ticket LIMIT $3::bigint FOR NO KEY UPDATE OF r SKIP LOCKED),\n"
           "moved AS (UPDATE request r SET " +
           assignments(transition) +
           ", error_code = $4::text, error_detail = $5::text FROM mine WHERE r.id = mine.id AND " +
           due +
           " RETURNING r.id, r.kind, r.ticket),\n"
           "ended AS (DELETE FROM live_request q USING moved m"
           " WHERE q.kind = m.kind AND q.ticket = m.ticket)\n"
           "SELECT id FROM moved";
}
}  // namespace

const std::string &overdue(Status status)
{
    static const auto texts = [] {
        std::map<Status, std::string> made;
        for (const Status each : core::kAllStatuses)
        {
            if (!core::isTerminal(each))
            {
                made.emplace(each, makeOverdue(each));
            }
        }
        return made;
    }();
    return texts.at(status);
}

const std::string &recoverHeld()
{
    static const std::string text =
        "WITH mine AS MATERIALIZED (SELECT r.id FROM live_request l"
        " JOIN request r ON r.id = l.request_id WHERE r.owner = $1::bigint AND " +
        guard(Transition::Recover) +
        " ORDER BY r.id LIMIT $2::bigint FOR NO KEY UPDATE OF r),\n"
        "moved AS (UPDATE request r SET " +
        assignments(Transition::Recover) +
        " FROM mine WHERE r.id = mine.id AND r.owner = $1::bigint AND " +
        guard(Transition::Recover) + " RETURNING r.id)\nSELECT id FROM moved";
    return text;
}

const std::string &abandoned()
{
    // What was on its way and has no transaction any more starts over; all else only loses its
    // owner. Two statements in one, so that no row is nobody's and stuck.
    static const std::string text =
        "WITH mine AS MATERIALIZED (SELECT r.id, " + guard(Transition::Recover) +
        " AND NOT EXISTS (SELECT FROM tx_attempt a WHERE a.request_id = r.id AND a.open OFFSET 0)"
        " AS stranded FROM live_request l JOIN request r ON r.id = l.request_id"
        " WHERE r.owner = $1::bigint ORDER BY r.id LIMIT $2::bigint FOR NO KEY UPDATE OF r),\n"
        "recovered AS (UPDATE request r SET " +
        assignments(Transition::Recover) +
        ", owner = NULL FROM mine WHERE r.id = mine.id AND mine.stranded AND r.owner = $1::bigint"
        " AND " +
        guard(Transition::Recover) +
        " RETURNING r.id),\n"
        "freed AS (UPDATE request r SET owner = NULL FROM mine WHERE r.id = mine.id"
        " AND NOT mine.stranded AND r.owner = $1::bigint RETURNING r.id)\n"
        "SELECT id, true FROM recovered UNION ALL SELECT id, false FROM freed";
    return text;
}
}  // namespace relayer::models::sql
