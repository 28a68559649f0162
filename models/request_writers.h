// Writes one batch each: from the items of a GroupCommit to one statement and back to outcomes.
#pragma once

#include "models/connections.h"
#include "models/request_types.h"
#include "models/status_news.h"

#include <memory>
#include <vector>

namespace relayer::models
{
template <typename Item>
using BatchOf = std::shared_ptr<const std::vector<const Item *>>;

// Its columns from there on are sql::kMove.
[[nodiscard]] Move moveFrom(RequestId id, const drogon::orm::Row &row, std::size_t column);
// A row of sql::admit or sql::join; not fresh.
[[nodiscard]] Admission admissionFrom(const drogon::orm::Row &row);
drogon::Task<std::vector<Admission>> writeAdmissions(ConnectionsPtr client,
                                                     BatchOf<NewRequest> batch);
// All steps of the batch are of one transition. What moved is told.
drogon::Task<std::vector<StepResult>> writeSteps(ConnectionsPtr client, core::Transition transition,
                                                 BatchOf<Step> batch, StatusNewsPtr news);
// True where the answer or share was not known yet.
drogon::Task<std::vector<bool>> writeAnswers(ConnectionsPtr client, BatchOf<Answer> batch);
drogon::Task<std::vector<bool>> writeShares(ConnectionsPtr client, BatchOf<Share> batch);
// The status in which this very statement ended the request, if it did; then that is told.
drogon::Task<std::vector<std::optional<core::Status>>> writeSettlements(ConnectionsPtr client,
                                                                        BatchOf<Settlement> batch,
                                                                        StatusNewsPtr news);
}  // namespace relayer::models
