// A start with many requests that live: HTTP answers meanwhile, and memory does not grow with them.
#include "e2e/chain_world.h"
#include "support/eventually.h"
#include "support/test_mode.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <memory>

namespace relayer::test
{
namespace
{
using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

struct Start
{
    milliseconds firstAnswer{0};
    milliseconds enrolled{0};
    std::size_t peakKiB = 0;
    std::size_t answers = 0;  // polls that were answered between the two
};

milliseconds since(Clock::time_point start)
{
    return std::chrono::duration_cast<milliseconds>(Clock::now() - start);
}

std::size_t peakKiB(const ServerProcess &server)
{
    std::ifstream status("/proc/" + std::to_string(server.process()) + "/status");
    for (std::string line; std::getline(status, line);)
    {
        if (line.starts_with("VmHWM:"))
        {
            return std::strtoul(line.c_str() + 6, nullptr, 10);
        }
    }
    return 0;
}

// Of each kind as many in each status that it can have, copied from one that a client made; those
// that were on their way are held by the instance that is no more, and half of the others.
std::string copies(std::size_t rows)
{
    return "WITH made AS (INSERT INTO request (job_id, kind, variant, status, content_hash,"
           " payload, gateway_id, ticket, owner)"
           " SELECT gen_random_uuid(), o.kind, o.variant, s.status,"
           " sha256(convert_to('copy ' || n, 'UTF8')), o.payload,"
           " CASE WHEN s.status = 'receipt_received'"
           " THEN sha256(convert_to('id ' || n, 'UTF8')) END,"
           " nextval('request_ticket_seq'),"
           " CASE WHEN n % 2 = 0 OR s.status IN ('tx_in_flight', 'receipt_received')"
           " THEN (SELECT epoch FROM instance) END FROM generate_series(1, " +
           std::to_string(rows) +
           ") n JOIN (SELECT row_number() OVER (ORDER BY id) - 1 AS number, * FROM request) o"
           " ON o.number = n % 5 CROSS JOIN LATERAL (SELECT CASE (n / 5) % 4"
           " WHEN 0 THEN (CASE WHEN o.kind = 'input_proof' THEN 'processing' ELSE 'queued' END)"
           " WHEN 1 THEN 'processing' WHEN 2 THEN 'tx_in_flight' ELSE 'receipt_received'"
           " END::request_status AS status) s RETURNING id, kind, ticket, gateway_id),"
           " referred AS (INSERT INTO gateway_reference (kind, gateway_id, request_id)"
           " SELECT kind, gateway_id, id FROM made WHERE gateway_id IS NOT NULL)"
           " INSERT INTO live_request (kind, ticket, request_id) SELECT kind, ticket, id FROM made";
}

class Recovery : public testing::Test
{
  protected:
    // Little goes to the chain: what is looked at is the start.
    [[nodiscard]] static ServerOptions options(const ChainWorld &world)
    {
        ServerOptions options = world.serverOptions();
        for (const std::string kind : {"INPUT_PROOF", "PUBLIC_DECRYPT", "USER_DECRYPT"})
        {
            options.environment["RELAYER_TX_THROTTLER__" + kind + "__PER_SECOND"] = "1";
        }
        options.environment["RELAYER_INSTANCE__LEASE"] = "1h";
        options.environment["RELAYER_TX_ENGINE__LANE_LEASE"] = "10m";
        return options;
    }

    // One request of each sort as a client makes it, and copies of them.
    static void fill(ChainWorld &world, std::size_t rows)
    {
        {
            ServerProcess server(options(world));
            ASSERT_TRUE(server.becomesHealthy()) << server.output();
            world.submit(0, kSorts, server);
            ASSERT_TRUE(world.unanswered().empty());
            ASSERT_TRUE(server.printed("step=lane_held")) << server.output();
            server.kill(SIGKILL);
            static_cast<void>(server.exitCode());
        }
        world.database().query(copies(rows));
        world.database().query("ANALYZE");
    }

    static Start start(ChainWorld &world)
    {
        const std::string path = world.jobPathOf(0);
        const auto polled = [&path](HttpClient &client) {
            const auto reply = client.get(path);
            return reply && (reply->status == 200 || reply->status == 202);
        };
        const auto sent = [&world] {
            return std::stoul(world.database().value("SELECT count(*) FROM tx_attempt"));
        };
        const std::size_t sentBefore = sent();
        Start seen;
        const auto begin = Clock::now();
        ServerProcess server(options(world));
        HttpClient client(server.port());
        const auto deadline = begin + ChainWorld::kPatience;
        // A poll reads the database: it is the first answer that a client can use.
        while (!polled(client) && Clock::now() < deadline)
        {
        }
        seen.firstAnswer = since(begin);
        while (!server.printed("step=enrolled", ChainWorld::kBetweenLooks) &&
               Clock::now() < deadline)
        {
            EXPECT_TRUE(polled(client));
            ++seen.answers;
        }
        seen.enrolled = since(begin);
        EXPECT_TRUE(server.printed("step=enrolled")) << server.output();
        // The engine has its look, too, and queues learn how long they are.
        EXPECT_TRUE(server.printed("step=lane_held")) << server.output();
        EXPECT_EQ(server.exitCode(std::chrono::seconds(3)), std::nullopt) << server.output();
        seen.peakKiB = peakKiB(server);
        EXPECT_EQ(world.rows("owner <> (SELECT epoch FROM instance)"), 0U)
            << "rows of the last start are left behind";
        EXPECT_EQ(world.rows("status = 'tx_in_flight' AND id NOT IN"
                             " (SELECT request_id FROM tx_attempt WHERE request_id IS NOT NULL)"),
                  0U)
            << "not taken back";
        EXPECT_TRUE(eventually([&] { return sent() > sentBefore; })) << "nothing of it goes on";
        EXPECT_EQ(world.rows("status IN ('failure', 'timed_out')"
                             " AND accepted IS DISTINCT FROM false"),
                  0U)
            << world.story();
        return seen;
    }

    Start startWith(std::size_t rows)
    {
        ChainWorld world(devnet_);
        fill(world, rows);
        if (HasFatalFailure())
        {
            return {};
        }
        const Start seen = start(world);
        std::cout << "# a start with " << rows << " live requests: first answer after "
                  << seen.firstAnswer.count() << " ms, all recovered after "
                  << seen.enrolled.count() << " ms (" << seen.answers
                  << " polls answered meanwhile), at most " << seen.peakKiB / 1024 << " MiB"
                  << std::endl;
        return seen;
    }

    const Devnet devnet_;
};
}  // namespace

TEST_F(Recovery, HttpAnswersWhileItIsHeldUp)
{
    RELAYER_NEEDS_CHAIN();
    constexpr std::size_t kRows = 100;
    ChainWorld world(devnet_);
    fill(world, kRows);
    if (HasFatalFailure())
    {
        return;
    }
    // Somebody else has the rows of the last start for as long as we look.
    const TestDatabase &rows = world.database();
    rows.query("BEGIN");
    rows.query("SELECT 1 FROM request WHERE owner IS NOT NULL FOR UPDATE");
    ServerProcess server(options(world));
    HttpClient client(server.port());
    ASSERT_TRUE(eventually(
        [&] {
            return rows.value(
                       "SELECT count(*) > 0 FROM pg_locks WHERE NOT granted AND"
                       " pg_backend_pid() = ANY(pg_blocking_pids(pid))") == "t";
        },
        ChainWorld::kPatience))
        << "nothing is taken back: " << server.output();
    const auto alive = client.get("/liveness");
    const auto polled = client.get(world.jobPathOf(0));
    EXPECT_FALSE(server.printed("step=enrolled", milliseconds(0))) << server.output();
    rows.query("ROLLBACK");
    ASSERT_TRUE(alive && polled) << server.output();
    EXPECT_EQ(alive->status, 200);
    EXPECT_EQ(polled->status, 202) << polled->body;
    EXPECT_TRUE(server.printed("step=enrolled")) << server.output();
}

TEST_F(Recovery, MemoryDoesNotGrowWithTheRequestsThatLive)
{
    RELAYER_NEEDS_CHAIN();
    const std::size_t many = fullTests() ? 100'000 : 10'000;
    const Start some = startWith(many / 10);
    const Start all = startWith(many);
    // Up to their capacity queues know their tickets, and pools and heaps are not exact.
    constexpr std::size_t kFixedKiB = 12UL * 1024;
    if (!underSanitizer())
    {
        EXPECT_LE(all.peakKiB, some.peakKiB + some.peakKiB / 5 + kFixedKiB);
    }
    // While so many are taken back there is time to ask.
    if (fullTests())
    {
        EXPECT_GT(all.answers, 0U) << "HTTP does not answer while it runs";
    }
    // Not more of a wait for the first answer than the machine makes by itself.
    EXPECT_LE(all.firstAnswer, 2 * some.firstAnswer + std::chrono::seconds(10));
}
}  // namespace relayer::test
