// What is said to a service manager, through real sockets.
#include "config/service_notices.h"

#include "support/notify_socket.h"

#include <gtest/gtest.h>

namespace relayer::test
{
namespace
{
using config::ServiceNotices;
using std::chrono::microseconds;

constexpr std::int64_t kOwnPid = 4711;

TEST(ServiceNotices, ReachASocketAtAPathAndOneWithAnAbstractName)
{
    for (const auto kind : {NotifySocket::Kind::Path, NotifySocket::Kind::Abstract})
    {
        NotifySocket manager(kind);
        const ServiceNotices notices({manager.name(), "", ""}, kOwnPid);
        notices.ready("listening");
        EXPECT_EQ(manager.next(), "READY=1\nSTATUS=listening");
        notices.status("two\nlines");
        EXPECT_EQ(manager.next(), "STATUS=two lines");
        notices.alive();
        EXPECT_EQ(manager.next(), "WATCHDOG=1");
        notices.stopping("draining");
        EXPECT_EQ(manager.next(), "STOPPING=1\nSTATUS=draining");
    }
}

TEST(ServiceNotices, GoNowhereWithoutASocketOrWithOneThatIsNone)
{
    for (const std::string name : {"", "relative", "/there/is/no/such/socket", "/very/long"})
    {
        const std::string socket = name == "/very/long" ? name + std::string(200, 'x') : name;
        const ServiceNotices notices({socket, "1000", ""}, kOwnPid);
        notices.ready("listening");
        notices.alive();
    }
    EXPECT_FALSE(ServiceNotices({"", "1000", ""}, kOwnPid).watchdog());
}

TEST(ServiceNotices, DoNotWaitForAManagerThatDoesNotRead)
{
    NotifySocket manager(NotifySocket::Kind::Path);
    const ServiceNotices notices({manager.name(), "", ""}, kOwnPid);
    constexpr int kMany = 100'000;
    for (int i = 0; i < kMany; ++i)
    {
        notices.status("a queue of datagrams is a few hundred long");
    }
    int heard = 0;
    while (manager.next(std::chrono::milliseconds(0)))
    {
        ++heard;
    }
    EXPECT_GT(heard, 0);
    EXPECT_LT(heard, kMany) << "what found no room was dropped";
}

TEST(ServiceNotices, AWatchdogIsForWhomItNames)
{
    const NotifySocket manager(NotifySocket::Kind::Path);
    const auto watchdog = [&](const std::string &usec, const std::string &pid) {
        return ServiceNotices({manager.name(), usec, pid}, kOwnPid).watchdog();
    };
    EXPECT_EQ(watchdog("30000000", ""), microseconds(30'000'000));
    EXPECT_EQ(watchdog("30000000", "4711"), microseconds(30'000'000));
    EXPECT_EQ(watchdog("30000000", "4712"), std::nullopt);
    EXPECT_EQ(watchdog("30s", ""), std::nullopt);
    EXPECT_EQ(watchdog("0", ""), std::nullopt);
    EXPECT_EQ(watchdog("", ""), std::nullopt);
}
}  // namespace
}  // namespace relayer::test
