// A walk over all that lives, page by page, comes past each request once, however the planner reads
// the table: a small one that it knows it sorts, a large one it reads in the order of its index.
#include "models/request_sql.h"
#include "models/sweep_store.h"
#include "support/await.h"
#include "support/test_store.h"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace relayer::test
{
namespace
{
using core::Status;
using models::Claimer;
using models::LivePlace;
using models::SweepStore;

constexpr Claimer kHolder = 7;

// Rows and how many are read at a time: a few, and as many as the program takes.
struct Size
{
    std::size_t rows;
    std::size_t page;
};

class Paging : public testing::TestWithParam<Size>
{
  protected:
    using Step = std::function<drogon::Task<SweepStore::Page>(LivePlace from, std::size_t limit)>;

    void SetUp() override
    {
        RELAYER_NEEDS_SERVER();
        database_ = std::make_unique<TestDatabase>();
        store_ = std::make_unique<TestStore>(*database_);
        sweeps_ = std::make_shared<SweepStore>(store_->writer(), nullptr);
    }

    // Kinds by turns, so that the order of arrival is not that of the walk: the row that came at
    // the end of a page is one of another page.
    void fill(Status status, std::size_t rows) const
    {
        database_->query(
            "WITH made AS (INSERT INTO request (job_id, kind, status, content_hash, payload,"
            " ticket, owner) SELECT gen_random_uuid(), (ARRAY['public_decrypt', 'input_proof',"
            " 'user_decrypt'])[n % 3 + 1]::request_kind, '" +
            std::string(core::name(status)) +
            "', sha256(convert_to('row ' || n, 'UTF8')), '', nextval('request_ticket_seq'), " +
            std::to_string(kHolder) + " FROM generate_series(1, " + std::to_string(rows) +
            ") n ORDER BY n RETURNING id, kind, ticket)"
            " INSERT INTO live_request (kind, ticket, request_id)"
            " SELECT kind, ticket, id FROM made ORDER BY ticket");
        database_->query("ANALYZE");
    }
    [[nodiscard]] std::string left(const std::string &what) const
    {
        return database_->value("SELECT count(*) FROM request WHERE " + what);
    }
    static void expectAWalkPastAll(const Step &step)
    {
        const std::size_t rows = GetParam().rows;
        const std::size_t limit = GetParam().page;
        std::vector<std::size_t> pages;
        std::size_t sum = 0;
        LivePlace last{};
        for (std::optional<LivePlace> from(std::in_place); from && pages.size() <= rows;)
        {
            const SweepStore::Page page = await(step(*from, limit));
            pages.push_back(page.rows);
            sum += page.rows;
            from = page.next;
            if (from)
            {
                EXPECT_EQ(page.rows, limit) << "page " << pages.size() << " is not full";
                EXPECT_TRUE(std::pair(last.kind, last.ticket) < std::pair(from->kind, from->ticket))
                    << "page " << pages.size() << " goes back";
                last = *from;
            }
        }
        EXPECT_EQ(sum, rows);
        EXPECT_EQ(pages.size(), rows / limit + 1);
    }

    std::unique_ptr<TestDatabase> database_;
    std::unique_ptr<TestStore> store_;
    std::shared_ptr<SweepStore> sweeps_;
};

TEST_P(Paging, AStartSetsBackAllThatWasInFlight)
{
    fill(Status::TxInFlight, GetParam().rows);
    expectAWalkPastAll([this](LivePlace from, std::size_t limit) {
        return sweeps_->recoverHeld(kHolder, from, limit);
    });
    EXPECT_EQ(left("status <> 'processing'"), "0");
}

TEST_P(Paging, AllThatWasClaimedIsGivenBack)
{
    fill(Status::Processing, GetParam().rows);
    expectAWalkPastAll([this](LivePlace from, std::size_t limit) {
        return sweeps_->release(kHolder, Status::Processing, from, limit);
    });
    EXPECT_EQ(left("owner IS NOT NULL"), "0");
}

TEST_P(Paging, AllThatWasAbandonedIsFreed)
{
    fill(Status::TxInFlight, GetParam().rows);
    expectAWalkPastAll([this](LivePlace from, std::size_t limit) {
        return sweeps_->freeAbandoned(kHolder, from, limit);
    });
    EXPECT_EQ(left("owner IS NOT NULL OR status <> 'processing'"), "0");
}

TEST_P(Paging, AllThatWasAbandonedIsFreedInOneGo)
{
    fill(Status::Processing, GetParam().rows);
    EXPECT_EQ(await(sweeps_->freeAllAbandoned(kHolder, GetParam().page)), GetParam().rows);
    EXPECT_EQ(left("owner IS NOT NULL"), "0");
}

INSTANTIATE_TEST_SUITE_P(OfAKnownTable, Paging, testing::Values(Size{8, 3}, Size{700, 500}),
                         [](const auto &size) { return std::to_string(size.param.rows); });

TEST(PagingPlan, OfALargeTableAPageReadsThatPageAndNoMore)
{
    RELAYER_NEEDS_SERVER();
    const TestDatabase database;
    database.query(
        "INSERT INTO live_request (kind, ticket, request_id) SELECT (ARRAY['user_decrypt',"
        " 'input_proof', 'public_decrypt'])[n % 3 + 1]::request_kind, n, n"
        " FROM generate_series(1, 50000) n");
    database.query("ANALYZE live_request");
    database.query("PREPARE page (bigint, bigint, text, bigint) AS WITH " +
                   models::sql::pageOfLive() + "one AS (SELECT 1) SELECT * FROM page, last");
    // As it is once it has been planned for good.
    database.query("SET plan_cache_mode = force_generic_plan");
    const auto plan = database.query(
        "EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF)"
        " EXECUTE page(0, 500, 'input_proof', 20)");
    std::string text;
    bool reads = false;
    for (const auto &line : plan)
    {
        text += line.front() + "\n";
        if (line.front().find("on live_request") != std::string::npos)
        {
            reads = true;
            EXPECT_NE(line.front().find("actual rows=500"), std::string::npos) << line.front();
        }
    }
    EXPECT_TRUE(reads) << text;
    EXPECT_EQ(text.find("Seq Scan"), std::string::npos) << text;
}
}  // namespace
}  // namespace relayer::test
