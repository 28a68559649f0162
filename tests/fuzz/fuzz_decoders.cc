// All fuzzers in one program; RELAYER_FUZZ_TARGET names the one to run (see kTargets). It aborts on
// bytes that break a check, and libFuzzer keeps them.
#include "fuzz/decoder_checks.h"

#include <cstdio>
#include <cstdlib>

namespace
{
const relayer::fuzz::Target *chosen = nullptr;
}

extern "C" int LLVMFuzzerInitialize(int *, char ***)
{
    const char *const name = std::getenv("RELAYER_FUZZ_TARGET");  // NOLINT(concurrency-mt-unsafe)
    for (const auto &target : relayer::fuzz::kTargets)
    {
        if (name != nullptr && target.name == name)
        {
            chosen = &target;
        }
    }
    if (chosen == nullptr)
    {
        std::fputs("RELAYER_FUZZ_TARGET names no target\n", stderr);
        std::abort();
    }
    return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    if (const char *const broken = chosen->check({data, size}))
    {
        std::fprintf(stderr, "%s\n", broken);
        std::abort();
    }
    return 0;
}
