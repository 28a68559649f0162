// What a lane has open and what it had mined: how attempts are read. Part of lane_store.h.
#include "models/execute.h"
#include "models/lane_store.h"
#include "models/pg_values.h"

#include <array>
#include <string_view>
#include <utility>

namespace relayer::models
{
using drogon::Task;
using drogon::orm::Result;
using drogon::orm::Row;

namespace
{
AttemptState stateOf(std::string_view text)
{
    static constexpr std::array<std::string_view, 4> kNames = {"signed", "mined", "dropped",
                                                               "consumed"};
    for (std::size_t i = 0; i < kNames.size(); ++i)
    {
        if (kNames[i] == text)
        {
            return static_cast<AttemptState>(i);
        }
    }
    throw StoreError(StoreError::Code::Refused, "the database returned an unknown state");
}

// The columns of an attempt, its request and one version, in the order in which they are read.
constexpr const char *kAttemptColumns =
    "SELECT a.id, a.nonce, a.sends, a.state, a.closing_code, a.closing_detail, a.request_id,"
    " r.kind, r.status, r.owner, greatest(0, floor(extract(epoch FROM now() - a.created_at)))"
    "::bigint, v.hash, v.raw, v.max_fee_per_gas, v.max_priority_fee_per_gas, v.gas_limit, v.no_op"
    " FROM a LEFT JOIN request r ON r.id = a.request_id"
    " LEFT JOIN tx_version v ON v.attempt_id = a.id ORDER BY a.nonce, v.created_at, v.hash";

StoredAttempt attemptFrom(const Row &row)
{
    StoredAttempt attempt;
    attempt.id = row[0].as<std::int64_t>();
    attempt.nonce = row[1].as<std::int64_t>();
    attempt.sends = row[2].as<std::int32_t>();
    attempt.state = stateOf(row[3].as<std::string_view>());
    if (!row[4].isNull())
    {
        const auto code = core::parseFailureCode(row[4].as<std::string_view>());
        attempt.closingWith = core::Failure{code.value_or(core::FailureCode::Internal),
                                            row[5].isNull() ? "" : row[5].as<std::string>()};
    }
    if (!row[6].isNull())
    {
        attempt.request = row[6].as<std::int64_t>();
    }
    if (!row[7].isNull() && !row[8].isNull())
    {
        const auto kind = core::parseKind(row[7].as<std::string_view>());
        const auto status = core::parseStatus(row[8].as<std::string_view>());
        attempt.kind = kind.value_or(attempt.kind);
        attempt.status = status.value_or(attempt.status);
    }
    if (!row[9].isNull())
    {
        attempt.owner = row[9].as<std::int64_t>();
    }
    attempt.secondsOld = row[10].as<std::int64_t>();
    return attempt;
}

std::vector<StoredAttempt> attemptsFrom(const Result &rows)
{
    std::vector<StoredAttempt> attempts;
    for (const auto &row : rows)
    {
        if (attempts.empty() || attempts.back().id != row[0].as<std::int64_t>())
        {
            attempts.push_back(attemptFrom(row));
        }
        if (row[11].isNull())
        {
            continue;
        }
        TxVersion version;
        version.hash = hashOf(row[11]);
        version.raw = bytesOf(row[12]);
        version.maxFeePerGas = row[13].as<std::string>();
        version.maxPriorityFeePerGas = row[14].as<std::string>();
        version.gasLimit = unsignedOf(row[15]);
        version.noOp = row[16].as<bool>();
        attempts.back().versions.push_back(std::move(version));
    }
    return attempts;
}
}  // namespace

Task<std::vector<StoredAttempt>> LaneStore::openAttempts(std::string lane, std::int64_t fromNonce,
                                                         std::size_t limit)
{
    static const std::string text =
        std::string(
            "WITH a AS MATERIALIZED (SELECT * FROM tx_attempt WHERE lane = $1::text"
            " AND open AND nonce >= $2::bigint ORDER BY nonce LIMIT $3::bigint)\n") +
        kAttemptColumns;
    const Result rows =
        co_await executeTwice(writer_, &text, lane, fromNonce, static_cast<std::int64_t>(limit));
    co_return attemptsFrom(rows);
}

Task<std::vector<StoredAttempt>> LaneStore::minedSince(std::string lane, std::int64_t block,
                                                       std::int64_t nonce, std::size_t limit)
{
    static const std::string text =
        std::string(
            "WITH a AS MATERIALIZED ((SELECT * FROM tx_attempt WHERE lane = $1::text"
            " AND mined_block >= $2::bigint ORDER BY mined_block, nonce LIMIT $4::bigint)"
            " UNION (SELECT * FROM tx_attempt WHERE lane = $1::text AND nonce >= $3::bigint"
            " AND state = 'mined' ORDER BY nonce LIMIT $4::bigint))\n") +
        kAttemptColumns;
    const Result rows =
        co_await executeTwice(writer_, &text, lane, block, nonce, static_cast<std::int64_t>(limit));
    co_return attemptsFrom(rows);
}
}  // namespace relayer::models
