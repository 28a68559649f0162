// Single values on their way to PostgreSQL and back.
#pragma once

#include "core/bytes.h"
#include "core/content_hash.h"

#include <drogon/orm/Field.h>
#include <drogon/orm/SqlBinder.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace relayer::models
{
// Bytes that the server reads as the type the statement casts the parameter to.
[[nodiscard]] drogon::orm::RawParameter binaryParameter(std::string bytes);
[[nodiscard]] drogon::orm::RawParameter binaryParameter(core::ByteView bytes);
[[nodiscard]] drogon::orm::RawParameter nullParameter();
[[nodiscard]] drogon::orm::RawParameter binaryOrNull(const std::optional<core::Hash32> &hash);
// What statements multiply with interval '1 millisecond'.
[[nodiscard]] inline std::int64_t millis(std::chrono::milliseconds time)
{
    return static_cast<std::int64_t>(time.count());
}

// A number of milliseconds; a clock that was set back makes none of them negative.
[[nodiscard]] std::chrono::milliseconds millisFrom(const drogon::orm::Field &field);

// A bytea column that is not null. Throws StoreError::Refused when it is not what it must be.
[[nodiscard]] core::Bytes bytesOf(const drogon::orm::Field &field);
[[nodiscard]] core::Hash32 hashOf(const drogon::orm::Field &field);
// A whole number up to 2^64 - 1, which a bigint can not hold: it comes from a numeric column.
[[nodiscard]] std::uint64_t unsignedOf(const drogon::orm::Field &field);
}  // namespace relayer::models
