// The context that extra data names.
#include "core/kms_context.h"

#include <gtest/gtest.h>

namespace relayer::core
{
namespace
{
// A version, a context of 0x07.., an epoch of 0x08.., and more.
Bytes extraData(std::uint8_t version, std::size_t length)
{
    Bytes bytes;
    for (std::size_t i = 0; i < length; ++i)
    {
        const bool inContext = i < 33;
        bytes.push_back(i == 0 ? version : inContext ? std::uint8_t{7} : std::uint8_t{8});
    }
    return bytes;
}

TEST(KmsContext, EmptyAndVersionZeroMeanTheCurrentOneWhateverFollows)
{
    EXPECT_TRUE(kmsContextOf({}).value().isCurrent());
    EXPECT_TRUE(kmsContextOf(Bytes{0}).value().isCurrent());
    EXPECT_TRUE(kmsContextOf(extraData(0, 65)).value().isCurrent());
}

TEST(KmsContext, VersionOneNamesAContext)
{
    const auto context = kmsContextOf(extraData(1, 33)).value();
    EXPECT_EQ(context.id[0], 7);
    EXPECT_EQ(context.id[31], 7);
    EXPECT_EQ(context.epoch, Hash32{});
    EXPECT_FALSE(context.isCurrent());
    EXPECT_EQ(kmsContextOf(extraData(1, 100)), context);
}

TEST(KmsContext, VersionTwoNamesAContextAndAnEpoch)
{
    const auto context = kmsContextOf(extraData(2, 65)).value();
    EXPECT_EQ(context.id[31], 7);
    EXPECT_EQ(context.epoch[0], 8);
    EXPECT_EQ(context.epoch[31], 8);
    EXPECT_EQ(kmsContextOf(extraData(2, 66)), context);
}

TEST(KmsContext, WhatIsTooShortAndWhatHasAnotherVersionIsNothing)
{
    for (std::size_t length = 1; length < 65; ++length)
    {
        EXPECT_EQ(kmsContextOf(extraData(1, length)).has_value(), length >= 33) << length;
        EXPECT_FALSE(kmsContextOf(extraData(2, length))) << length;
    }
    for (int version = 3; version < 256; ++version)
    {
        EXPECT_FALSE(kmsContextOf(extraData(static_cast<std::uint8_t>(version), 100))) << version;
    }
}
}  // namespace
}  // namespace relayer::core
