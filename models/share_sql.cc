#include "models/share_sql.h"

#include <map>

namespace relayer::models::sql
{
using core::ShareState;
using core::ShareTransition;

namespace
{
std::string literal(ShareState state)
{
    return "'" + std::string(core::name(state)) + "'";
}

std::string nowOf(const std::string &parameter)
{
    return "coalesce(to_timestamp(" + parameter + "::bigint / 1e6), clock_timestamp())";
}

std::string secondOf(const std::string &parameter)
{
    return "floor(extract(epoch FROM " + nowOf(parameter) + "))::bigint";
}

const std::string kColumns = "round_id, proposal_id, tree_position, share_index";

std::string keyIs(const std::string &left, const std::string &right)
{
    std::string text;
    for (const char *column : {"round_id", "proposal_id", "tree_position", "share_index"})
    {
        text += text.empty() ? "" : " AND ";
        text.append(left).append(".").append(column).append(" = ");
        text.append(right).append(".").append(column);
    }
    return text;
}

// What a transition writes.
std::string assignments(ShareTransition transition)
{
    const ShareState to = core::edgeOf(transition).to;
    std::string text = "state = " + literal(to) + ", state_at = now(), owner = NULL";
    if (core::costsAnAttempt(transition))
    {
        text += ", attempts = s.attempts + 1";
    }
    if (core::isTerminal(to))
    {
        text += ", waiting = false, witness = NULL, witness_key = NULL";
    }
    else
    {
        // An attempt that costs nothing leaves the share where it stood, unless it has to wait.
        text += ", next_attempt_at = CASE WHEN $4::bigint = 0 THEN s.next_attempt_at ELSE " +
                nowOf("$3") + " + $4::bigint * interval '1 millisecond' END";
    }
    return text + ", error_code = coalesce($5::text, s.error_code)";
}

std::string makeMove(ShareTransition transition)
{
    // The parameters are named in every text, so that all take the same ones.
    return "UPDATE scheduled_share s SET " + assignments(transition) +
           " WHERE s.id = $1::bigint AND s.owner = $2::bigint AND s.state = " +
           literal(core::edgeOf(transition).from) +
           " AND ($3::bigint IS NULL OR $4::bigint >= 0) RETURNING s.id";
}

std::string countsByState()
{
    std::string text;
    for (const ShareState state : core::kAllShareStates)
    {
        text += ", count(s.id) FILTER (WHERE s.state = " + literal(state) + ")";
    }
    return text;
}
}  // namespace

const Write &enqueueShares()
{
    // Of equal keys in one batch the first is inserted. Inserted in the order of their keys, so
    // that two batches wait for each other and never deadlock. A time that no calendar knows is far
    // away.
    static const Write text =
        "WITH input AS MATERIALIZED (SELECT * FROM unnest($1::bytea[], $2::int[], $3::bigint[],"
        " $4::int[], $5::bytea[], $6::bytea[], $7::bytea[], $8::bigint[], $9::bigint[])"
        " WITH ORDINALITY AS i(" +
        kColumns +
        ", digest, witness, witness_key, submit_at, vote_end_time, place)),\n"
        "first AS MATERIALIZED (SELECT DISTINCT ON (" +
        kColumns + ") * FROM input ORDER BY " + kColumns +
        ", place),\n"
        "inserted AS (INSERT INTO scheduled_share (" +
        kColumns +
        ", payload_digest, witness, witness_key, submit_at, vote_end_time, next_attempt_at)"
        " SELECT " +
        kColumns +
        ", digest, witness, witness_key, submit_at, vote_end_time,"
        " CASE WHEN submit_at = 0 THEN " +
        nowOf("$10") +
        " ELSE to_timestamp(least(submit_at, 9000000000000)) END FROM first ORDER BY " + kColumns +
        " ON CONFLICT (round_id, share_index, proposal_id, tree_position) DO NOTHING" +
        " RETURNING " + kColumns +
        ", payload_digest)\n"
        "SELECT i.place, n.payload_digest = i.digest, f.place = i.place FROM inserted n"
        " JOIN first f ON " +
        keyIs("f", "n") + " JOIN input i ON " + keyIs("i", "n");
    return text;
}

const std::string &knownShares()
{
    static const std::string text =
        "SELECT i.place, s.payload_digest = i.digest FROM unnest($1::bytea[], $2::int[],"
        " $3::bigint[], $4::int[], $5::bytea[]) WITH ORDINALITY AS i(" +
        kColumns + ", digest, place) JOIN scheduled_share s ON " + keyIs("s", "i");
    return text;
}

const Write &takeShares()
{
    static const Write text =
        "WITH due AS MATERIALIZED (SELECT s.id FROM scheduled_share s WHERE s.waiting"
        " AND s.state = " +
        literal(core::edgeOf(ShareTransition::Take).from) +
        // A clock that is read for each row would be compared with every share that waits. It is
        // read once, behind the sleep until the first is due, if that is near.
        " AND s.next_attempt_at <= (SELECT " + nowOf("$3") +
        " FROM (SELECT extract(epoch FROM min(first.at) - " + nowOf("$3") +
        ") AS seconds FROM (SELECT n.next_attempt_at AS at FROM scheduled_share n WHERE n.waiting"
        " AND n.state = " +
        literal(core::edgeOf(ShareTransition::Take).from) +
        " ORDER BY n.next_attempt_at LIMIT 1) AS first) AS until, pg_sleep(CASE WHEN until.seconds"
        " * 1000 <= $4::bigint THEN greatest(until.seconds, 0) ELSE 0 END)"
        ") ORDER BY s.next_attempt_at, s.submit_at, " +
        kColumns +
        " LIMIT $2::bigint FOR UPDATE SKIP LOCKED),\n"
        "taken AS (UPDATE scheduled_share s SET state = " +
        literal(core::edgeOf(ShareTransition::Take).to) +
        ", state_at = now(), owner = $1::bigint FROM due WHERE s.id = due.id RETURNING s.*)\n"
        "SELECT id, " +
        kColumns +
        ", witness, witness_key, attempts, submit_at, vote_end_time, share_nullifier, tx_hash,"
        " (extract(epoch FROM greatest(next_attempt_at, created_at)) * 1000000)::bigint"
        " FROM taken ORDER BY next_attempt_at, submit_at, " +
        kColumns;
    return text;
}

const Write &moveShare(ShareTransition transition)
{
    static const auto texts = [] {
        std::map<ShareTransition, Write> made;
        for (const ShareTransition each : core::kAllShareTransitions)
        {
            if (each != ShareTransition::Take)
            {
                made.emplace(each, makeMove(each));
            }
        }
        return made;
    }();
    return texts.at(transition);
}

const Write &noteSentShare()
{
    static const Write text =
        "UPDATE scheduled_share SET share_nullifier = $3::bytea,"
        " tx_hash = coalesce($4::bytea, tx_hash)"
        " WHERE id = $1::bigint AND owner = $2::bigint AND state = " +
        literal(ShareState::Witnessed) + " RETURNING id";
    return text;
}

const Write &freeAbandonedShares()
{
    static const Write text =
        "WITH theirs AS MATERIALIZED (SELECT s.id FROM scheduled_share s WHERE s.waiting"
        " AND s.state = " +
        literal(core::edgeOf(ShareTransition::GiveBack).from) +
        " AND NOT EXISTS (SELECT FROM instance i WHERE i.epoch = s.owner"
        " AND i.heartbeat_at >= now() - $1::bigint * interval '1 millisecond')"
        " LIMIT $2::bigint FOR UPDATE SKIP LOCKED)\n"
        "UPDATE scheduled_share s SET state = " +
        literal(core::edgeOf(ShareTransition::GiveBack).to) +
        ", state_at = now(), owner = NULL FROM theirs WHERE s.id = theirs.id RETURNING s.id";
    return text;
}

const std::string &untilNextShare()
{
    static const std::string text =
        "WITH clock AS MATERIALIZED (SELECT " + nowOf("$1") +
        " AS at)\n"
        "SELECT (SELECT extract(epoch FROM s.next_attempt_at - (SELECT at FROM clock)) * 1000000"
        " FROM scheduled_share s WHERE s.waiting AND s.state = " +
        literal(ShareState::Received) +
        " ORDER BY s.next_attempt_at LIMIT 1)::bigint,"
        // A round is over when its last second is. No calendar is asked, for it may end at any
        // time.
        " (SELECT (least(min(e.at), 9000000000) + 1 - extract(epoch FROM (SELECT at FROM"
        " clock))) * 1000000 FROM ((SELECT r.vote_end_time AS at FROM voting_round r"
        " WHERE r.vote_end_time > 0 ORDER BY r.vote_end_time LIMIT 1) UNION ALL"
        " (SELECT s.vote_end_time FROM scheduled_share s WHERE s.vote_end_time > 0"
        " ORDER BY s.vote_end_time LIMIT 1)) e HAVING min(e.at) IS NOT NULL)::bigint";
    return text;
}

const std::string &endOfRound()
{
    static const std::string text =
        "SELECT vote_end_time FROM voting_round WHERE round_id = $1::bytea";
    return text;
}

const Write &rememberRound()
{
    static const Write text =
        "INSERT INTO voting_round (round_id, vote_end_time) VALUES ($1::bytea, $2::bigint)"
        " ON CONFLICT (round_id) DO NOTHING";
    return text;
}

const Write &adoptRounds()
{
    static const Write text =
        "INSERT INTO voting_round (round_id, vote_end_time)"
        " SELECT s.round_id, max(s.vote_end_time) FROM scheduled_share s WHERE s.vote_end_time > 0"
        " AND s.vote_end_time < (SELECT " +
        secondOf("$1") +
        ") GROUP BY s.round_id ORDER BY s.round_id ON CONFLICT (round_id) DO NOTHING";
    return text;
}

const Write &closeRounds()
{
    static const Write text =
        "WITH clock AS MATERIALIZED (SELECT " + secondOf("$1") +
        " AS second),\n"
        "closed AS (UPDATE voting_round r SET alerted_at = now() FROM clock c"
        " WHERE r.vote_end_time > 0 AND r.vote_end_time < c.second AND r.alerted_at IS NULL"
        " RETURNING r.round_id)\n"
        "SELECT c.second, EXISTS (SELECT FROM voting_round r WHERE r.vote_end_time > 0"
        " AND r.vote_end_time < c.second), l.round_id" +
        countsByState() +
        " FROM clock c LEFT JOIN closed l ON true LEFT JOIN scheduled_share s"
        " ON s.round_id = l.round_id GROUP BY c.second, l.round_id ORDER BY l.round_id";
    return text;
}

const Write &purgeShares()
{
    static const Write text =
        "DELETE FROM scheduled_share WHERE id IN (SELECT id FROM scheduled_share"
        " WHERE vote_end_time > 0 AND vote_end_time < $1::bigint LIMIT $2::bigint"
        " FOR UPDATE SKIP LOCKED) RETURNING id";
    return text;
}

const Write &purgeRounds()
{
    static const Write text =
        "DELETE FROM voting_round r WHERE r.vote_end_time > 0 AND r.vote_end_time < $1::bigint"
        " AND NOT EXISTS (SELECT FROM scheduled_share s WHERE s.round_id = r.round_id)";
    return text;
}

const std::string &countShares()
{
    static const std::string text =
        "SELECT s.round_id" + countsByState() +
        " FROM scheduled_share s GROUP BY s.round_id ORDER BY s.round_id";
    return text;
}
}  // namespace relayer::models::sql
