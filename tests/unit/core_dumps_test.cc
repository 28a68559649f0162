// What keeps our memory from whoever collects crashes.
#include "plugins/core_dumps.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace relayer::plugins
{
namespace
{
struct Left
{
    bool dumpable = false;
    bool limited = false;
};

// What is left in a process that has asked; in one of its own, since there is no way back.
Left leftAfterRefusing(const char *wanted)
{
    const pid_t child = fork();
    if (child == 0)
    {
        if (wanted != nullptr)
        {
            setenv("RELAYER_CORE_DUMPS", wanted, 1);  // NOLINT(concurrency-mt-unsafe): one thread
        }
        refuseCoreDumps();
        rlimit limit{1, 1};
        getrlimit(RLIMIT_CORE, &limit);
        const int dumpable = prctl(PR_GET_DUMPABLE);  // NOLINT(cppcoreguidelines-pro-type-vararg)
        _exit((dumpable != 0 ? 1 : 0) + (limit.rlim_cur == 0 && limit.rlim_max == 0 ? 2 : 0));
    }
    int status = -1;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status)) << status;
    return {(WEXITSTATUS(status) & 1) != 0, (WEXITSTATUS(status) & 2) != 0};
}

TEST(CoreDumps, AProcessThatRefusesThemIsNotDumpableAndHasNoLimitToRaise)
{
    const Left left = leftAfterRefusing(nullptr);
    EXPECT_TRUE(left.limited);
#ifndef __SANITIZE_ADDRESS__  // see refuseCoreDumps()
    EXPECT_FALSE(left.dumpable);
#endif
}

TEST(CoreDumps, AreLeftAsTheyAreForWhoAsks)
{
    EXPECT_TRUE(leftAfterRefusing("yes").dumpable);
    EXPECT_TRUE(leftAfterRefusing("no").limited);
}
}  // namespace
}  // namespace relayer::plugins
