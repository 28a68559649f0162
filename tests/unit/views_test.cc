// What pages say: texts are escaped, values are said for people, and the way of a request is drawn.
#include "views/html.h"
#include "views/lifecycle_drawing.h"
#include "views/notices.h"
#include "views/words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

namespace relayer::views
{
namespace
{
using core::Kind;
using core::Status;
using core::Transition;
using testing::HasSubstr;

TEST(Views, WriteNoTextThatCouldBeATag)
{
    std::ostringstream out;
    out << show("<b a=\"1\" c='2'>&</b>") << show(std::string("<i>")) << show(Markup("<u>"));
    EXPECT_EQ(out.str(), "&lt;b a=&quot;1&quot; c=&#39;2&#39;&gt;&amp;&lt;/b&gt;&lt;i&gt;<u>");
}

TEST(Views, SayDurationsAsPeopleDo)
{
    const std::vector<std::pair<std::int64_t, std::string>> said = {{-5, "0 ms"},
                                                                    {0, "0 ms"},
                                                                    {999, "999 ms"},
                                                                    {1000, "1.0 s"},
                                                                    {59'949, "59.9 s"},
                                                                    {60'000, "1 min"},
                                                                    {185'000, "3 min 5 s"},
                                                                    {3'600'000, "1 h"},
                                                                    {7'800'000, "2 h 10 min"},
                                                                    {86'400'000, "1 d"},
                                                                    {442'800'000, "5 d 3 h"}};
    for (const auto &[ms, text] : said)
    {
        EXPECT_EQ(duration(milliseconds(ms)), text);
    }
    EXPECT_EQ(ago(milliseconds(10'000), milliseconds(10'900)), "just now");
    EXPECT_EQ(ago(milliseconds(10'000), milliseconds(22'900)), "12 s ago");
    EXPECT_EQ(ago(milliseconds(10'000), milliseconds(5)), "just now")
        << "a clock that was set back";
}

TEST(Views, SayNumbersWithoutLosingAny)
{
    EXPECT_EQ(gwei("1500000000"), "1.5 gwei");
    EXPECT_EQ(gwei("1"), "0.000000001 gwei");
    EXPECT_EQ(gwei("0"), "0 gwei");
    EXPECT_EQ(gwei("123456789012345678901234567890"), "123456789012345678901.23456789 gwei");
    EXPECT_EQ(grouped(0), "0");
    EXPECT_EQ(grouped(999), "999");
    EXPECT_EQ(grouped(1'234'567), "1,234,567");
    EXPECT_EQ(grouped(-1234), "-1,234");
    EXPECT_EQ(shortened("0x" + std::string(64, 'a')), "0xaaaaaaaa…aaaaaa");
    EXPECT_EQ(shortened("0xabc"), "0xabc");
    EXPECT_THAT(moment(milliseconds(951'782'399'005)).html(),
                HasSubstr("2000-02-28T23:59:59.005Z"));
    EXPECT_THAT(moment(milliseconds(951'782'400'000)).html(), HasSubstr("2000-02-29 <b>00:00:00"));
}

std::size_t countOf(const std::string &text, const std::string &what)
{
    std::size_t count = 0;
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1))
    {
        ++count;
    }
    return count;
}

TEST(LifecycleDrawing, HasEachStatusAndEachWayOfItsKind)
{
    for (const Kind kind : core::kAllKinds)
    {
        const std::string svg =
            lifecycleDrawing({kind, core::initialStatus(kind), milliseconds(0), {}}).html();
        std::size_t ways = 0;
        for (const Status from : core::kAllStatuses)
        {
            EXPECT_EQ(countOf(svg, "state s-" + std::string(core::name(from))),
                      core::canBeIn(kind, from) ? 1U : 0U);
            for (const Status to : core::kAllStatuses)
            {
                const bool leads = std::ranges::any_of(core::kEdges, [&](const core::Edge &edge) {
                    return edge.kind == kind && edge.from.contains(from) && edge.to == to;
                });
                ways += leads ? 1 : 0;
            }
        }
        EXPECT_EQ(countOf(svg, "<path class=\"edge"), ways);
        EXPECT_EQ(countOf(svg, "edge taken"), 0U);
    }
}

TEST(LifecycleDrawing, MarksTheWayThatARequestTookAndHowLongItStayed)
{
    const std::vector<core::TrailStep> trail = {
        {Transition::PassReadiness, std::chrono::seconds(102)},
        {Transition::MarkTxInFlight, std::chrono::seconds(103)},
        {Transition::Recover, std::chrono::seconds(110)},
        {Transition::MarkTxInFlight, std::chrono::seconds(111)}};
    const std::string svg = lifecycleDrawing({Kind::PublicDecrypt, Status::TxInFlight,
                                              std::chrono::seconds(100), trail})
                                .html();
    EXPECT_EQ(countOf(svg, "edge taken"), 3U) << "there, back, and there again";
    EXPECT_THAT(svg, HasSubstr("state s-tx_in_flight seen here"));
    EXPECT_THAT(svg, HasSubstr("state s-queued seen\""));
    EXPECT_THAT(svg, HasSubstr(">2.0 s<")) << "in the queue";
    EXPECT_THAT(svg, HasSubstr("2.0 s · 2 times")) << "in processing, twice a second";
    EXPECT_THAT(svg, HasSubstr("state s-failure\""));
    EXPECT_THAT(svg, HasSubstr("queued, then processing, then tx in flight, then processing"));
}

TEST(Notices, SayNothingThatIsNotOfTheirList)
{
    Frame frame;
    setNotice(frame, "you have been hacked", "call 555");
    EXPECT_EQ(frame.notice, "");
    setNotice(frame, "", "wrong_state");
    EXPECT_TRUE(frame.noticeIsBad);
    EXPECT_NE(frame.notice, "");
    setNotice(frame, "fail", "");
    EXPECT_NE(frame.notice, "");
}
}  // namespace
}  // namespace relayer::views
