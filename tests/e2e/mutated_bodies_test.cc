// Bodies that were right once, posted to the real server: each is taken or refused with a reason,
// none is a fault of ours, and the server stays. Built with sanitizers, it is all that is promised.
#include "e2e/requests.h"
#include "support/api_document.h"
#include "support/json_text.h"
#include "support/mutations.h"
#include "support/test_database.h"
#include "support/test_mode.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <map>

namespace relayer::test
{
namespace
{
bool withSanitizers()
{
    const char *sanitizer = std::getenv("RELAYER_TEST_SANITIZER");  // NOLINT(concurrency-mt-unsafe)
    return (sanitizer != nullptr && std::string(sanitizer) == "asan") || fullTests();
}

struct Target
{
    const Operation *operation;
    std::string body;
};

std::vector<Target> targetsOf(const ApiDocument &document)
{
    std::vector<Target> targets;
    for (const Operation &each : document.operations())
    {
        if (each.method == "POST")
        {
            targets.push_back({&each, jsonText(each.body()["examples"]["example"]["value"])});
        }
    }
    return targets;
}

std::string posted(const std::string &path, const std::string &body)
{
    return "POST " + path +
           " HTTP/1.1\r\nHost: x\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
           body;
}

TEST(MutatedBodies, AreTakenOrRefusedByTheRealServerAndNeverAFault)
{
    RELAYER_NEEDS_SERVER();
    const TestDatabase database;
    ServerProcess server(onDatabase(database.url(), "one", "error"));
    ASSERT_TRUE(server.becomesHealthy()) << server.output();
    HttpClient client(server.port(), std::chrono::seconds(60));
    const ApiDocument document(client.get("/openapi.json").value().body);
    const std::vector<Target> targets = targetsOf(document);
    ASSERT_EQ(targets.size(), 5U);
    const int bodies = withSanitizers() ? 100000 : 10000;
    constexpr int kAtOnce = 250;
    Mutations mutations(20231116);
    std::map<int, int> statuses;
    for (int round = 0; round < bodies && !testing::Test::HasFailure(); round += kAtOnce)
    {
        std::vector<const Target *> asked;
        std::vector<std::string> sent;
        std::string bytes;
        for (int i = 0; i < kAtOnce; ++i)
        {
            asked.push_back(&targets[static_cast<std::size_t>(i) % targets.size()]);
            sent.push_back(mutations.of(asked.back()->body));
            bytes += posted(asked.back()->operation->path, sent.back());
        }
        ASSERT_TRUE(client.send(bytes)) << server.output();
        for (std::size_t i = 0; i < sent.size(); ++i)
        {
            const auto reply = client.receive();
            ASSERT_TRUE(reply) << sent[i] << "\n" << server.output();
            ++statuses[reply->status];
            EXPECT_LT(reply->status, 500) << reply->body << sent[i];
            EXPECT_TRUE(reply->status == 202 || reply->status == 400 || reply->status == 429)
                << reply->status << reply->body << sent[i];
            // Each of them would take as long as all the rest.
            if (i % 8 == 0)
            {
                const auto problems = document.problems(*asked[i]->operation, *reply);
                EXPECT_TRUE(problems.empty()) << problems.front() << "\n" << reply->body << sent[i];
            }
        }
    }
    EXPECT_EQ(HttpClient(server.port()).get("/healthz").value().status, 200);
    EXPECT_FALSE(server.exitCode(std::chrono::milliseconds(0))) << server.output();
    // Most mutations change a handle, and with it the chain or what was signed.
    EXPECT_GT(statuses[202], bodies / 200);
    EXPECT_GT(statuses[400], bodies / 2);
    std::cout << "# mutated bodies through HTTP: " << bodies;
    for (const auto &[status, count] : statuses)
    {
        std::cout << ", " << count << " x " << status;
    }
    std::cout << "\n";
}
}  // namespace
}  // namespace relayer::test
