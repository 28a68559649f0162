// How ./test runs the tests this time.
#pragma once

namespace relayer::test
{
// ./test --full: the long variants.
[[nodiscard]] bool fullTests();
// A sanitizer takes time and memory: numbers of either say nothing about the program then.
[[nodiscard]] bool underSanitizer();
}  // namespace relayer::test
