// Reads a body by the table of its kind, in the stages of the reference: parse, shape (missing
// fields, wrong types, fields that nobody knows), rules. Within the first stage that fails, all
// that is wrong is listed, as far as the limit of problems goes.
//
// The details name fields as the reference names them, since clients look at those; the message
// names each by its whole path.
#pragma once

#include "wire/labels.h"
#include "wire/request_table.h"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace relayer::wire
{
// What stands in the body for a field.
struct Value
{
    bool present = false;
    std::string_view text;      // of a text or a number; a view into the body or its document
    std::vector<Value> inside;  // an object's members in the order of the table, a list's elements
};

struct BodyRead
{
    JsonDocument document;  // what the values point into
    Value root;
    std::optional<Problem> problem;  // then the values mean nothing
};

// The body must outlive what is read.
[[nodiscard]] BodyRead readBody(std::string_view body, const RequestTable &table,
                                const RequestLimits &limits, std::uint64_t now);
}  // namespace relayer::wire
