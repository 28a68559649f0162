// What instances say to each other about requests that moved.
#include "core/status_notices.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <numeric>

namespace relayer::core
{
using ::testing::ElementsAre;

TEST(StatusNotices, AreReadAsTheyWereSaid)
{
    StatusNotices notices;
    notices.add(std::vector<std::int64_t>{12, 7});
    notices.add(std::vector<std::int64_t>{12, 9});
    const std::string text = notices.take(3);
    EXPECT_EQ(text, "3:7,9,12") << "each request once";
    EXPECT_TRUE(notices.empty());

    const auto notice = parseStatusNotice(text);
    ASSERT_TRUE(notice);
    EXPECT_EQ(notice->speaker, 3);
    EXPECT_FALSE(notice->all);
    EXPECT_THAT(notice->ids, ElementsAre(7, 9, 12));
}

TEST(StatusNotices, FitIntoWhatPostgresqlCarriesHoweverMuchMoves)
{
    std::vector<std::int64_t> ids(StatusNotices::kMostNamed);
    std::iota(ids.begin(), ids.end(), std::numeric_limits<std::int64_t>::max() - 1000);
    StatusNotices notices;
    notices.add(ids);
    const std::string named = notices.take(std::numeric_limits<std::int64_t>::max());
    EXPECT_LT(named.size(), 7900U);
    EXPECT_EQ(parseStatusNotice(named).value_or(StatusNotice{}).ids, ids);

    ids.push_back(1);
    notices.add(ids);
    notices.add(std::vector<std::int64_t>{2, 3});
    EXPECT_FALSE(notices.empty());
    const std::string all = notices.take(5);
    EXPECT_EQ(all, "5:*");
    EXPECT_TRUE(parseStatusNotice(all).value_or(StatusNotice{}).all);
    EXPECT_TRUE(notices.empty()) << "the next one names again";
    notices.add(std::vector<std::int64_t>{4});
    EXPECT_EQ(notices.take(5), "5:4");
}

TEST(StatusNotices, NothingElseIsTakenForOne)
{
    std::string tooMany = "1:1";
    for (std::size_t i = 0; i < StatusNotices::kMostNamed; ++i)
    {
        tooMany += ",1";
    }
    for (const std::string &text :
         {std::string(), std::string("1"), std::string("1:"), std::string(":1"), std::string("x:1"),
          std::string("1:1,"), std::string("1:,1"), std::string("1:-1"), std::string("1:1 "),
          std::string("1:**"), std::string("1:9223372036854775808"), tooMany})
    {
        EXPECT_FALSE(parseStatusNotice(text)) << text.substr(0, 40);
    }
}
}  // namespace relayer::core
