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
const std::string kNothingOpen = " AND NOT " + std::string(kHasOpenAttempt);

// The rows of a page, and where the next one begins behind them.
const std::string kWithoutPlace = ", NULL::text, NULL::bigint";
const std::string kWithoutMove = ", NULL, NULL, NULL, NULL, NULL, NULL, NULL";
const std::string kAndLast =
    " UNION ALL SELECT NULL, NULL, kind::text, ticket" + kWithoutMove + " FROM last";

// Behind the place of a row.
std::string itsMove()
{
    return ", " + std::string(kMove);
}

std::string nothingOnItsWay(Status status)
{
    return core::isLeftToItsSender(status, true) ? kNothingOpen : "";
}

std::string makeOverdue(Status status)
{
    const Transition transition = core::endOfOverdue(status);
    const std::string due = "r.status = '" + std::string(core::name(status)) +
                            "' AND r.status_at < now() - $2::bigint * interval '1 millisecond'" +
                            nothingOnItsWay(status);
    return "WITH mine AS MATERIALIZED (SELECT r.id" + beforeMove() +
           " FROM live_request l JOIN request r ON r.id = l.request_id"
           " WHERE l.kind = $1::text::request_kind AND " +
           due +
           " ORDER BY l.ticket LIMIT $3::bigint FOR NO KEY UPDATE OF r SKIP LOCKED),\n"
           "moved AS (UPDATE request r SET " +
           assignments(transition) +
           ", error_code = $4::text, error_detail = $5::text FROM mine WHERE r.id = mine.id AND " +
           due + " RETURNING r.id, r.kind, r.ticket, r.status, r.error_code, " + returnMove() +
           "),\n"
           "ended AS (DELETE FROM live_request q USING moved m"
           " WHERE q.kind = m.kind AND q.ticket = m.ticket)" +
           noteFailures("moved") + "\nSELECT id, " + std::string(kMove) + " FROM moved";
}
}  // namespace

const Write &overdue(Status status)
{
    static const auto texts = [] {
        std::map<Status, Write> made;
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

std::string pageOfLive()
{
    // Numbered once it has been taken out: beside the LIMIT rows would be numbered as they are
    // read, and a table that is small is read in any order and sorted after that.
    return "page AS MATERIALIZED (SELECT p.kind, p.ticket, p.request_id,"
           " row_number() OVER (ORDER BY p.kind, p.ticket) AS place"
           " FROM (SELECT l.kind, l.ticket, l.request_id FROM live_request l"
           " WHERE (l.kind, l.ticket) > ($3::text::request_kind, $4::bigint)"
           " ORDER BY l.kind, l.ticket LIMIT $2::bigint) p),\n"
           "last AS MATERIALIZED (SELECT l.kind, l.ticket FROM page l WHERE l.place = $2::bigint)"
           ",\n";
}

const Write &recoverHeld()
{
    static const Write text =
        "WITH " + pageOfLive() + "mine AS MATERIALIZED (SELECT r.id" + beforeMove() +
        " FROM page l"
        " JOIN request r ON r.id = l.request_id"
        " WHERE " +
        lookedUpOneByOne("l.place") + " AND r.owner = $1::bigint AND " +
        guard(Transition::Recover) +
        " ORDER BY r.id FOR NO KEY UPDATE OF r),\n"
        "moved AS (UPDATE request r SET " +
        assignments(Transition::Recover) +
        " FROM mine WHERE r.id = mine.id AND r.owner = $1::bigint AND " +
        guard(Transition::Recover) + " RETURNING r.id, " + returnMove() + ")\nSELECT id, true" +
        kWithoutPlace + itsMove() + " FROM moved" + kAndLast;
    return text;
}

const Write &releaseHeld()
{
    static const Write text =
        "WITH " + pageOfLive() +
        "mine AS MATERIALIZED (SELECT r.id FROM page l JOIN request r ON r.id = l.request_id"
        " WHERE " +
        lookedUpOneByOne("l.place") +
        " AND r.owner = $1::bigint AND r.status = $5::text::request_status" + kNothingOpen +
        " ORDER BY r.id FOR NO KEY UPDATE OF r),\n"
        "freed AS (UPDATE request r SET owner = NULL FROM mine WHERE r.id = mine.id"
        " AND r.owner = $1::bigint AND r.status = $5::text::request_status RETURNING r.id)\n"
        "SELECT id, false" +
        kWithoutPlace + kWithoutMove + " FROM freed" + kAndLast;
    return text;
}

const Write &abandoned()
{
    // What was on its way and has no transaction any more starts over; all else only loses its
    // owner. Two statements in one, so that no row is nobody's and stuck. What a start has set back
    // while its transaction may be in a pool stays as it is: nobody's, it would be claimed by
    // another lane. Whoever gets the lane gets its requests (LaneStore::hold).
    static const Write text =
        "WITH " + pageOfLive() + "mine AS MATERIALIZED (SELECT r.id, " +
        guard(Transition::Recover) + kNothingOpen + " AS stranded" + beforeMove() +
        " FROM page l JOIN request r ON r.id = l.request_id WHERE " + lookedUpOneByOne("l.place") +
        " AND r.owner = $1::bigint AND NOT (r.status = 'processing' AND " +
        std::string(kHasOpenAttempt) +
        ")"
        " ORDER BY r.id FOR NO KEY UPDATE OF r),\n"
        "recovered AS (UPDATE request r SET " +
        assignments(Transition::Recover) +
        ", owner = NULL FROM mine WHERE r.id = mine.id AND mine.stranded AND r.owner = $1::bigint"
        " AND " +
        guard(Transition::Recover) + " RETURNING r.id, " + returnMove() +
        "),\n"
        "freed AS (UPDATE request r SET owner = NULL FROM mine WHERE r.id = mine.id"
        " AND NOT mine.stranded AND r.owner = $1::bigint RETURNING r.id)\n"
        "SELECT id, true" +
        kWithoutPlace + itsMove() + " FROM recovered UNION ALL SELECT id, false" + kWithoutPlace +
        kWithoutMove + " FROM freed" + kAndLast;
    return text;
}
}  // namespace relayer::models::sql
