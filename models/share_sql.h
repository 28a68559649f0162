// The statements on scheduled shares and their rounds. The guards are made from the table in
// core/share_lifecycle.h; no other file writes a state. Text lives as long as the program, because
// Drogon keeps views of it.
//
// What time it is comes as microseconds since 1970, or null for the database's own clock.
#pragma once

#include "core/share_lifecycle.h"
#include "models/write.h"

#include <string>

namespace relayer::models::sql
{
// $1 rounds, $2 proposals, $3 positions, $4 indexes, $5 digests, $6 witnesses, $7 their keys, $8
// submit_at, $9 ends of rounds, $10 now. Rows: place, whether the digest is that of the row that
// was inserted, whether this place inserted it. A place without a row: somebody else's is there.
[[nodiscard]] const Write &enqueueShares();
// $1 rounds, $2 proposals, $3 positions, $4 indexes, $5 digests. Rows: place, whether the digest is
// that of the row that is there.
[[nodiscard]] const std::string &knownShares();

// What is due, in order. What is due in the next $4 milliseconds is waited for. $1 claimer, $2
// limit, $3 now. Rows: id, round, proposal, position, index, witness, key, attempts, submit_at, end
// of the round, nullifier, tx hash, since when it has been due.
[[nodiscard]] const Write &takeShares();
// Every transition but Take, of a share that its claimer holds. $1 id, $2 claimer, $3 now, $4 wait
// in milliseconds, $5 error code. Rows: the id, if it was moved.
[[nodiscard]] const Write &moveShare(core::ShareTransition transition);
// What is sent for a share. $1 id, $2 claimer, $3 nullifier, $4 tx hash or null. Rows: the id.
[[nodiscard]] const Write &noteSentShare();
// Shares of claimers that are not coming back: their epoch is nobody's any more, or its instance
// has been silent for $1 milliseconds. At most $2. Rows: their ids.
[[nodiscard]] const Write &freeAbandonedShares();
// $1 now. One row: microseconds until the earliest share is due, and until the first round is over,
// by its row or by one of its shares; below 0 when they have been, null when there is none.
[[nodiscard]] const std::string &untilNextShare();

// $1 rounds. Rows: their ends.
[[nodiscard]] const std::string &endOfRound();
// $1 round, $2 end. The first who says it counts.
[[nodiscard]] const Write &rememberRound();
// $1 now. Rounds that are over and known by their shares alone become rows.
[[nodiscard]] const Write &adoptRounds();
// $1 now. Marks the rounds that are over, each once. Rows: the second as of which, whether any
// round is over, and then a round that was marked by this, or null, and its shares in each state.
[[nodiscard]] const Write &closeRounds();
// $1 as of which second, $2 limit. Rows: how many shares are gone.
[[nodiscard]] const Write &purgeShares();
// $1 as of which second. Rounds that are over and have no shares any more.
[[nodiscard]] const Write &purgeRounds();
// Rows of all rounds: round, shares in each state.
[[nodiscard]] const std::string &countShares();
}  // namespace relayer::models::sql
