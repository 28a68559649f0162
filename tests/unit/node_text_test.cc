// What of a node's words gets into logs and rows.
#include "plugins/node_text.h"

#include <gtest/gtest.h>

namespace
{
using relayer::plugins::nodeText;

TEST(NodeText, IsPlainAndShort)
{
    EXPECT_EQ(nodeText("nonce too low: next 5"), "nonce too low: next 5");
    EXPECT_EQ(nodeText(std::string_view("a\0b\n\xff", 5)), "a?b??");
    EXPECT_EQ(nodeText(std::string(5000, 'x')), std::string(300, 'x'));
    EXPECT_EQ(nodeText(""), "");
}

TEST(NodeText, SaysThatThereWasAUrlAndNotWhich)
{
    EXPECT_EQ(nodeText("quota of https://node.example/v3/KEY?a=b is used up"),
              "quota of (a URL) is used up");
    EXPECT_EQ(nodeText("wss://user:KEY@node"), "(a URL)");
    EXPECT_EQ(nodeText("(see http://a/KEY), or \"HTTP://b/KEY\""), "(see (a URL)), or \"(a URL)\"");
    EXPECT_EQ(nodeText("://KEY"), "(a URL)");
    EXPECT_EQ(nodeText("://"), "(a URL)");
    const std::string cut = nodeText(std::string(298, 'x') + " https://node/KEY");
    EXPECT_EQ(cut.find("KEY"), std::string::npos);
    EXPECT_EQ(cut.size(), 300U);
}
}  // namespace
