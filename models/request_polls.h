// What pollers are shown, read for all who ask at the same time in one statement: a poll by itself
// is cheap, and its way to the database and back is not.
#pragma once

#include "core/job_id.h"
#include "models/connections.h"
#include "models/generated/Request.h"
#include "models/group_commit.h"

#include <chrono>
#include <memory>
#include <optional>
#include <vector>

namespace relayer::models
{
using RequestRow = drogon_model::relayer::Request;

struct Poll
{
    RequestRow row;                         // as far as it is shown (sql::polls)
    std::chrono::milliseconds inStatus{0};  // on the database's clock
    std::optional<core::Bytes> result;
};

template <>
struct GroupItem<core::JobId>
{
    static std::size_t bytes(const core::JobId &) { return sizeof(core::JobId); }
    static std::optional<std::uint64_t> alone(const core::JobId &) { return std::nullopt; }
    static constexpr bool kRepeatable = true;
};

// A row of sql::polls or sql::pollAll.
[[nodiscard]] Poll pollFrom(const drogon::orm::Row &row);
// Nothing where there is no such job.
drogon::Task<std::vector<std::optional<Poll>>> readPolls(
    ConnectionsPtr reader, std::shared_ptr<const std::vector<const core::JobId *>> batch);
}  // namespace relayer::models
