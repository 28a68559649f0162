#include "core/signed_session.h"

#include <gtest/gtest.h>

#include <string>

namespace relayer::core
{
namespace
{
using std::chrono::seconds;

const SessionKey kKey = sessionKeyOf("the secret of the house");
const SignedSession kSession{"ada", seconds(2000), "00ff"};

TEST(SignedSession, IsReadBackUntilItIsOver)
{
    const std::string text = signSession(kKey, kSession);
    const auto read = readSession(kKey, text, seconds(1999));
    ASSERT_TRUE(read);
    EXPECT_EQ(read->name, "ada");
    EXPECT_EQ(read->number, "00ff");
    EXPECT_FALSE(readSession(kKey, text, seconds(2000)));
    EXPECT_FALSE(readSession(sessionKeyOf("another"), text, seconds(0)));
    EXPECT_EQ(text.find("secret"), std::string::npos);
}

TEST(SignedSession, OfWhichAnythingWasChangedIsNone)
{
    const std::string text = signSession(kKey, kSession);
    for (std::size_t i = 0; i < text.size(); ++i)
    {
        for (const char c : {'0', '1', 'f', 'F', '.', '-', '\0', ' '})
        {
            std::string changed = text;
            changed[i] = c;
            EXPECT_EQ(readSession(kKey, changed, seconds(0)).has_value(), changed == text);
        }
        EXPECT_FALSE(readSession(kKey, text.substr(0, i), seconds(0)));
    }
    EXPECT_FALSE(readSession(kKey, text + ".", seconds(0)));
    EXPECT_FALSE(readSession(kKey, "+" + text, seconds(0)));
}

TEST(SignedSession, ItsFormsCarryATokenOfTheirOwn)
{
    const std::string token = formTokenOf(kKey, kSession);
    EXPECT_EQ(token, formTokenOf(kKey, kSession));
    EXPECT_NE(token, formTokenOf(kKey, {"ada", seconds(2000), "00fe"}));
    EXPECT_EQ(signSession(kKey, kSession).find(token), std::string::npos);
}
}  // namespace
}  // namespace relayer::core
