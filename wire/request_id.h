// X-Request-ID: which values of a client are taken as they are.
#pragma once

#include <string_view>

namespace relayer::wire
{
// It goes into a header, a body and the log, so only what means nothing in any of them passes:
// letters, digits and - _ . : up to 128 of them.
[[nodiscard]] bool isSaneRequestId(std::string_view text);
}  // namespace relayer::wire
