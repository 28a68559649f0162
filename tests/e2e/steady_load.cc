#include "e2e/steady_load.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

namespace relayer::test
{
namespace
{
using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kBeforeAnotherTry{50};

bool isRightRefusal(const HttpReply &reply)
{
    const std::string wanted = reply.status == 503   ? "gateway_not_reachable"
                               : reply.status == 429 ? "rate_limited"
                                                     : "";
    return !wanted.empty() && labelOf(reply) == wanted && !reply.header("retry-after").empty();
}
}  // namespace

std::string SteadyLoad::Seen::text() const
{
    std::ostringstream text;
    for (const auto &[status, count] : statuses)
    {
        text << count << " answers " << status << ", ";
    }
    text << unanswered << " unanswered";
    if (unanswered > 0)
    {
        text << " (at the latest after " << unansweredAfter.count() << " ms)";
    }
    text << ", the slowest answer took " << slowest.count() << " ms";
    return text.str();
}

void SteadyLoad::Seen::expectNothingWorseThanUnavailable() const
{
    for (const auto &[status, count] : statuses)
    {
        EXPECT_TRUE(status == 202 || status == 503 || status == 429)
            << count << " answers with " << status;
    }
    EXPECT_EQ(wrongRefusals, 0U) << text();
}

SteadyLoad::SteadyLoad(ChainWorld &world, std::size_t clients, Milliseconds pace)
    : world_(world), pace_(pace)
{
    for (std::size_t client = 0; client < clients; ++client)
    {
        clients_.emplace_back([this, client] { postUntilTheEnd(client); });
    }
}

SteadyLoad::~SteadyLoad()
{
    end();
}

void SteadyLoad::postAt(const std::vector<ServerProcess *> &servers)
{
    std::vector<std::uint16_t> ports;
    ports.reserve(servers.size());
    for (ServerProcess *const server : servers)
    {
        ports.push_back(server->port());
    }
    const std::lock_guard lock(mutex_);
    ports_ = std::move(ports);
}

SteadyLoad::Seen SteadyLoad::end()
{
    {
        const std::lock_guard lock(mutex_);
        ending_ = true;
        giveUp_ = Clock::now() + ChainWorld::kPatience;
    }
    wake_.notify_all();
    for (std::thread &client : clients_)
    {
        client.join();
    }
    clients_.clear();
    const std::lock_guard lock(mutex_);
    return seen_;
}

bool SteadyLoad::pause(Milliseconds time)
{
    std::unique_lock lock(mutex_);
    return !wake_.wait_for(lock, time, [this] { return ending_; });
}

std::uint16_t SteadyLoad::portFor(std::size_t turn) const
{
    const std::lock_guard lock(mutex_);
    return ports_.empty() ? 0 : ports_[turn % ports_.size()];
}

void SteadyLoad::postUntilTheEnd(std::size_t client)
{
    std::size_t turn = client;
    while (pause(pace_))
    {
        if (portFor(turn) != 0 && next_ < most_)
        {
            postUntilAccepted(next_++, turn);
        }
        ++turn;
    }
}

void SteadyLoad::postUntilAccepted(std::uint64_t number, std::size_t &turn)
{
    const ChainRequest request = world_.requestOf(number);
    for (;; ++turn)
    {
        const auto began = Clock::now();
        const auto reply =
            HttpClient(portFor(turn), kAnswerWithin).post(request.path, request.body);
        note(reply, std::chrono::ceil<Milliseconds>(Clock::now() - began));
        world_.note(number, reply);
        if (reply && reply->status == 202)
        {
            return;
        }
        std::unique_lock lock(mutex_);
        if (ending_ && Clock::now() > giveUp_)
        {
            return;
        }
        wake_.wait_for(lock, kBeforeAnotherTry, [] { return false; });
    }
}

void SteadyLoad::note(const std::optional<HttpReply> &reply, Milliseconds took)
{
    const std::lock_guard lock(mutex_);
    if (!reply)
    {
        ++seen_.unanswered;
        seen_.unansweredAfter = std::max(seen_.unansweredAfter, took);
        return;
    }
    ++seen_.statuses[reply->status];
    seen_.slowest = std::max(seen_.slowest, took);
    if (reply->status != 202 && !isRightRefusal(*reply))
    {
        ++seen_.wrongRefusals;
    }
}
}  // namespace relayer::test
