// One instance of the share scheduler's loop on a fake clock and a real database, for the tests of
// that loop.
#pragma once

#include "support/await.h"
#include "support/share_world.h"
#include "support/vote_shares.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <future>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace relayer::test
{
class ShareLoop : public testing::Test
{
  protected:
    void SetUp() override
    {
        RELAYER_NEEDS_SERVER();
        database_ = std::make_unique<TestDatabase>();
    }
    ShareWorld &world(std::size_t places = 64)
    {
        world_ = std::make_unique<ShareWorld>(*database_, kStart, runOptions(places));
        await(world_->shares()->rememberRound(voteShare(1).key.round, kEnd));
        return *world_;
    }
    void enqueue(std::uint32_t seed, std::int64_t submitAt)
    {
        const core::WitnessKeys keys({hash32(7)});
        models::NewVoteShare share;
        const core::VoteShare vote = voteShare(seed);
        share.key = vote.key;
        share.digest = core::digestOf(vote);
        share.sealed = keys.seal(vote, {});
        share.submitAt = submitAt;
        share.voteEndTime = kEnd;
        ASSERT_EQ(await(world_->shares()->enqueue(share)), models::Enqueued::Queued);
    }
    // 10,000 of them are put in faster this way.
    void enqueueMany(const std::vector<std::pair<std::uint32_t, std::int64_t>> &shares)
    {
        const core::WitnessKeys keys({hash32(7)});
        std::vector<std::future<models::Enqueued>> all;
        all.reserve(shares.size());
        for (const auto &[seed, submitAt] : shares)
        {
            const core::VoteShare vote = voteShare(seed);
            all.push_back(start(world_->shares()->enqueue(
                {vote.key, core::digestOf(vote), keys.seal(vote, {}), submitAt, kEnd})));
        }
        for (auto &each : all)
        {
            ASSERT_EQ(each.get(), models::Enqueued::Queued);
        }
    }
    std::string count(const std::string &state)
    {
        return database_->value("SELECT count(*) FROM scheduled_share WHERE state = '" + state +
                                "'");
    }

    std::unique_ptr<TestDatabase> database_;
    std::unique_ptr<ShareWorld> world_;
};
}  // namespace relayer::test
