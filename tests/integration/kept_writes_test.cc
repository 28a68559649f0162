// PostgreSQL tells what a statement has written before it commits it. A session that is ended in
// between takes back what was told.
#include "models/execute.h"
#include "support/await.h"
#include "support/eventually.h"
#include "support/held_commits.h"
#include "support/loopback.h"
#include "support/test_database.h"

#include <gtest/gtest.h>

namespace relayer::test
{
namespace
{
const std::string kInsert = "INSERT INTO probe VALUES ($1::bigint) RETURNING number";
constexpr std::int64_t kNumber = 7;

class KeptWrites : public testing::Test
{
  protected:
    void SetUp() override
    {
        RELAYER_NEEDS_SERVER();
        database_ = std::make_unique<TestDatabase>(TestDatabase::Schema::Empty);
        database_->query("CREATE TABLE probe (number bigint)");
        between_ = std::make_unique<HeldCommits>(portIn(database_->url()));
        const std::string connection = database_->connectionThrough(between_->port());
        connections_ = std::make_shared<models::Connections>([connection](std::size_t) {
            auto client = drogon::orm::DbClient::newPgClient(connection, 2);
            client->setTimeout(60.0);
            return client;
        });
        // Both, since one of them is going to end.
        ASSERT_TRUE(eventually([&] { return connections_->available() && sessions() == "2"; }));
    }
    void TearDown() override
    {
        if (connections_)
        {
            models::Connections::letGo(std::move(connections_));
        }
        between_.reset();
        database_.reset();
    }

    [[nodiscard]] std::string sessions() const
    {
        return database_->value(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
            " AND pid <> pg_backend_pid()");
    }
    [[nodiscard]] std::string rows() const
    {
        return database_->value("SELECT count(*) FROM probe");
    }

    // Writes, and ends the session once the statement is done and before it is committed.
    std::int64_t toldWhileItsSessionEnds(drogon::Task<drogon::orm::Result> writes)
    {
        between_->hold();
        auto told = start(std::move(writes));
        // It has done the statement, and waits for what lets it commit.
        const std::string writing =
            " FROM pg_stat_activity WHERE datname = current_database()"
            " AND query LIKE '%INSERT INTO probe%' AND backend_xid IS NOT NULL"
            " AND wait_event = 'ClientRead'"
            " AND pid <> pg_backend_pid()";
        EXPECT_TRUE(eventually([&] {
            return between_->held() == 1 && database_->value("SELECT count(*)" + writing) == "1";
        }));
        EXPECT_EQ(database_->value("SELECT count(pg_terminate_backend(pid))" + writing), "1");
        between_->release();
        const drogon::orm::Result result = told.get();
        return result[0][0].as<std::int64_t>();
    }

    std::unique_ptr<TestDatabase> database_;
    std::unique_ptr<HeldCommits> between_;
    models::ConnectionsPtr connections_;
};
}  // namespace

TEST_F(KeptWrites, WhatAnEndingSessionTookBackIsNotTold)
{
    const models::Write insert = kInsert;
    try
    {
        toldWhileItsSessionEnds(models::execute(connections_, &insert, kNumber));
        FAIL() << "told, and not there";
    }
    catch (const models::StoreError &error)
    {
        EXPECT_EQ(error.code(), models::StoreError::Code::Refused) << "it may be asked again";
        EXPECT_STREQ(error.what(), "the database took back what was written");
    }
    EXPECT_EQ(rows(), "0");
}

TEST_F(KeptWrites, WhoMayAskTwiceHearsOfWhatIsThereToStay)
{
    const models::Write insert = kInsert;
    EXPECT_EQ(toldWhileItsSessionEnds(models::executeTwice(connections_, &insert, kNumber)),
              kNumber);
    EXPECT_EQ(rows(), "1");
}

// Why there is a models::Write at all; were it not so any more, it could go.
TEST_F(KeptWrites, APlainStatementIsToldThoughItIsTakenBack)
{
    EXPECT_EQ(toldWhileItsSessionEnds(models::execute(connections_, &kInsert, kNumber)), kNumber);
    EXPECT_EQ(rows(), "0");
}

TEST_F(KeptWrites, WhatWritesNothingHasNothingToBeAskedFor)
{
    const models::Write none = "UPDATE probe SET number = 1 WHERE number = $1::bigint RETURNING 1";
    EXPECT_TRUE(await(models::execute(connections_, &none, std::int64_t{8})).empty());
}
}  // namespace relayer::test
