// Whatever is killed or cut under load: every request that was answered 202 comes to its end, once.
// The numbers are printed. Short here, long with RELAYER_TEST_FULL=1.
#include "e2e/devnet_suite.h"
#include "e2e/steady_load.h"
#include "support/cutting_proxy.h"
#include "support/loopback.h"
#include "support/private_postgres.h"
#include "support/test_mode.h"

#include <gtest/gtest.h>

#include <iostream>
#include <libpq-fe.h>
#include <memory>

namespace relayer::test
{
namespace
{
using Clock = std::chrono::steady_clock;
using std::chrono::seconds;

constexpr std::size_t kBetweenStrikes = 15;  // requests

int rounds()
{
    return fullTests() ? 12 : 1;
}

std::chrono::milliseconds awayFor()
{
    return std::chrono::milliseconds(fullTests() ? 12'000 : 1'500);
}

// What is lost is noticed soon, so that short tests see it. Too soon for a busy machine does no
// harm: requests are refused for a moment, and duties change hands.
ServerOptions impatient(const ChainWorld &world, const std::string &name = "one")
{
    ServerOptions options = world.watchfulOptions(name);
    options.environment["RELAYER_INSTANCE__LEASE"] = "3s";
    options.environment["RELAYER_TX_ENGINE__LANE_LEASE"] = "5s";
    options.environment["RELAYER_DATABASE__CONNECT_TIMEOUT"] = "2s";
    options.environment["RELAYER_GATEWAY__RPC__TIMEOUT"] = "4s";
    options.environment["RELAYER_GATEWAY__RPC__SYNC_TIMEOUT"] = "6s";
    options.environment["RELAYER_LISTENER__SILENCE"] = "6s";
    return options;
}

class Chaos : public DevnetSuite
{
  protected:
    // Whether the load goes on until so many more rows are there.
    static bool moreComeIn(const ChainWorld &world, ServerProcess &server,
                           std::size_t more = kBetweenStrikes)
    {
        const std::size_t wanted = world.rows() + more;
        const auto deadline = Clock::now() + ChainWorld::kPatience;
        while (world.rows() < wanted)
        {
            if (Clock::now() > deadline || server.exitCode(ChainWorld::kBetweenLooks))
            {
                return false;
            }
        }
        return true;
    }

    static void expectNothingLost(ChainWorld &world, SteadyLoad &load, ServerProcess &server,
                                  const std::string &after)
    {
        const SteadyLoad::Seen seen = load.end();
        ASSERT_TRUE(world.unanswered().empty()) << seen.text() << server.output();
        ASSERT_TRUE(world.allEnd(server)) << world.story() << server.output();
        world.expectNothingLost(after);
        std::cout << "#   " << seen.text() << std::endl;
        world.expectEachOnce();
        seen.expectNothingWorseThanUnavailable();
    }

    // The network in between goes away in each of its ways, and comes back.
    static void cutAndHeal(CuttingProxy &proxy, const ChainWorld &world, ServerProcess &server)
    {
        for (int round = 0; round < 3 * rounds(); ++round)
        {
            ASSERT_TRUE(moreComeIn(world, server)) << server.output();
            round % 3 == 0 ? proxy.cut() : round % 3 == 1 ? proxy.hold() : proxy.holdAnswers();
            EXPECT_EQ(server.exitCode(awayFor() + seconds(round % 3 == 0 ? 0 : 3)), std::nullopt)
                << server.output();
            proxy.heal();
        }
        ASSERT_TRUE(moreComeIn(world, server)) << server.output();
    }

    static void expectAFailOverToLoseNothing(bool demoted);

    // Of servers that lived all the time.
    static void expectAllAnswered(const SteadyLoad::Seen &seen)
    {
        EXPECT_EQ(seen.unanswered, 0U) << seen.text();
    }
};

// Takes every connection that a server has left, until it is let go of.
class Crowd
{
  public:
    using Connection = std::unique_ptr<PGconn, decltype(&PQfinish)>;

    // Those of the program are ended first, and again when it was quicker.
    Crowd(const TestDatabase &database, const std::string &url)
    {
        const auto deadline = Clock::now() + ChainWorld::kPatience;
        do
        {
            database.query(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE application_name = 'drogon-relayer'");
            while (takeOne(url))
            {
            }
        }
        while (database.value("SELECT count(*) FROM pg_stat_activity"
                              " WHERE application_name = 'drogon-relayer'") != "0" &&
               Clock::now() < deadline);
    }

    [[nodiscard]] std::size_t size() const { return taken_.size(); }

  private:
    bool takeOne(const std::string &url)
    {
        Connection connection(PQconnectdb(url.c_str()), &PQfinish);
        const bool taken = PQstatus(connection.get()) == CONNECTION_OK;
        if (taken)
        {
            taken_.push_back(std::move(connection));
        }
        return taken;
    }

    std::vector<Connection> taken_;
};
}  // namespace

TEST_F(Chaos, TheProcessKilledAgainAndAgain)
{
    RELAYER_NEEDS_CHAIN();
    ChainWorld world(devnet());
    ServerOptions options = impatient(world);
    options.environment["RELAYER_INSTANCE__LEASE"] = "10m";  // a restart takes its own at once
    options.environment["RELAYER_TX_ENGINE__LANE_LEASE"] = "10m";
    auto server = std::make_unique<ServerProcess>(options);
    ASSERT_TRUE(server->becomesHealthy()) << server->output();
    SteadyLoad load(world);
    load.postAt({server.get()});
    for (int round = 0; round < 3 * rounds(); ++round)
    {
        ASSERT_TRUE(moreComeIn(world, *server)) << server->output();
        server->kill(SIGKILL);
        server = std::make_unique<ServerProcess>(options);
        load.postAt({server.get()});
    }
    ASSERT_TRUE(moreComeIn(world, *server)) << server->output();
    expectNothingLost(world, load, *server, "the process killed");
}

TEST_F(Chaos, PostgresRestartedAndKilled)
{
    RELAYER_NEEDS_CHAIN();
    PrivatePostgres postgres;
    ChainWorld world(devnet(), postgres.url());
    ServerProcess server(impatient(world));
    ASSERT_TRUE(server.becomesHealthy()) << server.output();
    SteadyLoad load(world);
    load.postAt({&server});
    for (int round = 0; round < rounds(); ++round)
    {
        ASSERT_TRUE(moreComeIn(world, server)) << server.output();
        postgres.stop();
        ASSERT_TRUE(server.becomesUnhealthy()) << server.output();
        postgres.start();
        ASSERT_TRUE(moreComeIn(world, server)) << server.output();
        postgres.killAll();
        ASSERT_TRUE(server.becomesUnhealthy()) << server.output();
        postgres.start();
    }
    ASSERT_TRUE(moreComeIn(world, server)) << server.output();
    expectNothingLost(world, load, server, "PostgreSQL restarted");
    expectAllAnswered(load.end());
}

void Chaos::expectAFailOverToLoseNothing(bool demoted)
{
    PrivatePostgres primary;
    const auto standby = PrivatePostgres::standbyOf(primary);
    // libpq in the test goes to the one that takes writes, as the server does by itself.
    const std::string url = primary.url();
    const std::string both =
        url.substr(0, url.rfind('/')) + "," + standby->url().substr(standby->url().find('@') + 1);
    ChainWorld world(devnet(), both + "?target_session_attrs=read-write");
    ServerProcess server(impatient(world));
    ASSERT_TRUE(server.becomesHealthy()) << server.output();
    SteadyLoad load(world);
    load.postAt({&server});
    ASSERT_TRUE(moreComeIn(world, server)) << server.output();
    if (demoted)
    {
        // Its connections stay; it just takes no more writes.
        primary.query("ALTER SYSTEM SET default_transaction_read_only = on");
        primary.query("SELECT pg_reload_conf()");
        ASSERT_TRUE(server.printed("step=database_read_only")) << server.output();
        standby->query("SELECT pg_promote()");
        ASSERT_TRUE(server.becomesHealthy()) << server.output();
    }
    primary.killAll();
    if (!demoted)
    {
        standby->query("SELECT pg_promote()");
    }
    ASSERT_TRUE(moreComeIn(world, server)) << server.output();
    expectNothingLost(world, load, server,
                      demoted ? "PostgreSQL demoted, its standby promoted"
                              : "PostgreSQL killed, its standby promoted");
    expectAllAnswered(load.end());
}

TEST_F(Chaos, PostgresKilledAndItsStandbyPromoted)
{
    if (!fullTests())
    {
        GTEST_SKIP() << "allowed: its twin runs; this one with RELAYER_TEST_FULL=1 (./test --full)";
    }
    RELAYER_NEEDS_CHAIN();
    expectAFailOverToLoseNothing(false);
}

TEST_F(Chaos, PostgresDemotedAndItsStandbyPromoted)
{
    RELAYER_NEEDS_CHAIN();
    expectAFailOverToLoseNothing(true);
}

TEST_F(Chaos, BackendsKilledUnderTheirStatements)
{
    RELAYER_NEEDS_CHAIN();
    ChainWorld world(devnet());
    ServerProcess server(impatient(world));
    ASSERT_TRUE(server.becomesHealthy()) << server.output();
    SteadyLoad load(world);
    load.postAt({&server});
    std::size_t killed = 0;
    for (int round = 0; round < 5 * rounds(); ++round)
    {
        ASSERT_TRUE(moreComeIn(world, server, 10)) << server.output();
        killed += world.database()
                      .query(
                          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                          " WHERE datname = current_database() AND pid <> pg_backend_pid()")
                      .size();
    }
    EXPECT_GT(killed, 0U);
    ASSERT_TRUE(moreComeIn(world, server)) << server.output();
    expectNothingLost(world, load, server, std::to_string(killed) + " backends killed");
    expectAllAnswered(load.end());
}

TEST_F(Chaos, NoConnectionLeftForUs)
{
    RELAYER_NEEDS_CHAIN();
    PrivatePostgres postgres;
    postgres.query("ALTER SYSTEM SET max_connections = 20");
    postgres.stop();
    postgres.start();
    ChainWorld world(devnet(), postgres.url());
    ServerProcess server(impatient(world));
    ASSERT_TRUE(server.becomesHealthy()) << server.output();
    SteadyLoad load(world);
    load.postAt({&server});
    for (int round = 0; round < rounds(); ++round)
    {
        ASSERT_TRUE(moreComeIn(world, server)) << server.output();
        const Crowd crowd(world.database(), postgres.url());
        EXPECT_GE(crowd.size(), 5U);
        ASSERT_TRUE(server.becomesUnhealthy()) << server.output();
        EXPECT_EQ(server.exitCode(awayFor()), std::nullopt) << server.output();
    }
    ASSERT_TRUE(moreComeIn(world, server)) << server.output();
    expectNothingLost(world, load, server, "no connection left");
    expectAllAnswered(load.end());
}

TEST_F(Chaos, TheLeaderKilled)
{
    RELAYER_NEEDS_CHAIN();
    ChainWorld world(devnet());
    std::map<std::string, std::unique_ptr<ServerProcess>> servers;
    const auto start = [&](const std::string &name) {
        servers[name] = std::make_unique<ServerProcess>(impatient(world, name));
    };
    start("one");
    start("two");
    ASSERT_TRUE(servers["one"]->becomesHealthy()) << servers["one"]->output();
    ASSERT_TRUE(servers["two"]->becomesHealthy()) << servers["two"]->output();
    SteadyLoad load(world);
    load.postAt({servers["one"].get(), servers["two"].get()});
    // In turn who sweeps for all, and who holds the lane.
    const std::vector<std::string> leaders = {
        "SELECT i.name FROM duty d JOIN instance i ON i.epoch = d.owner"
        " WHERE d.lease_until > now()",
        "SELECT i.name FROM signer_lane s JOIN instance i ON i.epoch = s.owner"
        " WHERE s.lease_until > now()"};
    for (int round = 0; round < 2 * rounds(); ++round)
    {
        std::vector<std::vector<std::string>> leader;
        const auto deadline = Clock::now() + ChainWorld::kPatience;
        while (leader.empty() && Clock::now() < deadline)
        {
            leader = world.database().query(leaders[static_cast<std::size_t>(round) % 2]);
        }
        ASSERT_FALSE(leader.empty());
        const std::string name = leader[0][0];
        const std::string other = name == "one" ? "two" : "one";
        ASSERT_TRUE(moreComeIn(world, *servers[other])) << servers[other]->output();
        servers[name]->kill(SIGKILL);
        ASSERT_TRUE(moreComeIn(world, *servers[other])) << servers[other]->output();
        // The other one carries all that is there to its end.
        ASSERT_TRUE(servers[other]->becomesHealthy()) << servers[other]->output();
        start(name);
        load.postAt({servers["one"].get(), servers["two"].get()});
    }
    expectNothingLost(world, load, *servers["one"], "the leader killed");
}

TEST_F(Chaos, TheNetworkBetweenUsAndPostgres)
{
    RELAYER_NEEDS_CHAIN();
    ChainWorld world(devnet());
    CuttingProxy proxy(portIn(world.database().url()));
    ServerOptions options = impatient(world);
    options.environment["RELAYER_DATABASE__URL"] =
        throughPort(world.database().url(), proxy.port());
    ServerProcess server(options);
    ASSERT_TRUE(server.becomesHealthy()) << server.output();
    SteadyLoad load(world);
    load.postAt({&server});
    ASSERT_NO_FATAL_FAILURE(cutAndHeal(proxy, world, server));
    expectNothingLost(world, load, server, "the network to PostgreSQL cut");
    expectAllAnswered(load.end());
}

TEST_F(Chaos, TheNetworkBetweenUsAndTheChain)
{
    RELAYER_NEEDS_CHAIN();
    ChainWorld world(devnet());
    // The chain of a test carries some twenty requests a second, and fewer the more it has carried:
    // what gathers must not be too many.
    CuttingProxy proxy(devnet().gateway().port);
    ServerOptions options = impatient(world);
    options.environment["RELAYER_GATEWAY__RPC__READ"] =
        "cut=http://127.0.0.1:" + std::to_string(proxy.port());
    options.environment["RELAYER_LISTENER__ENDPOINTS"] =
        "cut=ws://127.0.0.1:" + std::to_string(proxy.port());
    ServerProcess server(options);
    ASSERT_TRUE(server.becomesHealthy()) << server.output();
    SteadyLoad load(world, 2, std::chrono::milliseconds(fullTests() ? 500 : 200));
    load.postAt({&server});
    ASSERT_NO_FATAL_FAILURE(cutAndHeal(proxy, world, server));
    expectNothingLost(world, load, server, "the network to the chain cut");
    expectAllAnswered(load.end());
}
}  // namespace relayer::test
