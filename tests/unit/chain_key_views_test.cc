// Questions about keys against what the contracts' documents say of them, and hostile answers.
#include "chain/abi.h"
#include "chain/keccak.h"
#include "chain/key_views.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace relayer::chain
{
namespace
{
std::string selectorOf(const std::string &signature)
{
    const core::Bytes bytes(signature.begin(), signature.end());
    return core::toHex(keccak256(bytes)).substr(0, 8);
}

std::string startOf(const core::Bytes &question)
{
    return core::toHex(question).substr(0, 8);
}
}  // namespace

TEST(KeyViews, SelectorsAndTopicAreThoseOfTheDeclarations)
{
    const core::Hash32 id{};
    EXPECT_EQ(startOf(activeKeyId()), selectorOf("getActiveKeyId()"));
    EXPECT_EQ(startOf(activeCrsId()), selectorOf("getActiveCrsId()"));
    EXPECT_EQ(startOf(keyMaterials(id)), selectorOf("getKeyMaterials(uint256)"));
    EXPECT_EQ(startOf(crsMaterials(id)), selectorOf("getCrsMaterials(uint256)"));
    EXPECT_EQ(startOf(currentKmsContextAndEpoch()), selectorOf("getCurrentKmsContextAndEpoch()"));
    EXPECT_EQ(startOf(kmsContextAnchor(id)), selectorOf("getKmsContextAnchor(uint256)"));
    EXPECT_EQ(core::toHex(newKmsContextTopic()),
              "204d6b80121154cd87d99cf54c639a3dd0a53b3084277098de972ebdd34c6be9");
}

TEST(KeyViews, AnswersThatAreCutShortAreNothing)
{
    EXPECT_TRUE(wordAnswer(core::Bytes(32, 1)));
    EXPECT_FALSE(wordAnswer(core::Bytes(31, 1)));
    EXPECT_FALSE(wordAnswer({}));
    EXPECT_TRUE(contextAndEpochAnswer(core::Bytes(64, 1)));
    EXPECT_FALSE(contextAndEpochAnswer(core::Bytes(63, 1)));
    EXPECT_EQ(anchorBlockAnswer(abi::TupleWriter().number(7).number(0).finish()), 7U);
    EXPECT_FALSE(anchorBlockAnswer(abi::TupleWriter().number(0).number(0).finish()));
    EXPECT_FALSE(anchorBlockAnswer(core::Bytes(64, 0xff))) << "no such block";
    EXPECT_FALSE(anchorBlockAnswer(core::Bytes(32, 0)));
}

TEST(KeyViews, AnEventOfAnyBytesIsAStorageOrNothing)
{
    Log log;
    EXPECT_FALSE(storageOfFirstNode(log));
    std::mt19937 random(1);
    for (int i = 0; i < 5000; ++i)
    {
        log.data.assign(random() % 700, 0);
        for (std::size_t at = 31; at < log.data.size(); at += 32)
        {
            log.data[at] = static_cast<std::uint8_t>(32 * (random() % 12));
        }
        const auto storage = storageOfFirstNode(log);
        EXPECT_LE(storage ? storage->url.size() + storage->prefix.size() : 0, log.data.size());
    }
}
}  // namespace relayer::chain
