// What a sanitizer had to say about a program, in what that program wrote.
#pragma once

#include <string>
#include <string_view>

namespace relayer::test
{
// From the first line that begins a report, a page of it at the most; empty: there is none.
[[nodiscard]] std::string sanitizerReport(std::string_view output);
}  // namespace relayer::test
