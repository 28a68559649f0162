// The order of a stop, by a clock of the test's own.
#include "plugins/drain_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace relayer::test
{
namespace
{
using plugins::DrainRun;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class Draining : public testing::Test
{
  protected:
    DrainRun::Stage stage(std::string_view name)
    {
        return {name, [this, name] { begun_.emplace_back(name); },
                [this, name] { return left_[name]; }};
    }
    static DrainRun::TimePoint at(int second) { return DrainRun::TimePoint(seconds(second)); }
    DrainRun::Step step(std::vector<DrainRun::Stage> stages, int until, int notBefore = 0)
    {
        return {std::move(stages), at(until), at(notBefore)};
    }

    std::vector<std::string> begun_;
    std::map<std::string_view, std::size_t> left_;
};

TEST_F(Draining, BeginsTheStagesOfAStepTogetherAndTheNextStepWhenNothingIsLeft)
{
    left_["rows"] = 2;
    DrainRun run({step({stage("rows"), stage("sends")}, 10), step({stage("http")}, 20)});
    EXPECT_FALSE(run.tick(at(1)));
    EXPECT_THAT(begun_, ElementsAre("rows", "sends"));
    EXPECT_EQ(textOf(run.left()), "rows=2");
    EXPECT_FALSE(run.tick(at(2)));
    left_["rows"] = 0;
    left_["http"] = 1;
    EXPECT_FALSE(run.tick(at(3)));
    EXPECT_THAT(begun_, ElementsAre("rows", "sends", "http")) << "each begins once";
    left_["http"] = 0;
    EXPECT_TRUE(run.tick(at(4)));
    EXPECT_THAT(run.leftBehind(), IsEmpty());
    EXPECT_TRUE(run.tick(at(5))) << "it stays over";
}

TEST_F(Draining, IsOverAtOnceWhenNothingIsThere)
{
    DrainRun run({step({stage("rows")}, 10), step({stage("http")}, 20)});
    EXPECT_TRUE(run.tick(at(0)));
    EXPECT_THAT(begun_, ElementsAre("rows", "http"));
    EXPECT_EQ(textOf(run.leftBehind()), "nothing");
}

TEST_F(Draining, GoesOnToTheNextStepWhenTheTimeOfOneIsOverAndTellsWhatItLeft)
{
    left_["sends"] = 3;
    left_["http"] = 1;
    DrainRun run({step({stage("sends"), stage("rows")}, 10), step({stage("http")}, 20)});
    EXPECT_FALSE(run.tick(at(9)));
    EXPECT_THAT(begun_, ElementsAre("sends", "rows"));
    EXPECT_FALSE(run.tick(at(10)));
    EXPECT_THAT(begun_, ElementsAre("sends", "rows", "http"));
    EXPECT_EQ(textOf(run.left()), "http=1") << "what was left behind is not waited for";
    EXPECT_TRUE(run.tick(at(20)));
    EXPECT_EQ(textOf(run.leftBehind()), "sends=3 http=1");
}

TEST_F(Draining, IsNotOverBeforeItsPauseIs)
{
    DrainRun run({step({stage("http")}, 20, 5)});
    EXPECT_FALSE(run.tick(at(4)));
    EXPECT_TRUE(run.tick(at(5)));
    EXPECT_EQ(textOf(run.leftBehind()), "nothing");
}
}  // namespace
}  // namespace relayer::test
