// Arrays as the server reads them.
#include "models/pg_array.h"

#include "models/execute.h"
#include "support/await.h"
#include "support/test_store.h"

#include <gtest/gtest.h>

namespace relayer::test
{
using models::PgArray;
using models::PgType;

namespace
{
std::string asText(TestStore &store, PgArray array, const std::string *sql)
{
    const auto rows = await(models::execute(store.writer(), sql, std::move(array).finish()));
    return rows.at(0)[0].isNull() ? "NULL" : rows[0][0].as<std::string>();
}
}  // namespace

TEST(PgArray, OfEachTypeArrivesAsItWasBuilt)
{
    RELAYER_NEEDS_SERVER();
    const TestDatabase database;
    TestStore store(database);

    static const std::string numbers = "SELECT $1::bigint[]::text";
    PgArray bigs(PgType::Int8);
    bigs.add(std::int64_t{INT64_MIN});
    bigs.addNull();
    bigs.add(std::int64_t{42});
    EXPECT_EQ(asText(store, std::move(bigs), &numbers), "{-9223372036854775808,NULL,42}");

    static const std::string ints = "SELECT $1::int[]::text";
    PgArray smalls(PgType::Int4);
    smalls.add(std::int32_t{-7});
    EXPECT_EQ(asText(store, std::move(smalls), &ints), "{-7}");

    static const std::string texts = "SELECT $1::text[]::text";
    PgArray words(PgType::Text);
    words.add(std::string_view("with \"quotes\", commas"));
    words.add(std::string_view(""));
    EXPECT_EQ(asText(store, std::move(words), &texts), R"({"with \"quotes\", commas",""})");

    static const std::string flags = "SELECT $1::bool[]::text";
    PgArray bools(PgType::Bool);
    bools.add(true);
    bools.add(false);
    EXPECT_EQ(asText(store, std::move(bools), &flags), "{t,f}");

    static const std::string bytes = "SELECT encode(($1::bytea[])[1], 'hex')";
    PgArray raw(PgType::Bytea);
    raw.add(core::ByteView(core::Bytes{0x00, 0xFF, 0x5C, 0x27}));
    EXPECT_EQ(asText(store, std::move(raw), &bytes), "00ff5c27");

    static const std::string ids = "SELECT ($1::uuid[])[1]::text";
    PgArray uuids(PgType::Uuid);
    uuids.add(core::ByteView(jobId(5).raw()));
    EXPECT_EQ(asText(store, std::move(uuids), &ids), jobId(5).text());
}

TEST(PgArray, OfNothingIsEmpty)
{
    RELAYER_NEEDS_SERVER();
    const TestDatabase database;
    TestStore store(database);
    static const std::string length = "SELECT cardinality($1::bigint[])::text";
    EXPECT_EQ(asText(store, PgArray(PgType::Int8), &length), "0");
}
}  // namespace relayer::test
