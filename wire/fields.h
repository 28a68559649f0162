// Reads the fields of a request by a table of them, in the stages of the reference: parse, shape
// (missing fields and wrong types), rules. Within the first stage that fails, all that is wrong is
// listed, each by the path of its field.
//
// A request kind is a table:
//
//     constexpr std::array kFields = {
//         FieldRule{"contractChainId", FieldType::ChainId, {checkChainId}}, ...};
#pragma once

#include "wire/labels.h"
#include "wire/rules.h"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace relayer::wire
{
enum class FieldType : std::uint8_t
{
    Text,
    // A text or a number; a number counts as it is written. The reference reads it with code of its
    // own, so another type is malformed JSON there, not a wrong type.
    ChainId,
};

struct FieldRule
{
    std::string_view name;
    FieldType type;
    // Every check that fails is reported. Unused places are null.
    std::array<Check, 2> checks{};
};

class Json;
struct FieldsRead
{
    // In the order of the table, whose order is that in which the reference declares them. Views
    // into the JSON that was read.
    std::vector<std::string_view> values;
    std::optional<Problem> problem;
};

// Members that the table does not know are passed over. A list of the right length stands for an
// object with its values in the table's order, as the reference takes it.
[[nodiscard]] FieldsRead readFields(const Json &root, std::span<const FieldRule> table);

[[nodiscard]] Problem malformedJson(std::string_view why);
}  // namespace relayer::wire
