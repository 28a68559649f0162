// A stop in good order, as clients, service managers and the database see it. With a chain:
// drain_chain_test.cc.
#include "e2e/requests.h"
#include "support/eventually.h"
#include "support/fake_node.h"
#include "support/loopback.h"
#include "support/notify_socket.h"
#include "support/private_postgres.h"
#include "support/test_database.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <poll.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace relayer::test
{
namespace
{
using std::chrono::seconds;

constexpr int kUnfinished = 75;

class Stopping : public testing::Test
{
  protected:
    void SetUp() override
    {
        RELAYER_NEEDS_SERVER();
        database_ = std::make_unique<TestDatabase>();
    }

    void serve(const std::map<std::string, std::string> &environment = {})
    {
        ServerOptions options = onDatabase(database_->url());
        options.environment["RELAYER_INSTANCE__LEASE"] = "10m";
        for (const auto &[name, value] : environment)
        {
            options.environment[name] = value;
        }
        server_ = std::make_unique<ServerProcess>(options);
        ASSERT_TRUE(server_->becomesHealthy()) << server_->output();
        ASSERT_TRUE(server_->printed("step=enrolled"));
    }
    // So long that a test sees it whatever the machine does; the server is killed in the end.
    void serveWithAPause()
    {
        serve(
            {{"RELAYER_INSTANCE__DRAIN_PAUSE", "9m"}, {"RELAYER_INSTANCE__DRAIN_DEADLINE", "10m"}});
    }
    void beginToDrain(int signal = SIGTERM)
    {
        server_->kill(signal);
        ASSERT_TRUE(server_->becomesUnhealthy()) << server_->output();
    }
    [[nodiscard]] bool becomesTrue(const std::string &condition) const
    {
        return eventually([&] { return database_->value("SELECT " + condition) == "t"; });
    }

    std::unique_ptr<TestDatabase> database_;
    std::unique_ptr<ServerProcess> server_;
};

void expectClosed(const std::optional<HttpReply> &reply, int status)
{
    ASSERT_TRUE(reply);
    EXPECT_EQ(reply->status, status) << reply->body;
    EXPECT_EQ(reply->header("connection"), "close");
}

TEST_F(Stopping, AnIdleServerEndsWithZeroAndLeavesNothingBehind)
{
    for (const int signal : {SIGTERM, SIGINT})
    {
        serve();
        // The first round of the sweeper comes with its interval.
        database_->query(
            "INSERT INTO duty (name, owner, lease_until) SELECT 'sweep', epoch, now() + interval"
            " '1 hour' FROM instance ON CONFLICT (name) DO UPDATE SET owner = excluded.owner");
        server_->kill(signal);
        EXPECT_EQ(server_->exitCode(), 0) << server_->output();
        EXPECT_EQ(database_->value("SELECT count(*) FROM instance WHERE draining AND heartbeat_at ="
                                   " '-infinity'"),
                  "1");
        EXPECT_EQ(database_->value("SELECT count(*) FROM duty"), "0");
    }
}

TEST_F(Stopping, MeanwhileEverythingIsAnsweredAndOnlyHealthzSaysNo)
{
    serveWithAPause();
    HttpClient before(server_->port());
    const auto job = before.post(kInputProof, proofBody(1).text());
    ASSERT_TRUE(job);
    EXPECT_EQ(job->header("connection"), "");
    const std::string path =
        std::string(kInputProof) + "/" + job->json()["result"]["jobId"].asString();
    beginToDrain();

    expectClosed(before.get("/liveness"), 200);
    HttpClient client(server_->port());
    const auto health = client.get("/healthz");
    expectClosed(health, 503);
    EXPECT_EQ(health->body,
              R"({"status":"unhealthy","dependencies":{"database":"ok","instance":"fail"}})");
    expectClosed(client.get("/liveness"), 200);
    expectClosed(client.get(path), 202);
    expectClosed(client.get("/nowhere"), 404);
    expectClosed(client.post(kInputProof, "{"), 400);
    expectClosed(client.post(kInputProof, proofBody(2).text()), 202);
    EXPECT_EQ(database_->value("SELECT count(*) FROM request WHERE owner IS NULL"), "2");
    // A request for a stream gets what there is to tell, as one answer.
    const auto events = client.get(path + "/events");
    expectClosed(events, 200);
    EXPECT_NE(events->body.find("event: status"), std::string::npos) << events->body;
    // What would be held is not.
    expectClosed(client.get(path + "?wait=50"), 202);
    // And who has our rows need not wait for us, though we are still here.
    EXPECT_TRUE(becomesTrue("draining FROM instance")) << server_->output();
    server_->kill(SIGKILL);
}

TEST_F(Stopping, WaitsForNothingAfterThePauseAndNotLess)
{
    serve({{"RELAYER_INSTANCE__DRAIN_PAUSE", "2s"}});
    server_->kill(SIGTERM);
    ASSERT_TRUE(server_->printed("step=left")) << server_->output();
    EXPECT_EQ(server_->exitCode(std::chrono::milliseconds(500)), std::nullopt);
    EXPECT_EQ(server_->exitCode(), 0) << server_->output();
}

TEST_F(Stopping, ALongPollAndAStreamAreAnsweredThoughTheServerStays)
{
    serveWithAPause();
    HttpClient client(server_->port());
    const auto job = client.post(kInputProof, proofBody(1).text());
    ASSERT_TRUE(job);
    const std::string path =
        std::string(kInputProof) + "/" + job->json()["result"]["jobId"].asString();
    HttpClient poll(server_->port());
    HttpClient stream(server_->port());
    ASSERT_TRUE(stream.send("GET " + path + "/events HTTP/1.1\r\nHost: x\r\n\r\n"));
    ASSERT_TRUE(stream.receive(true));
    ASSERT_TRUE(stream.receiveChunk());
    ASSERT_TRUE(poll.send("GET " + path + "?wait=55 HTTP/1.1\r\nHost: x\r\n\r\n"));
    beginToDrain();
    expectClosed(poll.receive(), 202);
    const auto last = stream.receiveChunk();
    ASSERT_TRUE(last);
    EXPECT_NE(last->find("the server is closing"), std::string::npos) << *last;
    EXPECT_EQ(stream.receiveChunk(), "") << "and that is the end of the answer";
    server_->kill(SIGKILL);
}

TEST_F(Stopping, ASecondSignalEndsItAtOnce)
{
    for (const auto &[first, second] :
         {std::pair(SIGTERM, SIGTERM), {SIGINT, SIGINT}, {SIGTERM, SIGINT}})
    {
        serveWithAPause();
        beginToDrain(first);
        server_->kill(second);
        EXPECT_EQ(server_->exitCode(), 128 + second) << server_->output();
    }
}

TEST_F(Stopping, BeforeThereIsAnythingToStopEndsWithZero)
{
    // A database that takes connections and says nothing, while the plugins start.
    const int listener = listeningOnLoopback(16);
    ServerOptions options =
        onDatabase("postgresql://a:b@127.0.0.1:" + std::to_string(portOf(listener)) + "/x");
    options.environment["RELAYER_DATABASE__CONNECT_TIMEOUT"] = "5m";
    ServerProcess server(options);
    pollfd asked{listener, POLLIN, 0};
    ASSERT_EQ(::poll(&asked, 1, 60'000), 1) << server.output();
    server.kill(SIGTERM);
    EXPECT_EQ(server.exitCode(), 0) << server.output();
    ::close(listener);
}

// What waits for them is left as it is, with the loops that it would come back to.
TEST_F(Stopping, ThoughANodeNeverAnswersEndsWithZero)
{
    FakeNode host;
    Wire silent;
    silent.neverAnswer = true;
    host.misbehaveAlways(silent);
    serve({{"RELAYER_HOST_CHAINS__0__CHAIN_ID", "8009"},
           {"RELAYER_HOST_CHAINS__0__URL", host.url()},
           {"RELAYER_HOST_CHAINS__0__ACL_ADDRESS", "0x" + std::string(40, 'a')},
           {"RELAYER_GATEWAY__RPC__TIMEOUT", "5m"}});
    ASSERT_TRUE(host.waitForCalls("eth_chainId", 1));
    server_->kill(SIGTERM);
    EXPECT_EQ(server_->exitCode(), 0) << server_->output();
}

TEST(StoppingWithoutPostgres, EndsAtItsDeadlineAndSaysWhatIsLeft)
{
    RELAYER_NEEDS_SERVER();
    PrivatePostgres postgres;
    ServerOptions options = onDatabase(postgres.url());
    options.environment["RELAYER_INSTANCE__DRAIN_DEADLINE"] = "2s";
    ServerProcess server(options);
    ASSERT_TRUE(server.printed("step=enrolled")) << server.output();
    postgres.stop();
    ASSERT_TRUE(server.becomesUnhealthy()) << server.output();
    server.kill(SIGTERM);
    EXPECT_EQ(server.exitCode(), kUnfinished) << server.output();
    EXPECT_TRUE(server.printed("step=drain_unfinished left: hand_over=1")) << server.output();
}

TEST_F(Stopping, ItsServiceManagerHearsOfItAndOfTheStart)
{
    for (const auto kind : {NotifySocket::Kind::Path, NotifySocket::Kind::Abstract})
    {
        NotifySocket manager(kind);
        serve({{"NOTIFY_SOCKET", manager.name()}, {"WATCHDOG_USEC", "200000"}});
        const std::string listening =
            "listening on http://127.0.0.1:" + std::to_string(server_->port());
        EXPECT_EQ(manager.next(), "READY=1\nSTATUS=" + listening);
        for (int i = 0; i < 3; ++i)
        {
            EXPECT_EQ(manager.next(), "WATCHDOG=1");
        }
        server_->kill(SIGTERM);
        EXPECT_EQ(manager.nextThatBegins("STOPPING=1"), "STOPPING=1\nSTATUS=draining");
        EXPECT_TRUE(manager.nextThatBegins("STATUS=draining: "));
        EXPECT_EQ(server_->exitCode(), 0) << server_->output();
    }
}

// The thread of the child with that name; 0: there is none.
pid_t threadOf(pid_t process, const std::string &name)
{
    for (const auto &task :
         std::filesystem::directory_iterator("/proc/" + std::to_string(process) + "/task"))
    {
        std::string line;
        std::ifstream comm(task.path() / "comm");
        if (std::getline(comm, line) && line == name)
        {
            return static_cast<pid_t>(std::stol(task.path().filename()));
        }
    }
    return 0;
}

TEST_F(Stopping, TheWatchdogIsNotFedWhileALoopStandsStill)
{
    NotifySocket manager(NotifySocket::Kind::Path);
    serve({{"NOTIFY_SOCKET", manager.name()}, {"WATCHDOG_USEC", "1000000"}});
    ASSERT_TRUE(manager.nextThatBegins("WATCHDOG=1"));
    const pid_t thread = threadOf(server_->process(), "HealthChecks");
    ASSERT_NE(thread, 0);
    if (ptrace(PTRACE_SEIZE, thread, nullptr, nullptr) != 0)
    {
        GTEST_SKIP() << "allowed: this machine does not let a thread of a child be stopped";
    }
    ASSERT_EQ(ptrace(PTRACE_INTERRUPT, thread, nullptr, nullptr), 0);
    ASSERT_EQ(waitpid(thread, nullptr, __WALL), thread);
    EXPECT_TRUE(server_->printed("step=loop_stands_still alert=true loop=HealthChecks"))
        << server_->output();
    while (manager.next(std::chrono::milliseconds(0)))
    {
    }
    EXPECT_EQ(manager.next(seconds(3)), std::nullopt);
    ASSERT_EQ(ptrace(PTRACE_DETACH, thread, nullptr, nullptr), 0);
    EXPECT_TRUE(manager.nextThatBegins("WATCHDOG=1")) << "it turns again";
}
}  // namespace
}  // namespace relayer::test
