// Places where a test lets the process die as kill -9 would, to prove that a restart finds its way.
//
//     RELAYER_FAIL_POINT=committed:3      the third time it comes past "committed"
//
// Nothing in production sets the variable; a place that is not named costs one comparison.
#pragma once

#include <string_view>

namespace relayer::plugins
{
void failPoint(std::string_view place);
}  // namespace relayer::plugins
