#include "e2e/admission_storm.h"

#include "e2e/requests.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

namespace relayer::test
{
namespace
{
class Storm
{
  public:
    explicit Storm(const StormPlan &plan)
        : plan_(plan), deadline_(std::chrono::steady_clock::now() + plan.atMost)
    {}

    StormOutcome run()
    {
        std::vector<std::thread> clients;
        for (std::size_t i = 0; i < plan_.clients; ++i)
        {
            clients.emplace_back([this] { postUntilTheEnd(); });
        }
        for (std::thread &client : clients)
        {
            client.join();
        }
        const std::uint64_t tried = std::min(next_.load(), plan_.contents);
        outcome_.untried = static_cast<std::size_t>(plan_.contents - tried);
        return std::move(outcome_);
    }

  private:
    void postUntilTheEnd()
    {
        HttpClient client(plan_.port);
        for (std::uint64_t content = next_++; content < plan_.contents; content = next_++)
        {
            const auto reply = client.post(kInputProof, proofBody(content).text());
            if (!keep(content, reply) || std::chrono::steady_clock::now() > deadline_)
            {
                return;
            }
        }
    }

    // False when the server is gone.
    bool keep(std::uint64_t content, const std::optional<HttpReply> &reply)
    {
        bool strikeNow = false;
        {
            const std::lock_guard lock(mutex_);
            if (!reply)
            {
                ++outcome_.unanswered;
                return false;
            }
            ++outcome_.statuses[reply->status];
            if (reply->status != 202)
            {
                ++outcome_.refused;
                return true;
            }
            outcome_.admitted[content] = reply->json()["result"]["jobId"].asString();
            strikeNow = outcome_.admitted.size() == plan_.strikeAt;
        }
        if (strikeNow && plan_.strike)
        {
            plan_.strike();
            const std::lock_guard lock(mutex_);
            outcome_.acceptedWhenStruck = outcome_.admitted.size();
        }
        return true;
    }

    const StormPlan &plan_;
    const std::chrono::steady_clock::time_point deadline_;
    std::atomic<std::uint64_t> next_{0};
    std::mutex mutex_;
    StormOutcome outcome_;  // under mutex_
};
}  // namespace

StormOutcome storm(const StormPlan &plan)
{
    return Storm(plan).run();
}
}  // namespace relayer::test
