// Keys that clients give their requests, on a real database.
#include "models/idempotency_store.h"
#include "support/await.h"
#include "support/test_store.h"

#include <gtest/gtest.h>

#include <vector>

namespace relayer::test
{
namespace
{
using models::IdempotencyStore;

const IdempotencyStore::Key kKey{"address:1", "order-17"};

class Idempotency : public testing::Test
{
  protected:
    void SetUp() override
    {
        RELAYER_NEEDS_SERVER();
        database_ = std::make_unique<TestDatabase>();
        store_ = std::make_unique<TestStore>(*database_);
        keys_ = std::make_unique<IdempotencyStore>(store_->writer());
    }
    IdempotencyStore::Claim claim(const IdempotencyStore::Key &key, std::uint64_t content)
    {
        return await(keys_->claim(key, hash32(content)));
    }

    std::unique_ptr<TestDatabase> database_;
    std::unique_ptr<TestStore> store_;
    std::unique_ptr<IdempotencyStore> keys_;
};

TEST_F(Idempotency, AKeyStandsForOneContentAndItsJob)
{
    auto claimed = claim(kKey, 1);
    EXPECT_FALSE(claimed.otherContent);
    EXPECT_EQ(claimed.job, std::nullopt);
    EXPECT_EQ(claim(kKey, 1).job, std::nullopt) << "who died before it was bound comes again";
    await(keys_->bind(kKey, hash32(1), jobId(5)));
    EXPECT_EQ(claim(kKey, 1).job, jobId(5));
    await(keys_->bind(kKey, hash32(1), jobId(6)));
    EXPECT_EQ(claim(kKey, 1).job, jobId(5)) << "the first one counts";
    EXPECT_TRUE(claim(kKey, 2).otherContent);
    EXPECT_EQ(claim(kKey, 1).job, jobId(5));
}

TEST_F(Idempotency, ClientsDoNotShareTheirKeys)
{
    claim(kKey, 1);
    const IdempotencyStore::Key other{"address:2", kKey.key};
    EXPECT_FALSE(claim(other, 2).otherContent);
}

TEST_F(Idempotency, AKeyOfWhichNothingCameIsFreeAgain)
{
    claim(kKey, 1);
    await(keys_->release(kKey, hash32(2)));
    EXPECT_TRUE(claim(kKey, 2).otherContent) << "somebody else's content releases nothing";
    await(keys_->release(kKey, hash32(1)));
    EXPECT_FALSE(claim(kKey, 2).otherContent);
    await(keys_->bind(kKey, hash32(2), jobId(7)));
    await(keys_->release(kKey, hash32(2)));
    EXPECT_EQ(claim(kKey, 2).job, jobId(7)) << "a bound one stays";
}

TEST_F(Idempotency, AKeyIsForgottenAfterADay)
{
    claim(kKey, 1);
    await(keys_->bind(kKey, hash32(1), jobId(5)));
    database_->query(
        "UPDATE idempotency_key SET created_at = now() - interval '23 hours 59 minutes'");
    EXPECT_EQ(claim(kKey, 1).job, jobId(5));
    database_->query(
        "UPDATE idempotency_key SET created_at = now() - interval '24 hours 1 second'");
    const auto claimed = claim(kKey, 2);
    EXPECT_FALSE(claimed.otherContent);
    EXPECT_EQ(claimed.job, std::nullopt);
    EXPECT_TRUE(claim(kKey, 1).otherContent) << "it is the other's now";
}

TEST_F(Idempotency, OfManyContentsUnderOneKeyOneGetsIt)
{
    std::vector<std::future<IdempotencyStore::Claim>> claims;
    for (std::uint64_t i = 0; i < 64; ++i)
    {
        claims.push_back(start(keys_->claim(kKey, hash32(i))));
    }
    int winners = 0;
    for (auto &each : claims)
    {
        winners += each.get().otherContent ? 0 : 1;
    }
    EXPECT_EQ(winners, 1);
}
}  // namespace
}  // namespace relayer::test
