// Two instances behind nginx, stopped and started in turn under load: no client notices, and
// everything that was taken in is done once.
#include "chain/address.h"
#include "e2e/chain_world.h"
#include "support/nginx_process.h"

#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <iostream>
#include <memory>
#include <mutex>
#include <thread>

namespace relayer::test
{
namespace
{
constexpr int kClients = 6;
constexpr int kRounds = 2;

// Nobody posts as often as these few do: each post is another client's.
HttpHeaders addressOf(std::uint64_t number)
{
    return {{"X-Forwarded-For",
             "203.0." + std::to_string(number / 250 % 250) + "." + std::to_string(number % 250)}};
}

// Clients that post and poll until they are told to stop, each on its own kept connection.
class Load
{
  public:
    Load(const NginxProcess &nginx, core::Address decryption)
        : nginx_(nginx), decryption_(decryption)
    {
        for (int i = 0; i < kClients; ++i)
        {
            threads_.emplace_back([this] { run(); });
        }
    }
    void stop()
    {
        stop_ = true;
        threads_.clear();
    }

    [[nodiscard]] std::map<std::uint64_t, std::string> accepted() const
    {
        const std::lock_guard lock(mutex_);
        return accepted_;
    }
    [[nodiscard]] std::vector<std::string> failures() const
    {
        const std::lock_guard lock(mutex_);
        return failures_;
    }
    [[nodiscard]] std::size_t requests() const { return requests_; }
    // Whether so many more are accepted from now on.
    [[nodiscard]] bool goesOn(std::size_t more)
    {
        std::unique_lock lock(mutex_);
        const std::size_t wanted = accepted_.size() + more;
        return changed_.wait_for(lock, ChainWorld::kPatience,
                                 [&] { return accepted_.size() >= wanted; });
    }

  private:
    void run()
    {
        HttpClient client = nginx_.client(std::chrono::seconds(90));
        while (!stop_)
        {
            const std::uint64_t number = next_++;
            const ChainRequest request = chainRequest(number, decryption_);
            const auto posted =
                answered(client.post(request.path, request.body, addressOf(number)), {202}, "post");
            if (posted.empty())
            {
                continue;
            }
            const std::string path = request.path + "/" + posted;
            {
                const std::lock_guard lock(mutex_);
                accepted_.emplace(number, path);
                changed_.notify_all();
            }
            for (int i = 0; i < 3; ++i)
            {
                const std::string how = i == 2 ? "?wait=1" : "";
                answered(client.get(path + how), {200, 202}, "poll");
            }
        }
    }
    // The job that the answer names; none when it is not as it should be.
    std::string answered(const std::optional<HttpReply> &reply, const std::set<int> &good,
                         const std::string &what)
    {
        ++requests_;
        if (reply && good.contains(reply->status))
        {
            return reply->json()["result"]["jobId"].asString();
        }
        const std::lock_guard lock(mutex_);
        failures_.push_back(
            what + ": " +
            (reply ? std::to_string(reply->status) + " " + reply->body : std::string("no answer")));
        return "";
    }

    const NginxProcess &nginx_;
    const core::Address decryption_;
    std::atomic<bool> stop_{false};
    std::atomic<std::uint64_t> next_{0};
    std::atomic<std::size_t> requests_{0};
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::map<std::uint64_t, std::string> accepted_;
    std::vector<std::string> failures_;
    std::vector<std::jthread> threads_;
};

ServerOptions instance(const ChainWorld &world, const std::string &name, std::uint16_t port)
{
    ServerOptions options = world.serverOptions();
    options.arguments = {"--port", std::to_string(port)};
    options.environment["RELAYER_INSTANCE__NAME"] = name;
    // Whoever waited for a lease would be seen to.
    options.environment["RELAYER_INSTANCE__LEASE"] = "10m";
    options.environment["RELAYER_TX_ENGINE__LANE_LEASE"] = "10m";
    options.environment["RELAYER_INSTANCE__DRAIN_DEADLINE"] = "2m";
    return options;
}
}  // namespace

TEST(RollingRestart, OfTwoInstancesBehindNginxIsNotSeenByAnyClient)
{
    RELAYER_NEEDS_CHAIN();
    RELAYER_NEEDS_NGINX();
    const Devnet devnet;
    ChainWorld world(devnet);
    const std::array<std::uint16_t, 2> ports = {unusedPort(), unusedPort()};
    std::array<std::unique_ptr<ServerProcess>, 2> servers;
    const auto start = [&](std::size_t i) {
        servers.at(i) =
            std::make_unique<ServerProcess>(instance(world, i == 0 ? "one" : "two", ports.at(i)));
        ASSERT_TRUE(servers.at(i)->becomesHealthy()) << servers.at(i)->output();
    };
    start(0);
    start(1);
    const NginxProcess nginx(ports);
    Load load(nginx, chain::parseAddress(devnet.gateway().contracts.at("decryption")).value());
    ASSERT_TRUE(load.goesOn(20)) << nginx.errors();
    for (int round = 0; round < kRounds; ++round)
    {
        for (std::size_t i = 0; i < servers.size(); ++i)
        {
            servers.at(i)->kill(SIGTERM);
            EXPECT_EQ(servers.at(i)->exitCode(std::chrono::minutes(3)), 0)
                << servers.at(i)->output();
            EXPECT_TRUE(load.goesOn(10)) << "the other one alone";
            start(i);
            EXPECT_TRUE(load.goesOn(10));
        }
    }
    load.stop();
    for (const std::string &failure : load.failures())
    {
        ADD_FAILURE() << failure << "\n" << nginx.errors();
    }
    for (const auto &[number, path] : load.accepted())
    {
        world.wasSubmitted(number, path);
    }
    ASSERT_TRUE(world.allEnd(*servers[1])) << world.story() << servers[1]->output();
    std::cout << "# " << load.requests() << " requests of " << kClients << " clients during "
              << 2 * kRounds << " restarts, failed " << load.failures().size() << "; accepted "
              << load.accepted().size() << ", lost " << world.submitted() - world.rows("NOT live")
              << "\n";
    world.expectEachOnce();
}
}  // namespace relayer::test
