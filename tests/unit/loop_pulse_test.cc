// Loops that turn, and loops that do not.
#include "plugins/loop_pulse.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>

namespace relayer::test
{
namespace
{
using plugins::LoopPulse;
using plugins::OwnLoop;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Everything that was queued there before has run.
void settle(const OwnLoop &loop)
{
    std::promise<void> done;
    loop.get()->queueInLoop([&done] { done.set_value(); });
    done.get_future().wait();
}

TEST(LoopPulse, NamesTheLoopsThatDoNotAnswerAndOnlyThose)
{
    OwnLoop quick("quick");
    OwnLoop slow("slow");
    LoopPulse pulse(OwnLoop::each);
    EXPECT_THAT(pulse.silent(), IsEmpty()) << "nobody has been asked before";
    settle(quick);
    settle(slow);
    EXPECT_THAT(pulse.silent(), IsEmpty());

    std::promise<void> release;
    slow.get()->queueInLoop([held = release.get_future().share()] { held.wait(); });
    settle(quick);
    static_cast<void>(pulse.silent());
    settle(quick);
    EXPECT_THAT(pulse.silent(), ElementsAre("slow"));
    release.set_value();
    settle(quick);
    settle(slow);
    EXPECT_THAT(pulse.silent(), IsEmpty());
}

TEST(LoopPulse, ALoopThatHasGoneIsNotMissed)
{
    const OwnLoop stays("stays");
    LoopPulse pulse(OwnLoop::each);
    {
        const OwnLoop goes("goes");
        static_cast<void>(pulse.silent());
        settle(goes);
        settle(stays);
        EXPECT_THAT(pulse.silent(), IsEmpty());
        settle(goes);
    }
    settle(stays);
    EXPECT_THAT(pulse.silent(), IsEmpty());
    settle(stays);
    EXPECT_THAT(pulse.silent(), IsEmpty());
}
}  // namespace
}  // namespace relayer::test
