// The published configuration that is kept (helper-admin-ui.md §2), with a publisher that is told
// what to say and a clock that stands until it is moved.
#include "plugins/voting_config.h"

#include "plugins/own_loop.h"
#include "support/await.h"
#include "support/fake_node_server.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <mutex>
#include <vector>

namespace relayer::test
{
namespace
{
using plugins::VotingConfig;
using namespace std::chrono_literals;

const std::string kDocument = "{ \"version\": 1 }\n";

class KeptConfig : public testing::Test
{
  protected:
    void SetUp() override { start(0ms); }
    void TearDown() override
    {
        config_.reset();
        publisher_.stop();
    }
    void start(std::chrono::milliseconds staleAtMost)
    {
        plugins::VotingConfigOptions options;
        options.upstream =
            chain::rpc::parseUrl("http://127.0.0.1:" + std::to_string(publisher_.port()) +
                                 "/config.json")
                .value();
        options.timeout = 300ms;
        options.staleAtMost = staleAtMost;
        options.now = [this] { return std::chrono::steady_clock::time_point(now_.load()); };
        config_ = std::make_shared<VotingConfig>(loop_.get(), options);
    }
    void publish(const FakeResponse &response)
    {
        const std::lock_guard lock(mutex_);
        response_ = response;
    }
    void publish(int status, const std::string &body)
    {
        FakeResponse response;
        response.wire.status = status;
        response.body = body;
        publish(response);
    }
    // With a word of the publisher for its version.
    void publishAs(const std::string &etag, const std::string &body)
    {
        FakeResponse response;
        response.contentType += "\r\netag: " + etag;  // one more header
        response.body = body;
        publish(response);
    }
    FakeResponse answer(const FakeRequest &request)
    {
        const std::lock_guard lock(mutex_);
        asked_.push_back(request);
        return response_;
    }
    std::vector<FakeRequest> asked()
    {
        const std::lock_guard lock(mutex_);
        return asked_;
    }
    std::optional<VotingConfig::Copy> get() { return await(config_->get()); }
    std::string body()
    {
        const auto copy = get();
        return copy ? *copy->body : "nothing";
    }
    void pass(std::chrono::nanoseconds time) { now_ = now_.load() + time; }

    std::mutex mutex_;
    FakeResponse response_;
    std::vector<FakeRequest> asked_;
    std::atomic<std::chrono::nanoseconds> now_{1h};
    FakeServer publisher_{{.http = [this](const FakeRequest &request) { return answer(request); }}};
    plugins::OwnLoop loop_{"config"};
    std::shared_ptr<VotingConfig> config_;
};

TEST_F(KeptConfig, Row_2_WhatCanNotBeHadIsToldSoUntilItCan)
{
    publish(500, "out of order");
    EXPECT_EQ(body(), "nothing");
    publish(200, kDocument);
    pass(999ms);
    EXPECT_EQ(body(), "nothing") << "that a moment ago it could not be had, stands";
    EXPECT_EQ(asked().size(), 1U);
    pass(1ms);
    EXPECT_EQ(body(), kDocument);
    EXPECT_EQ(asked().size(), 2U);
    EXPECT_EQ(body(), kDocument);
    EXPECT_EQ(asked().size(), 2U) << "it is kept";
}

TEST_F(KeptConfig, ThoseWhoWaitForAPublisherThatHangsWaitOnceAndTogether)
{
    FakeResponse silent;
    silent.wire.neverAnswer = true;
    publish(silent);
    std::vector<std::future<std::optional<VotingConfig::Copy>>> all;
    for (int i = 0; i < 8; ++i)
    {
        all.push_back(test::start(config_->get()));
    }
    for (auto &each : all)
    {
        EXPECT_FALSE(each.get());
    }
    EXPECT_EQ(asked().size(), 1U);
}

TEST_F(KeptConfig, Row_2_ACopyIsToldWhileThePublisherIsAwayForAsLongAsIsAllowed)
{
    start(10min);
    publish(200, kDocument);
    ASSERT_EQ(body(), kDocument);
    EXPECT_EQ(get()->age, 0s);
    publish(503, "out");
    pass(10min);
    await(config_->refresh());
    EXPECT_EQ(body(), kDocument);
    EXPECT_EQ(get()->age, 600s) << "nobody has confirmed it";
    EXPECT_EQ(asked().size(), 2U) << "whoever is told the copy waits for nobody";
    pass(1s);
    EXPECT_EQ(body(), "nothing") << "too old";
    EXPECT_EQ(asked().size(), 3U);
    publish(200, kDocument);
    pass(1s);
    EXPECT_EQ(body(), kDocument);
    EXPECT_EQ(get()->age, 0s);
}

TEST_F(KeptConfig, Row_2_WithoutALimitACopyIsToldForEver)
{
    publish(200, kDocument);
    ASSERT_EQ(body(), kDocument);
    pass(24h * 365);
    EXPECT_EQ(body(), kDocument);
    EXPECT_EQ(get()->age, 24h * 365);
}

TEST_F(KeptConfig, Row_2_ThePublisherIsAskedWhetherItHasChanged)
{
    publishAs("\"seven\"", kDocument);
    ASSERT_EQ(body(), kDocument);
    const std::string etag = get()->etag;
    EXPECT_FALSE(asked().back().headers.contains("if-none-match"));
    pass(90s);
    publish(304, "");
    await(config_->refresh());
    EXPECT_EQ(asked().back().headers.at("if-none-match"), "\"seven\"");
    EXPECT_EQ(body(), kDocument);
    EXPECT_EQ(get()->age, 0s) << "confirmed";
    publishAs("\"eight\"", R"({"version":2})");
    await(config_->refresh());
    EXPECT_EQ(body(), R"({"version":2})");
    EXPECT_NE(get()->etag, etag);
    publish(304, "");
    await(config_->refresh());
    EXPECT_EQ(asked().back().headers.at("if-none-match"), "\"eight\"");
}

TEST_F(KeptConfig, Row_2_AMegabyteIsTakenAndNoByteMore)
{
    const std::size_t most = std::size_t{1} << 20U;
    publish(200, "\"" + std::string(most - 1, 'x') + "\"");
    EXPECT_EQ(body(), "nothing");
    pass(1s);
    publish(200, "\"" + std::string(most - 2, 'x') + "\"");
    EXPECT_EQ(body().size(), most);
}
}  // namespace
}  // namespace relayer::test
