// The token bucket beside a slow model that counts tokens as exact fractions.
#include "core/token_bucket.h"

#include <gtest/gtest.h>

#include <boost/multiprecision/cpp_int.hpp>
#include <random>
#include <vector>

namespace relayer::core
{
namespace
{
using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::seconds;
using namespace std::chrono_literals;

// Tokens as an exact fraction.
class Model
{
  public:
    Model(std::uint64_t rate, nanoseconds now) : rate_(rate), tokens_(rate), at_(now) {}

    void advance(nanoseconds now)
    {
        tokens_ += Fraction((now - at_).count()) * rate_ / kSecond;
        tokens_ = tokens_ > rate_ ? Fraction(rate_) : tokens_;
        at_ = now;
    }
    bool take(std::uint64_t tokens)
    {
        if (tokens_ < tokens)
        {
            return false;
        }
        tokens_ -= tokens;
        return true;
    }
    void setRate(std::uint64_t rate)
    {
        // To a thousand-millionth of a token, below.
        const Fraction exact = tokens_ * rate / rate_ * kSecond;
        tokens_ = Fraction(numerator(exact) / denominator(exact)) / kSecond;
        rate_ = rate;
    }
    [[nodiscard]] std::uint64_t available() const
    {
        return static_cast<std::uint64_t>(numerator(tokens_) / denominator(tokens_));
    }

  private:
    using Fraction = boost::multiprecision::cpp_rational;
    static constexpr std::int64_t kSecond = 1'000'000'000;

    std::uint64_t rate_;
    Fraction tokens_;
    nanoseconds at_;
};

TEST(TokenBucket, StartsWithOneSecondsWorthAndNeverHoldsMore)
{
    TokenBucket bucket(20, 5s);
    EXPECT_EQ(bucket.available(5s), 20U);
    EXPECT_EQ(bucket.available(500s), 20U);
    EXPECT_FALSE(bucket.take(21, 500s));
    EXPECT_EQ(bucket.takeUpTo(50, 500s), 20U);
    EXPECT_EQ(bucket.available(500s), 0U);
    bucket.giveBack(1000, 500s);
    EXPECT_EQ(bucket.available(500s), 20U);
}

TEST(TokenBucket, KnowsToTheNanosecondWhenTheNextTokenIsThere)
{
    TokenBucket bucket(3, 0s);
    EXPECT_EQ(bucket.timeUntil(3, 0s), 0ns);
    EXPECT_TRUE(bucket.take(3, 0s));
    EXPECT_EQ(bucket.timeUntil(1, 0s), 333'333'334ns);
    EXPECT_FALSE(bucket.take(1, 333'333'333ns));
    EXPECT_EQ(bucket.timeUntil(1, 333'333'333ns), 1ns);
    EXPECT_TRUE(bucket.take(1, 333'333'334ns));
    // What was left over, two thirds of what a nanosecond earns, counts.
    EXPECT_EQ(bucket.timeUntil(1, 333'333'334ns), 333'333'333ns);
    EXPECT_EQ(bucket.timeUntil(3, 333'333'334ns), 1s);
    EXPECT_EQ(bucket.timeUntil(4, 333'333'334ns), std::nullopt);
}

TEST(TokenBucket, LosesNothingOverADayOfSingleTokens)
{
    TokenBucket bucket(7, 0s);
    bucket.takeUpTo(7, 0s);
    nanoseconds now{0};
    std::uint64_t taken = 0;
    while (now < seconds(86400))
    {
        now += *bucket.timeUntil(1, now);
        ASSERT_TRUE(bucket.take(1, now));
        ++taken;
    }
    EXPECT_EQ(taken, 7U * 86400U);
    EXPECT_EQ(now, seconds(86400));
}

TEST(TokenBucket, AChangeOfRateKeepsTheShareOfTheBurstAndGivesNoFreshOne)
{
    TokenBucket bucket(100, 0s);
    bucket.take(100, 0s);
    bucket.setRate(1000, 0s);
    EXPECT_EQ(bucket.available(0s), 0U) << "empty stays empty";
    EXPECT_EQ(bucket.timeUntil(1, 0s), 1ms);
    EXPECT_EQ(bucket.available(500ms), 500U);
    bucket.setRate(10, 500ms);
    EXPECT_EQ(bucket.available(500ms), 5U) << "half full stays half full";
    for (int i = 0; i < 1000; ++i)
    {
        bucket.setRate(i % 2 == 0 ? 999 : 7, 500ms);
    }
    bucket.setRate(10, 500ms);
    EXPECT_LE(bucket.available(500ms), 5U) << "changing back and forth makes tokens";
}

TEST(TokenBucket, ARateBeyondTheLimitsIsBroughtWithinThem)
{
    EXPECT_EQ(TokenBucket(0, 0s).perSecond(), 1U);
    EXPECT_EQ(TokenBucket(5000, 0s).perSecond(), 1000U);
}

TEST(TokenBucket, ThoseWhoShareARateEarnItTogether)
{
    constexpr std::uint64_t kSharers = 3;
    std::vector<TokenBucket> buckets(kSharers, TokenBucket(20, 0s));
    std::uint64_t taken = 0;
    for (TokenBucket &bucket : buckets)
    {
        bucket.setSharers(kSharers, 0s);
        taken += bucket.takeUpTo(1000, 0s);
    }
    EXPECT_EQ(taken, 18U) << "a burst of them all, in whole tokens for each";
    for (auto now = 100ms; now <= 30s; now += 100ms)
    {
        for (TokenBucket &bucket : buckets)
        {
            taken += bucket.takeUpTo(1000, now);
        }
    }
    EXPECT_EQ(taken, 20U + 30 * 20U - 2U) << "each keeps the part of a token that it has";
    EXPECT_EQ(buckets[0].perSecond(), 20U);
}

TEST(TokenBucket, ThoseWhoShareLessThanATokenASecondStillGetTheirs)
{
    TokenBucket bucket(1, 0s);
    bucket.setSharers(4, 0s);
    bucket.takeUpTo(1, 0s);
    EXPECT_EQ(bucket.timeUntil(1, 0s), 4s);
    EXPECT_EQ(bucket.timeUntil(2, 0s), std::nullopt);
    EXPECT_FALSE(bucket.take(1, 4s - 1ns));
    EXPECT_EQ(bucket.available(60s), 1U);
    EXPECT_TRUE(bucket.take(1, 60s));
    bucket.setSharers(1, 60s);
    EXPECT_EQ(bucket.timeUntil(1, 60s), 1s);
}

TEST(TokenBucket, AnotherNumberOfSharersGivesNoFreshBurst)
{
    TokenBucket bucket(10, 0s);
    bucket.take(10, 0s);
    for (std::uint64_t i = 0; i < 1000; ++i)
    {
        bucket.setSharers(1 + i % 17, 0s);
    }
    bucket.setSharers(1, 0s);
    EXPECT_EQ(bucket.available(0s), 0U);
    EXPECT_EQ(bucket.timeUntil(1, 0s), 100ms);
}

TEST(TokenBucket, AClockThatGoesBackEarnsNothing)
{
    TokenBucket bucket(10, 10s);
    bucket.take(10, 10s);
    EXPECT_EQ(bucket.available(9s), 0U);
    EXPECT_FALSE(bucket.take(1, 9s));
    EXPECT_EQ(bucket.takeUpTo(5, 9s), 0U);
    EXPECT_EQ(bucket.timeUntil(1, 9s), 1s + 100ms);
    EXPECT_TRUE(bucket.take(1, 10s + 100ms));
    EXPECT_FALSE(bucket.take(1, 10s + 100ms)) << "the second was earned twice";
}

TEST(TokenBucket, AgreesWithTheModelWhateverIsDoneToIt)
{
    std::mt19937_64 random(20240609);
    std::uint64_t granted = 0;
    for (int life = 0; life < 200; ++life)
    {
        const std::uint64_t rate = 1 + random() % 1000;
        nanoseconds now{static_cast<std::int64_t>(random() % 1'000'000'000'000)};
        TokenBucket bucket(rate, now);
        Model model(rate, now);
        for (int step = 0; step < 500; ++step)
        {
            now += nanoseconds(random() % (random() % 3 == 0 ? 3'000'000'000 : 5'000'000));
            model.advance(now);
            ASSERT_EQ(bucket.available(now), model.available());
            const std::uint64_t tokens = random() % (bucket.perSecond() + 2);
            switch (random() % 4)
            {
                case 0:
                case 1:
                    if (const bool taken = model.take(tokens); taken == bucket.take(tokens, now))
                    {
                        granted += taken ? tokens : 0;
                        break;
                    }
                    FAIL() << "they disagree about " << tokens;
                case 2:
                    if (const auto wait = bucket.timeUntil(tokens, now))
                    {
                        ASSERT_GE(bucket.available(now + *wait), tokens);
                        ASSERT_TRUE(*wait == 0ns || bucket.available(now + *wait - 1ns) < tokens);
                    }
                    break;
                default:
                    if (random() % 10 == 0)
                    {
                        const std::uint64_t changed = 1 + random() % 1000;
                        bucket.setRate(changed, now);
                        model.setRate(changed);
                    }
            }
        }
    }
    EXPECT_GT(granted, 10000U);
}
}  // namespace
}  // namespace relayer::core
