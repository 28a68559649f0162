#include "support/test_mode.h"

#include <cstdlib>
#include <string_view>

namespace relayer::test
{
bool fullTests()
{
    // NOLINTNEXTLINE(concurrency-mt-unsafe): nobody of ours sets variables
    const char *const wanted = std::getenv("RELAYER_TEST_FULL");
    return wanted != nullptr && std::string_view(wanted) == "1";
}

bool underSanitizer()
{
    return std::getenv("RELAYER_TEST_SANITIZER") != nullptr;  // NOLINT(concurrency-mt-unsafe)
}
}  // namespace relayer::test
