// Several real processes on one database and one chain: who is gone is replaced within its lease,
// work is shared, and all of them say the same.
#include "e2e/devnet_suite.h"
#include "e2e/steady_load.h"
#include "support/eventually.h"

#include <gtest/gtest.h>

#include <iostream>
#include <memory>
#include <utility>
#include <vector>

namespace relayer::test
{
namespace
{
using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr seconds kLease(4);
// What a busy machine adds to the lease: looking each second, taking the lane, reading it.
constexpr seconds kSlack(20);

ServerOptions instance(const ChainWorld &world, const std::string &name)
{
    ServerOptions options = world.watchfulOptions(name);
    options.environment["RELAYER_INSTANCE__LEASE"] = "4s";
    options.environment["RELAYER_TX_ENGINE__LANE_LEASE"] = "4s";
    // So that its sessions can be told from those of others.
    options.environment["RELAYER_DATABASE__URL"] += "?application_name=" + name;
    return options;
}

class Instances : public DevnetSuite
{
  protected:
    std::unique_ptr<ServerProcess> started(ServerOptions options) const
    {
        auto server = std::make_unique<ServerProcess>(options);
        EXPECT_TRUE(server->becomesHealthy()) << server->output();
        return server;
    }
    // The instance that holds the lane now.
    [[nodiscard]] std::string holder(const std::string &lane = "main") const
    {
        const auto rows = world_.database().query(
            "SELECT i.name FROM signer_lane s JOIN instance i ON i.epoch = s.owner"
            " WHERE s.lease_until > now() AND s.name = '" +
            lane + "'");
        return rows.empty() ? "" : rows[0][0];
    }
    bool comesToHold(const std::string &name, ServerProcess &server,
                     const std::string &lane = "main") const
    {
        const auto deadline = Clock::now() + ChainWorld::kPatience;
        while (holder(lane) != name)
        {
            if (Clock::now() > deadline || server.exitCode(ChainWorld::kBetweenLooks))
            {
                return false;
            }
        }
        return true;
    }
    void expectAllDone(SteadyLoad &load, ServerProcess &server, const std::string &after)
    {
        const SteadyLoad::Seen seen = load.end();
        ASSERT_TRUE(world_.unanswered().empty()) << seen.text() << server.output();
        ASSERT_TRUE(world_.allEnd(server)) << world_.story() << server.output();
        world_.expectNothingLost(after);
        world_.expectEachOnce();
        seen.expectNothingWorseThanUnavailable();
    }
    // From now on, by the database's clock: when a lane or a request was taken from whom, and until
    // when that one had it for itself.
    void noteWhoTakesWhat() const
    {
        world_.database().query(
            "CREATE TABLE taken (what text, held_by bigint, held_until timestamptz,"
            " at timestamptz);"
            " CREATE FUNCTION note_taken() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN"
            " INSERT INTO taken VALUES (TG_TABLE_NAME, OLD.owner,"
            " (to_jsonb(OLD) ->> 'lease_until')::timestamptz, now()); RETURN NULL; END$$;"
            " CREATE TRIGGER taken AFTER UPDATE OF owner ON signer_lane FOR EACH ROW"
            " WHEN (OLD.owner <> NEW.owner) EXECUTE FUNCTION note_taken();"
            " CREATE TRIGGER taken AFTER UPDATE OF owner ON request FOR EACH ROW"
            " WHEN (OLD.owner IS DISTINCT FROM NEW.owner) EXECUTE FUNCTION note_taken()");
    }
    [[nodiscard]] bool sessionsEnd(const std::string &name) const
    {
        return eventually([&] {
            return world_.database().value(
                       "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
                       " AND application_name = '" +
                       name + "'") == "0";
        });
    }
    // Neither sooner, while a process that lives would still work on it, nor much later.
    void expectTakenWhenTheLeaseRanOut(const std::string &epoch, const std::string &killed) const
    {
        const auto of = [&](const std::string &columns, const std::string &what) {
            return world_.database().query("SELECT " + columns + " FROM taken WHERE what = '" +
                                           what + "' AND held_by = " + epoch + " AND at > " +
                                           killed);
        };
        const auto ms = [](const std::string &interval) {
            return "coalesce(round(extract(epoch FROM " + interval + ") * 1000), 0)::bigint";
        };
        const auto lane =
            of("count(*), " + ms("min(at - held_until)") + ", " + ms("max(at) - " + killed),
               "signer_lane");
        // Of a lane comes with it what is on its way there; all else is free when nobody has heard
        // of the instance for its lease.
        const std::string free =
            "least((SELECT min(held_until) FROM taken WHERE what = 'signer_lane'),"
            " (SELECT heartbeat_at + interval '4 seconds' FROM instance WHERE epoch = " +
            epoch + "))";
        const auto rows = of(
            "count(*), " + ms("min(at) - " + free) + ", " + ms("max(at) - " + killed), "request");
        ASSERT_EQ(lane[0][0], "1");
        std::cout << "# take-over with a lease of " << milliseconds(kLease).count()
                  << " ms: the lane " << lane[0][1] << " ms after it ran out and " << lane[0][2]
                  << " ms after the end of its holder, " << rows[0][0] << " rows " << rows[0][1]
                  << " ms and " << rows[0][2] << " ms" << std::endl;
        EXPECT_GE(std::stol(lane[0][1]), 0) << "pushed in";
        EXPECT_LE(std::stol(lane[0][2]), milliseconds(kLease + kSlack).count());
        EXPECT_GE(std::stol(rows[0][1]), 0) << "taken from one who may live";
        EXPECT_LE(std::stol(rows[0][2]), milliseconds(kLease + kSlack).count());
    }
    // Of attempts, by lane.
    [[nodiscard]] std::vector<std::vector<std::string>> sentByLane() const
    {
        return world_.database().query(
            "SELECT lane, count(*) FROM tx_attempt GROUP BY lane ORDER BY lane");
    }

    ChainWorld world_{devnet()};
};

milliseconds since(Clock::time_point start)
{
    return std::chrono::duration_cast<milliseconds>(Clock::now() - start);
}

constexpr const char *kSentAlready = "id IN (SELECT request_id FROM tx_attempt)";
}  // namespace

TEST_F(Instances, TheSameKeyIsHeldByOneAndTakenOverWithinTheLeaseWhenItIsKilledUnderLoad)
{
    RELAYER_NEEDS_CHAIN();
    auto one = started(instance(world_, "one"));
    ASSERT_TRUE(comesToHold("one", *one)) << one->output();
    auto two = started(instance(world_, "two"));
    SteadyLoad load(world_);
    load.postAt({one.get(), two.get()});
    const auto deadline = Clock::now() + ChainWorld::kPatience;
    while (world_.rows("NOT live") < 20 && Clock::now() < deadline)
    {
    }
    EXPECT_EQ(holder(), "one") << "who stands by does not push in";

    noteWhoTakesWhat();
    const std::string epoch = world_.epochOf("one");
    ASSERT_NE(world_.database().value(
                  "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'one'"),
              "0");
    one->kill(SIGKILL);
    // What it had sent to the database goes on there for a moment.
    ASSERT_TRUE(one->exitCode() && sessionsEnd("one"));
    const std::string killed = "'" + world_.database().value("SELECT now()") + "'::timestamptz";
    ASSERT_TRUE(comesToHold("two", *two)) << two->output();
    ASSERT_TRUE(
        world_.becomes("owner IS NOT NULL AND live AND owner NOT IN (SELECT epoch FROM instance"
                       " WHERE heartbeat_at > now() - interval '4 seconds')",
                       0, *two))
        << two->output();
    expectTakenWhenTheLeaseRanOut(epoch, killed);
    load.postAt({two.get()});
    expectAllDone(load, *two, "one of two killed");
}

TEST_F(Instances, ARestartUnderTheSameNameTakesItsOwnAtOnceHoweverLongTheLease)
{
    RELAYER_NEEDS_CHAIN();
    ServerOptions options = instance(world_, "one");
    options.environment["RELAYER_INSTANCE__LEASE"] = "1h";
    options.environment["RELAYER_TX_ENGINE__LANE_LEASE"] = "10m";
    auto one = started(options);
    ServerOptions other = instance(world_, "two");
    other.environment["RELAYER_INSTANCE__LEASE"] = "1h";
    other.environment["RELAYER_TX_ENGINE__LANE_LEASE"] = "10m";
    ASSERT_TRUE(comesToHold("one", *one)) << one->output();
    auto two = started(other);
    SteadyLoad load(world_);
    load.postAt({one.get(), two.get()});
    for (int round = 0; round < 2; ++round)
    {
        const std::size_t before = world_.rows();
        const auto deadline = Clock::now() + ChainWorld::kPatience;
        while (world_.rows() < before + 15 && Clock::now() < deadline)
        {
        }
        one->kill(SIGKILL);
        one = started(options);
        load.postAt({one.get(), two.get()});
    }
    expectAllDone(load, *one, "restarted twice with a lease of ten minutes and more");
    EXPECT_EQ(holder(), "one");
}

// As when a start hangs before it enrols, somebody starts another one, and the first goes on.
TEST_F(Instances, WhoIsReplacedUnderItsNameSaysSoAndIsBackWhenTheOtherOneIsGone)
{
    RELAYER_NEEDS_CHAIN();
    const ServerOptions options = instance(world_, "one");
    auto first = started(options);
    ASSERT_TRUE(comesToHold("one", *first)) << first->output();
    world_.submit(0, 2 * kSorts, *first);
    auto late = started(options);
    ASSERT_TRUE(first->printed("step=instance_replaced alert=true")) << first->output();
    ASSERT_TRUE(late->printed("step=lane_held")) << late->output();
    // Clients notice nothing: what the one takes in, the other one works on.
    world_.submit(2 * kSorts, 2 * kSorts, *first);
    ASSERT_TRUE(world_.allEnd(*late)) << world_.story() << late->output();
    EXPECT_EQ(first->output().find("step=instance_name_free"), std::string::npos)
        << "two that throw each other out";

    world_.submit(4 * kSorts, kSorts, *late);
    late->kill(SIGKILL);
    const auto killed = Clock::now();
    world_.submit(5 * kSorts, kSorts, *first);
    ASSERT_TRUE(first->printed("step=instance_name_free")) << first->output();
    ASSERT_TRUE(comesToHold("one", *first)) << first->output();
    std::cout << "# back " << since(killed).count() << " ms after the other one, with a lease of "
              << milliseconds(kLease).count() << " ms" << std::endl;
    ASSERT_TRUE(world_.unanswered().empty());
    ASSERT_TRUE(world_.allEnd(*first)) << world_.story() << first->output();
    world_.expectNothingLost("replaced and back");
    world_.expectEachOnce();
}

TEST_F(Instances, LanesWithDifferentKeysShareTheWorkAndTheRate)
{
    RELAYER_NEEDS_CHAIN();
    constexpr std::uint64_t kMany = 60;
    constexpr int kPerSecond = 10;
    std::vector<std::unique_ptr<ServerProcess>> servers;
    for (unsigned number = 0; number < 3; ++number)
    {
        ServerOptions options =
            world_.ofLane(instance(world_, "instance-" + std::to_string(number)), number);
        options.environment["RELAYER_TX_THROTTLER__INPUT_PROOF__PER_SECOND"] =
            std::to_string(kPerSecond);
        servers.push_back(started(options));
        ASSERT_TRUE(comesToHold("instance-" + std::to_string(number), *servers.back(),
                                "lane-" + std::to_string(number)))
            << servers.back()->output();
    }
    // All have counted the lanes by then: it is done each second.
    EXPECT_EQ(servers[0]->exitCode(seconds(3)), std::nullopt);
    // Input proofs only: every fifth number.
    for (std::uint64_t i = 0; i < kMany; ++i)
    {
        world_.submit(kSorts * i, *servers[i % servers.size()]);
    }
    ASSERT_TRUE(world_.unanswered().empty());
    ASSERT_TRUE(world_.allEnd(*servers[0])) << world_.story() << servers[0]->output();
    world_.expectNothingLost("three lanes");
    world_.expectEachOnce();
    std::size_t lanes = 0;
    for (const auto &row : sentByLane())
    {
        std::cout << "#   " << row[0] << " sent " << row[1] << std::endl;
        ++lanes;
        EXPECT_GE(std::stoul(row[1]), kMany / 10) << "has no part of it";
    }
    EXPECT_EQ(lanes, 3U);
    // The rate is that of the deployment. A burst is a second's worth; what was claimed together is
    // signed together, so times may be off by a batch.
    const auto span = std::stod(world_.database().value(
        "SELECT extract(epoch FROM max(created_at) - min(created_at)) FROM tx_attempt"));
    std::cout << "#   " << kMany << " in " << span << " s at " << kPerSecond << " a second"
              << std::endl;
    EXPECT_GE(span, static_cast<double>(kMany) / kPerSecond - 2.0);
}

TEST_F(Instances, ALaneThatIsGoneLeavesTheWorkToTheOthersAndItsNoncesToItsReturn)
{
    RELAYER_NEEDS_CHAIN();
    const ServerOptions first = world_.ofLane(instance(world_, "one"), 0);
    auto one = started(first);
    auto two = started(world_.ofLane(instance(world_, "two"), 1));
    ASSERT_TRUE(comesToHold("one", *one, "lane-0")) << one->output();
    ASSERT_TRUE(comesToHold("two", *two, "lane-1")) << two->output();
    SteadyLoad load(world_);
    // What waits for one that is gone, on a machine with other things to do, is bounded by this.
    load.atMost(200);
    load.postAt({one.get(), two.get()});
    const auto deadline = Clock::now() + ChainWorld::kPatience;
    while ((world_.rows("NOT live") < 20 || sentByLane().size() < 2) && Clock::now() < deadline)
    {
    }
    one->kill(SIGKILL);
    load.postAt({two.get()});
    const std::string there = world_.database().value("SELECT max(id) FROM request");
    // What was not sent by then is sent by the other one, and comes to its end without the first.
    ASSERT_TRUE(
        world_.becomes("live AND id <= " + there + " AND NOT (" + kSentAlready + ")", 0, *two))
        << world_.story() << two->output();
    const std::string ofTheOther =
        "id IN (SELECT request_id FROM tx_attempt WHERE lane = 'lane-1')";
    ASSERT_TRUE(world_.becomes("live AND id <= " + there + " AND " + ofTheOther, 0, *two))
        << world_.story() << two->output();
    one = started(first);
    expectAllDone(load, *two, "one of two lanes killed and back");
    EXPECT_EQ(sentByLane().size(), 2U);
}

TEST_F(Instances, TheLengthOfAQueueAndItsRateAreTheSameWhereverOneAsks)
{
    RELAYER_NEEDS_CHAIN();
    const auto slowly = [&](const std::string &name) {
        ServerOptions options = instance(world_, name);
        options.environment["RELAYER_TX_THROTTLER__INPUT_PROOF__PER_SECOND"] = "1";
        options.environment["RELAYER_METRICS__ENABLED"] = "true";
        options.environment["RELAYER_METRICS__PORT"] = "0";
        return options;
    };
    auto one = started(slowly("one"));
    ASSERT_TRUE(comesToHold("one", *one)) << one->output();
    auto two = started(slowly("two"));
    // Taken in by one of them only; the other one learns of them from the database.
    for (std::uint64_t i = 0; i < 20; ++i)
    {
        world_.submit(kSorts * i, *two);
    }
    const auto said = [](ServerProcess &server, const std::string &family) {
        const std::string before = "metrics on http://127.0.0.1:";
        const std::string output = server.output();
        const auto port = static_cast<std::uint16_t>(
            std::stoul(output.substr(output.find(before) + before.size())));
        const std::string text = HttpClient(port).get("/metrics").value().body;
        const std::string sample = family + R"({queue_type="input_proof_tx_throttler"} )";
        return std::stol(text.substr(text.find(sample) + sample.size()));
    };
    EXPECT_EQ(said(*one, "relayer_queue_rate"), 1);
    EXPECT_EQ(said(*two, "relayer_queue_rate"), 1);
    // The queue moves by one a second, and each looks once a second.
    const std::string size = "relayer_queue_size_count";
    const auto deadline = Clock::now() + ChainWorld::kPatience;
    bool same = false;
    while (!same && Clock::now() < deadline)
    {
        const auto here = said(*one, size);
        const auto there = said(*two, size);
        const auto waiting =
            static_cast<long>(world_.rows("status = 'processing' AND owner IS NULL"));
        same = waiting > 2 && here == waiting && there == waiting;
        ASSERT_GT(waiting, 0) << "the queue ran empty before they agreed";
    }
    EXPECT_TRUE(same);
}
}  // namespace relayer::test
