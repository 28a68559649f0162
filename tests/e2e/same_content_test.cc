// The same content from thousands of clients at once.
#include "e2e/decrypt_server.h"

#include <atomic>
#include <mutex>
#include <set>
#include <thread>

namespace relayer::test
{
namespace
{
constexpr int kPosts = 10'000;
constexpr int kClients = 64;

class SameContent : public DecryptServer
{};

struct Outcome
{
    std::set<std::string> jobs;
    int accepted = 0;
};

// All of them are on their way before the first has its answer.
Outcome postAtOnce(std::uint16_t port, const Post &post)
{
    Outcome outcome;
    std::mutex mutex;
    std::atomic<int> left{kPosts};
    std::vector<std::jthread> clients;
    for (int i = 0; i < kClients; ++i)
    {
        clients.emplace_back([&] {
            HttpClient client(port);
            while (left-- > 0)
            {
                const auto reply = client.post(post.path, post.body);
                const std::lock_guard lock(mutex);
                if (reply && reply->status == 202)
                {
                    ++outcome.accepted;
                    outcome.jobs.insert(jobIdOf(*reply));
                }
            }
        });
    }
    clients.clear();
    return outcome;
}
}  // namespace

TEST_F(SameContent, OfTenThousandPostsMakesOneRowAndOneJob)
{
    const Post proof{std::string(kInputProof), proofBody(77).text()};
    for (const Post &post : {proof, everyRoute(fresh()).at(1)})
    {
        SCOPED_TRACE(post.path);
        const std::string before = database_->value("SELECT count(*) FROM request");
        const Outcome outcome = postAtOnce(server_->port(), post);
        EXPECT_EQ(outcome.accepted, kPosts);
        EXPECT_EQ(outcome.jobs.size(), 1U);
        EXPECT_EQ(database_->value("SELECT count(*) - " + before + " FROM request"), "1");
        EXPECT_EQ(database_->value("SELECT count(*) FROM request WHERE job_id = '" +
                                   *outcome.jobs.begin() + "'"),
                  "1");
    }
}
}  // namespace relayer::test
