// The statements on the request table. The guards are made from the table in core/lifecycle.h; no
// other file writes a status. Text is built once and lives as long as the program, because Drogon
// keeps views of it.
//
// Every statement takes arrays and handles a whole batch. Rows are locked in the order of their id
// before they are changed, so that two batches with rows in common wait for each other and never
// deadlock.
#pragma once

#include "core/lifecycle.h"
#include "models/write.h"

#include <cstddef>
#include <string>
#include <string_view>

namespace relayer::models::sql
{
// "(r.kind = 'input_proof' AND r.status = 'processing') OR ...": exact equality for one status, a
// list for more, nothing about statuses that are not allowed.
[[nodiscard]] std::string guard(core::Transition transition);

// What every transition writes, as a list for SET.
[[nodiscard]] std::string assignments(core::Transition transition);

// A part of a WITH: those that `ended` returns (id, kind, status, error_code) ended badly.
[[nodiscard]] std::string noteFailures(const std::string &ended);

// A condition that is always true, on a column of an array that is to be joined with a table. The
// planner takes an array for ten elements, and ten rows for enough to read all of a table that is
// small at that moment; the plan lives on while the table grows. With this it expects one row, and
// looks each of them up in the index. `place` is at least 1, as WITH ORDINALITY makes it.
[[nodiscard]] std::string lookedUpOneByOne(const std::string &place);

// Whether request r has an attempt whose nonce is not closed. A look into an index for each row: as
// a join it becomes a scan of all that ever were, where the statement was planned while there were
// few.
inline constexpr std::string_view kHasOpenAttempt =
    "EXISTS (SELECT FROM tx_attempt a WHERE a.request_id = r.id AND a.open OFFSET 0)";

// Of request r; what an estimate and its calibration count from.
[[nodiscard]] std::string millisInStatus();

// What is told of a request that moves (models/status_news.h). `mine` has these beside the id of
// the locked row r; the update of r gives the second back; the third picks them out of it.
[[nodiscard]] std::string beforeMove();
[[nodiscard]] std::string returnMove();
inline constexpr std::string_view kMove =
    "moved_kind, moved_job, moved_from, moved_to, moved_after, moved_age, moved_error";

// Parameters: $1 job ids, $2 kinds, $3 variants, $4 statuses, $5 content hashes, $6 payloads,
// $7 thresholds. Rows: kind, content_hash, id, job_id, status, ticket, whether it is
// claimed and milliseconds in its status, of the requests that are new.
// This statement alone decides who of many is the first; whose content has no row here joins
// another's.
[[nodiscard]] const Write &admit();

// The requests that stand for contents. $1 kinds, $2 content hashes; rows as above. A content may
// have no row when its request ended in between: admit again.
[[nodiscard]] const std::string &join();

// Parameters: $1 ids, $2 claimers, $3 tx hashes, $4 gateway ids, $5 error codes, $6 error details.
// Rows: id, ticket and kMove of those that were moved. Not for Complete and Reject, which come from
// answers.
[[nodiscard]] const Write &transition(core::Transition transition);

// Begins every write of who holds a lane ($1 its name, $2 the claimer), but those that change the
// lane itself: while it is locked nobody can take the lane away (hold() locks it for UPDATE), and
// several of these go on beside each other and beside a commit, which locks it for NO KEY UPDATE.
// Whoever takes a lane away must lock it FOR UPDATE first, as hold() does: a plain UPDATE of its
// owner would not be seen by one that began before it.
[[nodiscard]] const std::string &holdingTheLane();

// $1 and $2 as above, $3 attempts, $4 hashes, $5 blocks.
[[nodiscard]] const Write &markMined();

// Nonces, signed bytes and MarkTxInFlight in one commit, for all of them or for none (see
// LaneStore::commit). $1 lane, $2 claimer, $3 first nonce, $4 request ids, $5 hashes, $6 max fees,
// $7 priority fees, $8 gas limits, $9 no-ops, $10 raw bytes. Rows, one for each request in the
// order given: the next nonce when the lane is the claimer's, whether the request is, the attempt
// and kMove when all was written.
[[nodiscard]] const Write &commitAttempts();

// Takes a gateway id from a request that waits for its answer, because the chain says now that it
// is the id of another, whose receipt is about to be stored. $1 that other, $2 gateway id. Rows:
// who had it.
[[nodiscard]] const Write &freeGatewayId();

// A nonce that the chain has given back. Its request, if it had its receipt by that transaction,
// loses the gateway id that came with it: the next receipt brings another, or the same again, and
// until then no other request is kept from it. If it was to be sent anew, it is on its way again,
// whoever has claimed it for that. $1 lane, $2 claimer, $3 attempt. Rows: the attempt, the request
// that moved or null, kMove.
[[nodiscard]] const Write &reopenAttempt();

// Another hash and gateway id for a request that has its receipt. $1 id, $2 hash it has now or
// null, $3 new hash, $4 new gateway id. Rows: its id and kind.
[[nodiscard]] const Write &replaceReceipt();

// Answers and shares are kept first; that they are here says nothing about the request.
// $1 kinds, $2 gateway ids, $3 accepted, $4 results, $5 response tx hashes. Rows: kind, gateway_id.
[[nodiscard]] const Write &keepAnswers();
// $1 gateway ids, $2 share indexes, $3 payloads, $4 signatures, $5 extra data, $6 response tx
// hashes. Rows: gateway_id, share_index of the shares that are new.
[[nodiscard]] const Write &keepShares();

// Ends the requests whose answer (or enough of whose shares) is here: Complete or Reject.
// $1 kinds, $2 gateway ids. Rows: kind, gateway_id, status.
[[nodiscard]] const Write &settleAnswers();
// $1 gateway ids. Rows: gateway_id.
[[nodiscard]] const Write &settleShares();

// Ends some that have been in their status for too long (core/overdue.h). $1 kind, $2 milliseconds,
// $3 how many at the most, $4 error code, $5 error detail. Rows: their ids and kMove. A transaction
// that is on its way is left to who sends it.
[[nodiscard]] const Write &overdue(core::Status status);

// Two CTEs of a walk over what lives, in its order: `page`, with $2 rows at the most behind the
// kind $3 and the ticket $4, each with a `place` for lookedUpOneByOne; and `last`, the kind and
// ticket that the next page begins behind, without a row when this one is not full. A walk costs
// what there is once; pages that each search everything for what is left to do cost the square of
// it.
[[nodiscard]] std::string pageOfLive();

// What a claimer holds, by pages. $1 claimer, $2 to $4 the page, $5 a status where there is one to
// name. Rows: id, whether it goes back to `processing`, kind and ticket of a place, kMove of those
// that go back; the place is that of `last`, and stands behind the others.
//
// Recover for what it holds in flight.
[[nodiscard]] const Write &recoverHeld();
// What it holds in a status, and of which nothing is on its way, is given back.
[[nodiscard]] const Write &releaseHeld();
// What it held and is not coming back for becomes anybody's, but what is in `processing` and on its
// way: that is the next holder's of its lane.
[[nodiscard]] const Write &abandoned();

// Every column of request r in the order of the generated class, with the payload or without it,
// and without the trail.
enum class Payload
{
    Taken,
    Left,
};
[[nodiscard]] std::string columns(Payload payload);
inline constexpr std::size_t kColumns = 23;

// What pollers are shown. $1 job ids. Every column of the generated class, null where nobody looks:
// what is null is not written, sent or read. Behind them the milliseconds in this status, of one
// that has ended the answer, and the place of its id in $1, from 1.
[[nodiscard]] const std::string &polls();
// The same. $1 ids of requests.
[[nodiscard]] const std::string &pollAll();
}  // namespace relayer::models::sql
