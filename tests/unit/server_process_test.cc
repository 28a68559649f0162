// What a program under test says about itself is heard, also where the test does not listen.
#include "support/server_process.h"

#include "support/sanitizer_reports.h"

#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <unistd.h>

namespace relayer::test
{
namespace
{
// In place of the program, for as long as this lives.
class FakeProgram
{
  public:
    explicit FakeProgram(const std::string &line)
        : path_("/var/tmp/relayer-fake-program." + std::to_string(getpid()))
    {
        if (const char *before = std::getenv("RELAYER_BIN"); before != nullptr)
        {
            before_ = before;
        }
        std::ofstream(path_) << "#!/bin/sh\necho before\necho '" << line
                             << "' >&2\necho after\nexec tail -f /dev/null\n";
        std::filesystem::permissions(path_, std::filesystem::perms::owner_all);
        setenv("RELAYER_BIN", path_.c_str(), 1);
    }
    ~FakeProgram()
    {
        if (before_)
        {
            setenv("RELAYER_BIN", before_->c_str(), 1);
        }
        else
        {
            unsetenv("RELAYER_BIN");
        }
        std::error_code ignored;
        std::filesystem::remove(path_, ignored);
    }
    FakeProgram(const FakeProgram &) = delete;
    FakeProgram &operator=(const FakeProgram &) = delete;

  private:
    const std::string path_;
    std::optional<std::string> before_;
};

// Started, listened to for a moment, and forgotten.
void runIt()
{
    ServerProcess server(ServerOptions{});
    ASSERT_TRUE(server.printed("after")) << server.output();
}
}  // namespace

TEST(ServerProcess, WhatASanitizerReportsOfTheProgramFailsTheTest)
{
    for (const std::string line :
         {"WARNING: ThreadSanitizer: data race (pid=7)",
          "==7==ERROR: AddressSanitizer: heap-use-after-free on address 0x7",
          "==7==ERROR: LeakSanitizer: detected memory leaks",
          "core/bytes.cc:7:7: runtime error: signed integer overflow"})
    {
        const FakeProgram program(line);
        EXPECT_NONFATAL_FAILURE(runIt(), line);
    }
}

TEST(ServerProcess, WhatTheProgramSaysByItselfIsNoReport)
{
    const FakeProgram program("step=heartbeat_failed why=std::runtime_error: sanitized");
    runIt();
}

TEST(SanitizerReport, BeginsWithItsLineAndEndsAfterAPage)
{
    EXPECT_EQ(sanitizerReport(""), "");
    EXPECT_EQ(sanitizerReport("step=listening\nstep=enrolled\n"), "");
    EXPECT_EQ(sanitizerReport("one\n==7==ERROR: AddressSanitizer: two\nthree\n"),
              "==7==ERROR: AddressSanitizer: two\nthree\n");
    EXPECT_EQ(sanitizerReport("x.cc:1:2: runtime error: load\n" + std::string(100'000, '.')).size(),
              6000U);
}
}  // namespace relayer::test
