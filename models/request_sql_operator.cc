#include "models/request_sql_operator.h"

#include "models/request_sql.h"

namespace relayer::models::sql
{
using core::Kind;
using core::Transition;

namespace
{
// In the commit of what it is about.
std::string audited(const std::string &action, const std::string &actor, const std::string &moved,
                    const std::string &detail)
{
    return ",\naudited AS (INSERT INTO audit (actor, action, subject, detail) SELECT " + actor +
           "::text, '" + action + "', $1::uuid::text, " + detail + " FROM " + moved + ")";
}

std::string initialStatusOfItsKind()
{
    std::string text = "CASE m.kind";
    for (const Kind kind : core::kAllKinds)
    {
        text += " WHEN '" + std::string(core::name(kind)) + "' THEN '" +
                std::string(core::name(core::initialStatus(kind))) + "'";
    }
    return text + " END::request_status";
}
}  // namespace

const Write &failByOperator()
{
    static const Write text =
        "WITH mine AS MATERIALIZED (SELECT r.id" + beforeMove() +
        " FROM request r WHERE r.job_id = $1::uuid FOR NO KEY UPDATE OF r),\n"
        "moved AS (UPDATE request r SET " +
        assignments(Transition::FailInternally) +
        ", error_code = $2::text, error_detail = $3::text FROM mine WHERE r.id = mine.id AND " +
        guard(Transition::FailInternally) +
        " RETURNING r.id, r.kind, r.ticket, r.status, r.error_code, " + returnMove() +
        "),\n"
        "ended AS (DELETE FROM live_request q USING moved m"
        " WHERE q.kind = m.kind AND q.ticket = m.ticket)" +
        noteFailures("moved") +
        audited("request_failed", "$4", "moved",
                "jsonb_build_object('from', moved_from, 'reason', $3::text)") +
        "\nSELECT mine.id, moved.id IS NOT NULL, " + std::string(kMove) +
        " FROM mine LEFT JOIN moved ON moved.id = mine.id";
    return text;
}

const Write &dispatchAgain()
{
    // Who signs for it needs the lock of the row, too, and changes it; who did so after this
    // statement began has its attempt unseen, and the row is not as it was.
    static const Write text =
        std::string(
            "WITH locked AS MATERIALIZED (SELECT r.id FROM request r"
            " WHERE r.job_id = $1::uuid FOR NO KEY UPDATE OF r),\n"
            "mine AS MATERIALIZED (SELECT r.id") +
        beforeMove() + ", " + std::string(kHasOpenAttempt) +
        " AS on_its_way FROM locked JOIN request r ON r.id = locked.id),\n"
        "moved AS (UPDATE request r SET " +
        assignments(Transition::Recover) +
        ", owner = NULL FROM mine WHERE r.id = mine.id AND NOT mine.on_its_way"
        " AND r.status_at = mine.old_status_at AND " +
        guard(Transition::Recover) + " RETURNING r.id, " + returnMove() + ")" +
        audited("request_dispatched_again", "$2", "moved", "'{}'::jsonb") +
        "\nSELECT mine.id, moved.id IS NOT NULL, mine.on_its_way, " + std::string(kMove) +
        " FROM mine LEFT JOIN moved ON moved.id = mine.id";
    return text;
}

const Write &submitAnew()
{
    // `dedup` is taken from the old one only when no other stands for the content, and the row that
    // does is in the way of the new one whatever this statement has seen.
    static const Write text =
        "WITH mine AS MATERIALIZED (SELECT r.id, r.kind, r.variant, r.content_hash, r.payload,"
        " r.resolved_threshold, r.live FROM request r WHERE r.job_id = $1::uuid"
        " FOR NO KEY UPDATE OF r),\n"
        "let_go AS (UPDATE request r SET dedup = false FROM mine WHERE r.id = mine.id"
        " AND NOT r.live RETURNING r.id),\n"
        // Counted, so that the old one has let go before the new one comes.
        "fresh AS (INSERT INTO request (job_id, kind, variant, status, content_hash, payload,"
        " resolved_threshold, ticket, resubmits) SELECT $2::uuid, m.kind, m.variant, " +
        initialStatusOfItsKind() +
        ", m.content_hash, m.payload, m.resolved_threshold, nextval('request_ticket_seq'), m.id"
        " FROM mine m WHERE (SELECT count(*) FROM let_go) = 1"
        " ON CONFLICT (kind, content_hash) WHERE dedup DO NOTHING"
        " RETURNING id, kind, ticket),\n"
        "queued AS (INSERT INTO live_request (kind, ticket, request_id)"
        " SELECT kind, ticket, id FROM fresh)" +
        audited("request_submitted_anew", "$3", "fresh",
                "jsonb_build_object('as', $2::uuid::text)") +
        "\nSELECT mine.id, NOT mine.live, (SELECT count(*) FROM fresh) = 1 FROM mine";
    return text;
}
}  // namespace relayer::models::sql
