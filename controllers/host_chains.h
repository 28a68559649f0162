// Whether we serve the host chains that a request has handles of. Functions without state; any
// thread.
#pragma once

#include "core/decrypt.h"
#include "wire/labels.h"

#include <optional>

namespace relayer::controllers
{
// The first chain of its handles that is not ours.
[[nodiscard]] std::optional<wire::Problem> chainProblem(const core::PublicDecrypt &decrypt);
[[nodiscard]] std::optional<wire::Problem> chainProblem(const core::UserDecrypt &decrypt);
}  // namespace relayer::controllers
