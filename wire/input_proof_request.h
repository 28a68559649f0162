// POST /v2/input-proof: from the body to decoded values.
#pragma once

#include "core/input_proof.h"
#include "wire/labels.h"
#include "wire/request_table.h"

#include <string_view>
#include <variant>

namespace relayer::wire
{
[[nodiscard]] std::variant<core::InputProof, Problem> readInputProof(
    std::string_view body, const RequestLimits &limits = {});
}  // namespace relayer::wire
