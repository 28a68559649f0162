// The stage of shapes: whether each field of a table is there, and has its type. A part of
// fields.h.
#pragma once

#include "wire/fields.h"

namespace relayer::wire
{
struct ShapeRead
{
    Value root;
    std::optional<Problem> problem;
};

[[nodiscard]] ShapeRead readShape(const Json &root, const RequestTable &table,
                                  std::size_t problemsMax);
}  // namespace relayer::wire
