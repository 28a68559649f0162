// A PostgreSQL array in its binary form, bound as one parameter of a statement. Drogon can not bind
// arrays, but it passes raw binary parameters through, and the server reads them as the type the
// statement casts them to ($1::bytea[]). Binary: a payload is not doubled into hexadecimal on its
// way.
#pragma once

#include "core/bytes.h"

#include <drogon/orm/SqlBinder.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace relayer::models
{
// The types that the stores send. The numbers are PostgreSQL's own and never change.
enum class PgType : std::uint32_t
{
    Bool = 16,
    Bytea = 17,
    Int8 = 20,
    Int4 = 23,
    Text = 25,
    Uuid = 2950,
};

class PgArray
{
  public:
    explicit PgArray(PgType type);

    // Bytea, Uuid (16 bytes) and Text (valid UTF-8 without NUL) take bytes.
    void add(core::ByteView bytes);
    void add(std::string_view text);
    void add(std::int64_t number);  // Int8
    void add(std::int32_t number);  // Int4
    void add(bool flag);            // Bool
    void addNull();

    template <typename Value>
    void add(const std::optional<Value> &value)
    {
        value ? add(*value) : addNull();
    }

    // Ends the building: the bytes move into the parameter.
    [[nodiscard]] drogon::orm::RawParameter finish() &&;

  private:
    void append32(std::uint32_t number);

    std::string bytes_;
    std::uint32_t count_ = 0;
    bool hasNull_ = false;
    PgType type_;
};
}  // namespace relayer::models
