// Statements that change requests together with what the chain rooms keep beside them.
#include "models/request_sql.h"

namespace relayer::models::sql
{
using core::Transition;

// All of it sees one snapshot, so what decides is locked first: the lane, then the requests in the
// order of their ids. A lock waits for whoever is changing the row and then looks at the guard
// again, so what `passed` counts can not change any more. Everything that writes joins `passed`:
// one row when all may be written, none otherwise. The raw bytes stand apart from the small
// columns, which are read several times. OFFSET 0 keeps the look for the hash one into an index (as
// kHasOpenAttempt).
const Write &commitAttempts()
{
    static const std::string allowed =
        guard(Transition::MarkTxInFlight) + " AND r.owner = $2::bigint";
    static const Write text =
        "WITH lane AS MATERIALIZED (SELECT s.name, s.next_nonce FROM signer_lane s"
        " WHERE s.name = $1::text AND s.owner = $2::bigint FOR NO KEY UPDATE OF s),\n"
        "input AS MATERIALIZED (SELECT i.*, $3::bigint + i.place - 1 AS nonce"
        " FROM unnest($4::bigint[], $5::bytea[], $6::text[], $7::text[], $8::text[], $9::bool[])"
        " WITH ORDINALITY AS i(request_id, hash, max_fee, priority_fee, gas_limit, no_op,"
        " place)),\n"
        "mine AS MATERIALIZED (SELECT r.id" +
        beforeMove() +
        " FROM lane CROSS JOIN input i JOIN request r ON r.id = i.request_id"
        " WHERE lane.next_nonce = $3::bigint AND " +
        lookedUpOneByOne("i.place") + " AND " + allowed + " AND NOT " +
        std::string(kHasOpenAttempt) +
        " AND NOT EXISTS (SELECT FROM tx_version v WHERE v.hash = i.hash OFFSET 0)"
        " ORDER BY r.id FOR NO KEY UPDATE OF r),\n"
        "passed AS MATERIALIZED (SELECT FROM lane WHERE lane.next_nonce = $3::bigint"
        " AND (SELECT count(DISTINCT id) FROM mine) = (SELECT count(*) FROM input)"
        " AND NOT EXISTS (SELECT FROM tx_attempt a WHERE a.lane = lane.name"
        " AND a.nonce >= $3::bigint)),\n"
        "moved AS (UPDATE request r SET " +
        assignments(Transition::MarkTxInFlight) +
        ", tx_hash = i.hash FROM passed CROSS JOIN mine JOIN input i ON i.request_id = mine.id"
        " WHERE r.id = mine.id AND " +
        allowed + " RETURNING r.id, " + returnMove() +
        "),\n"
        "signed AS (INSERT INTO tx_attempt (lane, nonce, request_id, sends)"
        " SELECT $1::text, i.nonce, i.request_id, 1 FROM passed CROSS JOIN input i"
        " ORDER BY i.nonce RETURNING id, nonce),\n"
        "versions AS (INSERT INTO tx_version (attempt_id, hash, raw, max_fee_per_gas,"
        " max_priority_fee_per_gas, gas_limit, no_op, first_sent_at, last_sent_at)"
        " SELECT signed.id, i.hash, b.raw, i.max_fee::numeric, i.priority_fee::numeric,"
        " i.gas_limit::numeric, i.no_op, now(), now() FROM signed JOIN input i ON i.nonce = "
        "signed.nonce JOIN unnest($10::bytea[]) WITH ORDINALITY AS b(raw, place)"
        " ON b.place = i.place),\n"
        "advanced AS (UPDATE signer_lane s SET next_nonce = $3::bigint + (SELECT count(*)"
        " FROM input), updated_at = now() FROM passed WHERE s.name = $1::text"
        " AND s.owner = $2::bigint)\n"
        "SELECT lane.next_nonce, mine.id IS NOT NULL, signed.id, " +
        std::string(kMove) +
        " FROM input i LEFT JOIN lane ON true LEFT JOIN mine ON mine.id = i.request_id"
        " LEFT JOIN moved ON moved.id = i.request_id LEFT JOIN signed ON signed.nonce = i.nonce"
        " ORDER BY i.place";
    return text;
}

const std::string &holdingTheLane()
{
    static const std::string text =
        "WITH lane AS MATERIALIZED (SELECT s.name FROM signer_lane s WHERE s.name = $1::text"
        " AND s.owner = $2::bigint FOR KEY SHARE OF s),\n";
    return text;
}

const Write &markMined()
{
    // One that was mined before may have moved to another block. The lane is compared in a way that
    // no index serves, since the one that does holds the lane's whole past.
    static const Write text =
        holdingTheLane() +
        "input AS MATERIALIZED (SELECT DISTINCT ON (id) * FROM unnest($3::bigint[], $4::bytea[],"
        " $5::bigint[]) WITH ORDINALITY AS i(id, hash, block, place) ORDER BY id, place DESC),\n"
        "mine AS MATERIALIZED (SELECT a.id FROM lane CROSS JOIN input i JOIN tx_attempt a"
        " ON a.id = i.id AND a.lane IS NOT DISTINCT FROM lane.name"
        " WHERE a.state IN ('signed', 'mined') AND " +
        lookedUpOneByOne("i.place") +
        " ORDER BY a.id FOR NO KEY UPDATE OF a)\n"
        "UPDATE tx_attempt a SET state = 'mined', open = false, mined_hash = i.hash,"
        " mined_block = i.block, updated_at = now() FROM mine JOIN input i ON i.id = mine.id"
        " WHERE a.id = mine.id AND a.state IN ('signed', 'mined')";
    return text;
}

const Write &reopenAttempt()
{
    // The request is on its way again, and the lane's holder's, whoever had it: also one that never
    // left this status. That it is written in either case is what tells a statement beside this one
    // that waits for the row, and has seen no open attempt (kHasOpenAttempt).
    static const std::string onItsWay =
        "(" + guard(Transition::MarkTxInFlight) + " OR r.status = '" +
        std::string(core::name(core::targetOf(Transition::MarkTxInFlight))) + "')";
    static const Write text =
        holdingTheLane() +
        "back AS MATERIALIZED (SELECT a.id, a.request_id, a.mined_hash FROM lane"
        " JOIN tx_attempt a ON a.lane = lane.name WHERE a.id = $3::bigint AND a.state = 'mined'"
        " FOR NO KEY UPDATE OF a),\n"
        "opened AS (UPDATE tx_attempt a SET state = 'signed', open = true, mined_hash = NULL,"
        " mined_block = NULL, updated_at = now() FROM back WHERE a.id = back.id"
        " AND a.state = 'mined' RETURNING a.id),\n"
        "waiting AS MATERIALIZED (SELECT r.id FROM back JOIN request r ON r.id = back.request_id"
        " WHERE r.status = 'receipt_received' AND r.tx_hash = back.mined_hash"
        " FOR NO KEY UPDATE OF r),\n"
        "bereft AS (UPDATE request r SET gateway_id = NULL FROM waiting WHERE r.id = waiting.id),\n"
        "gone AS (DELETE FROM gateway_reference g USING waiting WHERE g.request_id = waiting.id),\n"
        "mine AS MATERIALIZED (SELECT r.id, back.mined_hash" +
        beforeMove() + " FROM back JOIN request r ON r.id = back.request_id WHERE " + onItsWay +
        " FOR NO KEY UPDATE OF r),\n"
        "moved AS (UPDATE request r SET " +
        assignments(Transition::MarkTxInFlight) +
        ", tx_hash = mine.mined_hash, owner = $2::bigint FROM mine, opened WHERE r.id = mine.id"
        " AND " +
        onItsWay + " RETURNING r.id, " + returnMove() +
        ")\n"
        "SELECT opened.id, moved.id, " +
        std::string(kMove) + " FROM opened LEFT JOIN moved ON moved.moved_from <> moved.moved_to";
    return text;
}

const Write &freeGatewayId()
{
    static const Write text =
        "WITH other AS MATERIALIZED (SELECT g.request_id AS id FROM request r"
        " JOIN gateway_reference g ON g.kind = r.kind AND g.gateway_id = $2::bytea"
        " AND g.request_id <> r.id WHERE r.id = $1::bigint AND " +
        guard(Transition::MarkReceiptReceived) +
        "),\n"
        "locked AS MATERIALIZED (SELECT r.id, r.kind FROM request r"
        " WHERE r.id = (SELECT id FROM other) AND r.status = 'receipt_received'"
        " AND r.gateway_id = $2::bytea FOR NO KEY UPDATE OF r),\n"
        "gone AS (DELETE FROM gateway_reference g USING locked l WHERE g.kind = l.kind"
        " AND g.gateway_id = $2::bytea AND g.request_id = l.id),\n"
        "bereft AS (UPDATE request r SET gateway_id = NULL FROM locked l WHERE r.id = l.id)\n"
        "SELECT id FROM locked";
    return text;
}

const Write &replaceReceipt()
{
    // The other request that has this id, if any, is locked together with this one. It loses the id
    // on its row, too: who is about to settle it by this id looks at that again under its lock.
    static const Write text =
        "WITH other AS MATERIALIZED (SELECT g.request_id AS id FROM request r"
        " JOIN gateway_reference g ON g.kind = r.kind AND g.gateway_id = $4::bytea"
        " AND g.request_id <> r.id WHERE r.id = $1::bigint),\n"
        "locked AS MATERIALIZED (SELECT r.id, r.kind FROM request r"
        " WHERE r.status = 'receipt_received' AND ((r.id = $1::bigint"
        " AND ($2::bytea IS NULL OR r.tx_hash = $2::bytea)) OR r.id = (SELECT id FROM other))"
        " ORDER BY r.id FOR NO KEY UPDATE OF r),\n"
        "mine AS MATERIALIZED (SELECT l.id, l.kind FROM locked l WHERE l.id = $1::bigint"
        " AND (SELECT count(*) FROM locked) = 1 + (SELECT count(*) FROM other)),\n"
        "gone AS (DELETE FROM gateway_reference g USING mine WHERE g.kind = mine.kind"
        " AND (g.request_id = mine.id OR g.gateway_id = $4::bytea) RETURNING g.gateway_id),\n"
        "bereft AS (UPDATE request r SET gateway_id = NULL FROM mine CROSS JOIN other"
        " WHERE r.id = other.id AND r.gateway_id = $4::bytea),\n"
        "replaced AS (UPDATE request r SET tx_hash = $3::bytea, gateway_id = $4::bytea,"
        " shares_seen = (SELECT count(*) FROM kms_share s WHERE s.gateway_id = $4::bytea)"
        " FROM mine WHERE r.id = mine.id),\n"
        // Counted, so that the old rows are gone before the new one comes.
        "referred AS (INSERT INTO gateway_reference (kind, gateway_id, request_id)"
        " SELECT mine.kind, $4::bytea, mine.id FROM mine"
        " WHERE (SELECT count(*) FROM gone) >= 0)\n"
        "SELECT id, kind FROM mine";
    return text;
}
}  // namespace relayer::models::sql
