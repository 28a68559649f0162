// A kind of request as data: the one place where its fields, their types, rules and limits stand.
// The decoder reads bodies by it (fields.h), and documents about the requests are made from it.
//
// The tables themselves are in request_tables.h.
#pragma once

#include "wire/rules.h"
#include "wire/strict_json.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace relayer::wire
{
enum class FieldType : std::uint8_t
{
    Text,
    // A text or a number; a number counts as it is written. The reference reads it with code of its
    // own, so another type is malformed JSON there, not a wrong type.
    ChainId,
    Object,      // with the fields of `members`
    TextList,    // texts; the rules are for each of them
    ObjectList,  // objects with the fields of `members`
};

// Which of the limits a list has.
enum class ListLimit : std::uint8_t
{
    None,
    Handles,
    Contracts,
};

// What a configuration may choose about bodies, beside their size.
struct RequestLimits
{
    JsonLimits json;
    // A gateway decrypts at most 2048 bits at once, and no type has less than 2; it takes 10
    // contracts.
    std::size_t handles = 1024;
    std::size_t contracts = 128;
    // How many problems of one body are listed.
    std::size_t problems = 64;

    [[nodiscard]] std::size_t of(ListLimit limit) const;
};

// Which field the problems of an object's members name: the reference says
// `attestedPayload.version`, but `requestValidity` whatever is wrong inside, and a list whichever
// of its elements is wrong.
enum class Blame : std::uint8_t
{
    Member,
    Whole,
};

struct RequestTable;

struct FieldRule
{
    std::string_view name;
    FieldType type = FieldType::Text;
    // Every rule that fails is reported. Unused places are null.
    std::array<const Rule *, 2> rules{};
    std::string_view description;
    // JSON. Empty for an object and a list of them, whose example is that of `members`.
    std::string_view example;
    const RequestTable *members = nullptr;
    Blame blame = Blame::Member;
    // Of a list.
    std::size_t atLeast = 0;
    ListLimit limit = ListLimit::None;
    // All fields of today are. One that is not has no value (Value::present) when it is left out.
    bool required = true;
};

// A rule about several members. It is asked when each of them is right by itself; `texts` are those
// of the members, in the order of the table.
struct WholeRule
{
    std::string_view words;
    Issue (*check)(std::span<const std::string_view> texts, std::uint64_t now) = nullptr;
};

struct RequestTable
{
    std::string_view name;  // of the schema
    std::string_view description;
    // In the order in which the reference declares them.
    std::span<const FieldRule> fields;
    bool unknownFieldsDenied = false;
    const WholeRule *whole = nullptr;
};

// A body in which every field has its example; timestamps are `now`, so that none has expired.
[[nodiscard]] std::string exampleOf(const RequestTable &table, std::uint64_t now);
}  // namespace relayer::wire
