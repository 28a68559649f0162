#include "models/write.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace relayer::models
{
TEST(Write, ItsRowsCarryItsTransaction)
{
    EXPECT_EQ(Write("UPDATE t SET a = 1 RETURNING b").text(),
              "WITH told AS (UPDATE t SET a = 1 RETURNING b)\n"
              "SELECT told.*, pg_current_xact_id()::text FROM told");
    EXPECT_EQ(
        Write("WITH a AS (SELECT 1),\nb AS (DELETE FROM t RETURNING c)\nSELECT c FROM b").text(),
        "WITH a AS (SELECT 1),\nb AS (DELETE FROM t RETURNING c),\ntold AS (SELECT c FROM b)"
        "\nSELECT told.*, pg_current_xact_id()::text FROM told");
}

TEST(Write, WhatReturnsNothingHasOneRowForIt)
{
    EXPECT_EQ(Write("DELETE FROM t").text(),
              "WITH told AS (DELETE FROM t)\nSELECT pg_current_xact_id()::text");
}

TEST(Write, RefusesWhatItCanNotTakeApart)
{
    for (const char *text :
         {"ANALYZE t", "WITH a AS (SELECT 1) SELECT a FROM a", "WITH a AS (\nSELECT 1)\nFROM a"})
    {
        EXPECT_THROW(Write{text}, std::logic_error) << text;
    }
}
}  // namespace relayer::models
