// The statements on the request table. The guards are made from the table in core/lifecycle.h; no
// other file writes a status. Text is built once and lives as long as the program, because Drogon
// keeps views of it.
//
// Every statement takes arrays and handles a whole batch. Rows are locked in the order of their id
// before they are changed, so that two batches with rows in common wait for each other and never
// deadlock.
#pragma once

#include "core/lifecycle.h"

#include <cstddef>
#include <string>
#include <string_view>

namespace relayer::models::sql
{
// "(r.kind = 'input_proof' AND r.status = 'processing') OR ...": exact equality for one status, a
// list for more, nothing about statuses that are not allowed.
[[nodiscard]] std::string guard(core::Transition transition);

// Parameters: $1 job ids, $2 kinds, $3 variants, $4 statuses, $5 content hashes, $6 payloads,
// $7 thresholds. Rows: kind, content_hash, id, job_id, status of the requests that are new. This
// statement alone decides who of many is the first; whose content has no row here joins another's.
[[nodiscard]] const std::string &admit();

// The requests that stand for contents. $1 kinds, $2 content hashes; rows as above. A content may
// have no row when its request ended in between: admit again.
[[nodiscard]] const std::string &join();

// Parameters: $1 ids, $2 claimers, $3 tx hashes, $4 gateway ids, $5 error codes, $6 error details.
// Rows: the ids that were moved. Not for Complete and Reject, which come from answers.
[[nodiscard]] const std::string &transition(core::Transition transition);

// Answers and shares are kept first; that they are here says nothing about the request.
// $1 kinds, $2 gateway ids, $3 accepted, $4 results, $5 response tx hashes. Rows: kind, gateway_id.
[[nodiscard]] const std::string &keepAnswers();
// $1 gateway ids, $2 share indexes, $3 payloads, $4 signatures, $5 extra data, $6 response tx
// hashes. Rows: gateway_id, share_index of the shares that are new.
[[nodiscard]] const std::string &keepShares();

// Ends the requests whose answer (or enough of whose shares) is here: Complete or Reject.
// $1 kinds, $2 gateway ids. Rows: kind, gateway_id, status.
[[nodiscard]] const std::string &settleAnswers();
// $1 gateway ids. Rows: gateway_id.
[[nodiscard]] const std::string &settleShares();

// Every column of request r in the order of the generated class, with the payload or without it.
enum class Payload
{
    Taken,
    Left,
};
[[nodiscard]] std::string columns(Payload payload);
inline constexpr std::size_t kColumns = 21;
}  // namespace relayer::models::sql
