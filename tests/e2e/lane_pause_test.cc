// A lane that an operator has paused: what comes in waits before the signature, also after a
// restart, until it is taken back.
#include "chain/uint256.h"
#include "e2e/admin_server.h"
#include "e2e/chain_world.h"
#include "support/eventually.h"
#include "support/exposition.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace relayer::test
{
namespace
{
using testing::HasSubstr;

class LanePause : public testing::Test
{
  protected:
    void SetUp() override
    {
        RELAYER_NEEDS_CHAIN();
        devnet_ = std::make_unique<Devnet>();
        world_ = std::make_unique<ChainWorld>(*devnet_);
        start();
    }
    void start()
    {
        ServerOptions options = withAdmin(world_->serverOptions());
        options.environment["RELAYER_METRICS__ENABLED"] = "true";
        options.environment["RELAYER_METRICS__PORT"] = "0";
        server_ = std::make_unique<ServerProcess>(options);
        ASSERT_TRUE(server_->becomesHealthy()) << server_->output();
        client_ = std::make_unique<HttpClient>(server_->port());
    }
    Json::Value lane()
    {
        return client_->get("/admin/lanes", adminHeaders()).value().json()["lanes"][0];
    }
    void act(const std::string &what, const std::string &body = "")
    {
        const auto reply = client_->post("/admin/" + what, body, adminHeaders()).value();
        EXPECT_EQ(reply.status, 200) << reply.body;
    }
    bool gaugeBecomes(const std::string &name, double value)
    {
        HttpClient metrics(portBehind(server_->output(), "metrics on http://127.0.0.1:"));
        return eventually(
            [&] { return Exposition(metrics.get("/metrics").value().body).value(name) == value; });
    }
    std::string overview()
    {
        const std::string set = client_
                                    ->post("/console/login", "token=" + kAdminToken + "&name=ada",
                                           {{"Content-Type", "application/x-www-form-urlencoded"}})
                                    .value()
                                    .header("set-cookie");
        return client_->get("/console", {{"Cookie", set.substr(0, set.find(';'))}}).value().body;
    }
    // While a client holds its poll, which is long enough for all of its way.
    void expectThatNothingIsSigned(std::uint64_t number)
    {
        const auto held = client_->get(world_->jobPathOf(number), {{"Prefer", "wait=3"}}).value();
        EXPECT_EQ(held.status, 202) << held.body;
        EXPECT_EQ(held.json()["state"], "processing") << held.body;
        EXPECT_EQ(world_->rows("live"), 1U);
        EXPECT_EQ(world_->rows("status = 'processing' AND owner IS NULL"), 1U);
        EXPECT_EQ(world_->database().value("SELECT count(*) FROM tx_attempt"), "1");
    }

    std::unique_ptr<Devnet> devnet_;
    std::unique_ptr<ChainWorld> world_;
    std::unique_ptr<ServerProcess> server_;
    std::unique_ptr<HttpClient> client_;
};

TEST_F(LanePause, HoldsWhatComesInAlsoAfterARestartUntilItIsTakenBack)
{
    ASSERT_TRUE(world_->submit(0, *server_));
    ASSERT_TRUE(world_->allEnd(*server_)) << world_->story() << server_->output();
    const std::string name = lane()["name"].asString();
    ASSERT_TRUE(gaugeBecomes("relayer_lane_held", 1)) << "it is said once a second";
    EXPECT_TRUE(gaugeBecomes("relayer_lane_paused_by_operator", 0));
    EXPECT_THAT(overview(), HasSubstr("Holds the lane and sends."));
    act("lanes/" + name + "/pause", R"({"reason":"fees"})");
    EXPECT_TRUE(gaugeBecomes("relayer_lane_paused_by_operator", 1));
    EXPECT_THAT(overview(), HasSubstr("An operator has paused its lane"));
    ASSERT_TRUE(world_->submit(kSorts, *server_));
    ASSERT_TRUE(world_->unanswered().empty()) << "it is taken in all the same";
    expectThatNothingIsSigned(kSorts);

    server_->kill(SIGTERM);
    EXPECT_EQ(server_->exitCode(), 0) << server_->output();
    start();
    EXPECT_TRUE(gaugeBecomes("relayer_lane_held", 1));
    EXPECT_TRUE(gaugeBecomes("relayer_lane_paused_by_operator", 1));
    EXPECT_EQ(lane()["state"], "paused");
    EXPECT_EQ(lane()["reason"], "fees");
    expectThatNothingIsSigned(kSorts);

    act("lanes/" + name + "/resume");
    ASSERT_TRUE(world_->allEnd(*server_)) << world_->story() << server_->output();
    world_->expectEachOnce();
    EXPECT_TRUE(gaugeBecomes("relayer_lane_paused_by_operator", 0));
    EXPECT_EQ(lane()["state"], "held");
}

TEST_F(LanePause, OfIntakeIsAMetric)
{
    EXPECT_TRUE(gaugeBecomes("relayer_intake_paused", 0));
    act("intake/pause");
    EXPECT_TRUE(gaugeBecomes("relayer_intake_paused", 1));
    act("intake/resume");
    EXPECT_TRUE(gaugeBecomes("relayer_intake_paused", 0));
}

TEST_F(LanePause, LanesAreListedWithWhatTheirAccountHas)
{
    ASSERT_TRUE(world_->submit(0, *server_));
    ASSERT_TRUE(world_->allEnd(*server_)) << world_->story() << server_->output();
    const Json::Value found = lane();
    const std::string quantity =
        devnet_->call("eth_getBalance", {found["address"], "latest"}).asString();
    const auto balance = chain::parseQuantity(quantity);
    ASSERT_TRUE(balance && *balance > 0) << quantity;
    EXPECT_EQ(found["balance_wei"].asString(), balance->str());
}
}  // namespace
}  // namespace relayer::test
