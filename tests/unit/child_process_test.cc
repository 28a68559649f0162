#include "plugins/child_process.h"

#include <gtest/gtest.h>

#include <thread>

namespace relayer::plugins
{
namespace
{
using End = ChildResult::End;
using namespace std::chrono_literals;

const std::atomic<bool> kGoOn{false};

std::vector<std::string> shell(const std::string &script)
{
    return {"/bin/sh", "-c", script};
}

ChildResult run(const std::string &script, const std::string &input = "", ChildLimits limits = {})
{
    return runChild(shell(script), input, limits, kGoOn);
}

TEST(ChildProcess, GetsItsInputAndIsReadToItsEnd)
{
    const std::string input(300'000, 'x');
    const ChildResult result = run("cat", input);
    EXPECT_EQ(result.end, End::Exited);
    EXPECT_EQ(result.code, 0);
    EXPECT_EQ(result.output, input);
}

TEST(ChildProcess, ItsExitIsTold)
{
    EXPECT_EQ(run("exit 7").code, 7);
    EXPECT_EQ(run("kill -SEGV $$").end, End::Crashed);
    EXPECT_EQ(run("echo only half; exit 3", std::string(1'000'000, 'x')).output, "only half\n");
}

TEST(ChildProcess, WhatDoesNotEndIsEnded)
{
    ChildLimits limits;
    limits.deadline = 300ms;
    const auto start = std::chrono::steady_clock::now();
    EXPECT_EQ(run("sleep 1000 & sleep 1000", "", limits).end, End::TooSlow);
    EXPECT_LT(std::chrono::steady_clock::now() - start, 60s);
    EXPECT_EQ(run("exec 1>&- 0<&-; sleep 1000", "", limits).end, End::TooSlow);
    EXPECT_EQ(run("exec 1>&- 0<&-; exit 5").code, 5);
}

TEST(ChildProcess, WhatTalksTooMuchIsEnded)
{
    ChildLimits limits;
    limits.output = 10'000;
    EXPECT_EQ(run("cat /dev/zero", "", limits).end, End::TooMuch);
}

TEST(ChildProcess, ItsMemoryIsLimited)
{
    ChildLimits limits;
    limits.memory = 64UL << 20U;
    EXPECT_EQ(run("ulimit -v", "", limits).output, "65536\n");
    EXPECT_EQ(run("ulimit -c", "", limits).output, "0\n");
}

TEST(ChildProcess, AStopEndsIt)
{
    std::atomic<bool> stopping{false};
    ChildResult result;
    {
        const std::jthread thread(
            [&] { result = runChild(shell("echo begun; sleep 1000"), "", {}, stopping); });
        stopping = true;
    }
    EXPECT_EQ(result.end, End::Stopped);
}

TEST(ChildProcess, WhatIsNotThereIsNotStarted)
{
    EXPECT_EQ(runChild({}, "", {}, kGoOn).end, End::NotStarted);
    EXPECT_EQ(runChild({"/nowhere/prover"}, "", {}, kGoOn).end, End::NotStarted);
}

TEST(ChildProcess, ItInheritsNoSecretAndNoDescriptor)
{
    ASSERT_EQ(::setenv("RELAYER_TEST_SECRET", "hidden", 1), 0);
    const std::string seen = run("env; ls /proc/self/fd | wc -l").output;
    EXPECT_EQ(seen.find("hidden"), std::string::npos);
    // in, out, error, and the folder that ls reads
    EXPECT_NE(seen.find("\n4\n"), std::string::npos) << seen;
}
}  // namespace
}  // namespace relayer::plugins
