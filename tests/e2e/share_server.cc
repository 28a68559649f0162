#include "e2e/share_server.h"

#include "support/eventually.h"
#include "support/test_mode.h"

#include <gtest/gtest.h>

#include <atomic>
#include <barrier>
#include <mutex>
#include <thread>
#include <vector>

namespace relayer::test
{
std::int64_t secondsNow()
{
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::seconds>(now).count();
}

core::Hash32 testRound()
{
    core::Hash32 round{};
    round.fill(0x11);
    return round;
}

bool becomes(const std::function<bool()> &so)
{
    return eventually(so, std::chrono::minutes(underSanitizer() ? 4 : 1));
}

ShareWorldOutside::ShareWorldOutside() : end(secondsNow() + std::int64_t{7} * 86'400)
{
    chain.addRound(testRound(), end);
    chain.addLeaves(300);
}

ServerOptions ShareWorldOutside::options(const Environment &settings,
                                         const std::string &instance) const
{
    ServerOptions options = onDatabase(database.url(), instance);
    const std::string prefix = "RELAYER_SHARE_SCHEDULER__";
    options.environment.insert({{prefix + "ENABLED", "true"},
                                {prefix + "WITNESS_KEYS", std::string(64, 'a')},
                                {prefix + "CHAIN", chain.url()},
                                {prefix + "CHAIN_NODE", chain.url()},
                                {prefix + "PROVER_LIBRARY", shareLibrary()},
                                {prefix + "EXPOSE_QUEUE_STATUS", "true"},
                                {prefix + "BLOCK_INTERVAL", "50ms"},
                                {prefix + "MAINTENANCE", "1s"}});
    for (const auto &[name, value] : settings)
    {
        options.environment[name.starts_with("RELAYER_") ? name : prefix + name] = value;
    }
    return options;
}

std::unique_ptr<ServerProcess> ShareWorldOutside::serve(const Environment &settings,
                                                        const std::string &instance) const
{
    auto server = std::make_unique<ServerProcess>(options(settings, instance));
    EXPECT_TRUE(server->becomesHealthy()) << server->output();
    HttpClient client(server->port());
    EXPECT_TRUE(becomes([&client] {
        const auto reply = client.get(kHelperStatus);
        return reply && reply->status == 200;
    })) << server->output();
    return server;
}

std::string ShareWorldOutside::count(const std::string &state) const
{
    return database.value("SELECT count(*) FROM scheduled_share WHERE state = '" + state + "'");
}

std::map<std::string, int> postTogether(std::uint16_t port, int posts, int connections,
                                        const std::function<std::string(int)> &body)
{
    std::map<std::string, int> told;
    std::mutex mutex;
    std::atomic<int> left{posts};
    std::barrier allConnected(connections);
    std::vector<std::jthread> clients;
    for (int i = 0; i < connections; ++i)
    {
        clients.emplace_back([&] {
            HttpClient client(port);
            static_cast<void>(client.get(kHelperStatus));
            allConnected.arrive_and_wait();
            std::map<std::string, int> mine;
            for (int number = left--; number > 0; number = left--)
            {
                const auto reply = client.post(kShares, body(number));
                ++mine[reply ? std::to_string(reply->status) + " " + reply->body : "none"];
            }
            const std::lock_guard lock(mutex);
            for (const auto &[answer, count] : mine)
            {
                told[answer] += count;
            }
        });
    }
    clients.clear();
    return told;
}

std::string errorOf(const HttpReply &reply)
{
    const Json::Value body = reply.json();
    return body.isObject() && body["status"] == "error" ? body["error"].asString()
                                                        : "no error: " + reply.body;
}
}  // namespace relayer::test
