// Statements by which an operator moves one request; each writes down who did it. A part of
// request_sql.h.
#pragma once

#include "models/write.h"

#include <string>

namespace relayer::models::sql
{
// FailInternally, whoever has claimed it. $1 job id, $2 error code, $3 error detail, $4 actor.
// Rows: found, moved, its id.
[[nodiscard]] const Write &failByOperator();

// Recover, and nobody's again, so that the next who has room sends it anew: not while a transaction
// of it may still be mined. $1 job id, $2 actor. Rows: found, moved, on its way, its id.
[[nodiscard]] const Write &dispatchAgain();

// A new request with the content of one that has ended, which does not stand for it any more.
// $1 job id, $2 the new job id, $3 actor. Rows: found, ended, whether there is a new one.
[[nodiscard]] const Write &submitAnew();
}  // namespace relayer::models::sql
