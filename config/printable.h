#pragma once

#include <span>
#include <string>
#include <string_view>

namespace relayer::config
{
// What an operator typed, on its way back to the operator.

bool hasControlCharacters(std::string_view text);

/// Cut at 60 bytes, control characters replaced: fit for one line of a terminal or a log.
std::string printable(std::string_view text);
std::string inQuotes(std::string_view text);

/// ` (did you mean level?)` when one of the names is a typing error away from `name`, else nothing.
std::string didYouMean(std::string_view name, std::span<const std::string> names);
}  // namespace relayer::config
