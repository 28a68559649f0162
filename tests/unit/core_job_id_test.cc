#include "core/job_id.h"

#include <gtest/gtest.h>

namespace relayer::core
{
namespace
{
const std::string kText = "0f1e2d3c-4b5a-4978-8f6e-5d4c3b2a1908";
const JobId::Raw kRaw = {0x0f, 0x1e, 0x2d, 0x3c, 0x4b, 0x5a, 0x49, 0x78,
                         0x8f, 0x6e, 0x5d, 0x4c, 0x3b, 0x2a, 0x19, 0x08};

TEST(JobId, ItIsReadInEveryFormThatTheReferenceTakes)
{
    const JobId id = JobId::fromRaw(kRaw);
    EXPECT_EQ(id.text(), kText);
    for (const std::string_view form :
         {"0f1e2d3c-4b5a-4978-8f6e-5d4c3b2a1908", "0F1E2D3C-4B5A-4978-8F6E-5D4C3B2A1908",
          "0f1e2d3c4b5a49788f6e5d4c3b2a1908", "0F1E2D3C4B5A49788F6E5D4C3B2A1908",
          "{0f1e2d3c-4b5a-4978-8f6e-5d4c3b2a1908}",
          "urn:uuid:0f1e2d3c-4b5a-4978-8f6e-5d4c3b2a1908"})
    {
        EXPECT_EQ(JobId::parse(form), id) << form;
    }
}

TEST(JobId, WhatIsMalformedIsNoId)
{
    for (const std::string_view text :
         {"", "0", "0f1e2d3c-4b5a-4978-8f6e-5d4c3b2a190", "0f1e2d3c-4b5a-4978-8f6e-5d4c3b2a19080",
          "0f1e2d3c-4b5a-4978-8f6e-5d4c3b2a190g", "0f1e2d3c4b5a-4978-8f6e-5d4c3b2a1908-",
          "0f1e2d3-c4b5a-4978-8f6e-5d4c3b2a1908", "0f1e2d3c_4b5a_4978_8f6e_5d4c3b2a1908",
          "{0f1e2d3c-4b5a-4978-8f6e-5d4c3b2a1908", "0f1e2d3c-4b5a-4978-8f6e-5d4c3b2a1908}",
          "{{f1e2d3c-4b5a-4978-8f6e-5d4c3b2a1908}", "urn:uuid:", "urn:uuid:{0f1e}",
          " 0f1e2d3c-4b5a-4978-8f6e-5d4c3b2a1908", "0f1e2d3c4b5a49788f6e5d4c3b2a190 ",
          "------------------------------------", "--------------------------------"})
    {
        EXPECT_FALSE(JobId::parse(text)) << text;
    }
}

TEST(JobId, EveryPrefixOfAnIdIsNoId)
{
    for (std::size_t length = 0; length < kText.size(); ++length)
    {
        EXPECT_FALSE(JobId::parse(kText.substr(0, length))) << length;
    }
}

TEST(JobId, WhateverIsRandomBecomesAVersion4Id)
{
    for (int value = 0; value < 256; ++value)
    {
        JobId::Raw random;
        random.fill(static_cast<std::uint8_t>(value));
        const JobId id = JobId::fromRandom(random);
        EXPECT_EQ(id.raw()[6] >> 4, 4) << value;
        EXPECT_EQ(id.raw()[8] >> 6, 2) << value;
        EXPECT_EQ(id.raw()[6] & 0x0F, value & 0x0F);
        EXPECT_EQ(id.raw()[8] & 0x3F, value & 0x3F);
        for (const std::size_t other :
             {0U, 1U, 2U, 3U, 4U, 5U, 7U, 9U, 10U, 11U, 12U, 13U, 14U, 15U})
        {
            EXPECT_EQ(id.raw().at(other), value);
        }
        EXPECT_EQ(JobId::parse(id.text()), id);
    }
}

TEST(JobId, AnIdFromTheDatabaseIsTakenAsItIs)
{
    JobId::Raw raw;
    raw.fill(0xFF);
    EXPECT_EQ(JobId::fromRaw(raw).raw(), raw);
    EXPECT_EQ(JobId::fromRaw(raw).text(), "ffffffff-ffff-ffff-ffff-ffffffffffff");
}
}  // namespace
}  // namespace relayer::core
