#include "core/sealed_witness.h"
#include "core/share_attempts.h"
#include "core/share_lifecycle.h"
#include "core/vote_share.h"
#include "support/vote_shares.h"

#include <gtest/gtest.h>

#include <functional>
#include <set>

namespace relayer::core
{
namespace
{
using test::voteShare;

TEST(VoteShare, WhatIsKeptComesBack)
{
    for (std::uint32_t seed = 0; seed < 50; ++seed)
    {
        const VoteShare share = voteShare(seed);
        const Bytes witness = encodeWitness(share);
        EXPECT_EQ(decodeWitness(share.key, witness), share);
        for (std::size_t size = 0; size < witness.size(); ++size)
        {
            EXPECT_FALSE(decodeWitness(share.key, ByteView(witness).first(size)));
        }
    }
    EXPECT_FALSE(decodeWitness({}, Bytes(700, 2)));
}

// helper-store.md §3.2: each column of the comparison, one at a time.
TEST(VoteShare, Rows_3_2_TheDigestTellsEveryFieldApartButTheTime)
{
    const std::vector<std::function<void(VoteShare &)>> changes = {
        [](VoteShare &s) { s.key.round[31] ^= 1; },
        [](VoteShare &s) { s.key.shareIndex ^= 1; },
        [](VoteShare &s) { s.key.proposal ^= 1; },
        [](VoteShare &s) { s.key.treePosition ^= 1; },
        [](VoteShare &s) { s.sharesHash[0] ^= 1; },
        [](VoteShare &s) { s.voteDecision ^= 1; },
        [](VoteShare &s) { s.c1[5] ^= 1; },
        [](VoteShare &s) { s.c2[5] ^= 1; },
        [](VoteShare &s) { s.commitments[0][0] ^= 1; },
        [](VoteShare &s) { s.commitments[15][31] ^= 1; },
        [](VoteShare &s) { std::swap(s.commitments[3], s.commitments[4]); },
        [](VoteShare &s) { s.primaryBlind[9] ^= 1; }};
    std::set<Hash32> digests = {digestOf(voteShare(3))};
    for (const auto &change : changes)
    {
        VoteShare share = voteShare(3);
        change(share);
        digests.insert(digestOf(share));
    }
    EXPECT_EQ(digests.size(), changes.size() + 1);
    EXPECT_EQ(digestOf(voteShare(3)), digestOf(voteShare(3)));
}

TEST(ShareLifecycle, TheTableIsTheContracts)
{
    // helper-store.md §2, transitions; everything else is refused.
    const std::set<std::tuple<ShareState, ShareTransition, ShareState>> legal = {
        {ShareState::Received, ShareTransition::Take, ShareState::Witnessed},
        {ShareState::Witnessed, ShareTransition::Submit, ShareState::Submitted},
        {ShareState::Witnessed, ShareTransition::Retry, ShareState::Received},
        {ShareState::Witnessed, ShareTransition::Fail, ShareState::Failed},
        {ShareState::Witnessed, ShareTransition::GiveBack, ShareState::Received}};
    for (const ShareState state : kAllShareStates)
    {
        for (const ShareTransition transition : kAllShareTransitions)
        {
            const auto to = next(state, transition);
            EXPECT_EQ(to && legal.contains({state, transition, *to}), to.has_value());
            EXPECT_EQ(std::count_if(legal.begin(), legal.end(),
                                    [&](const auto &edge) {
                                        return std::get<0>(edge) == state &&
                                               std::get<1>(edge) == transition;
                                    }),
                      to ? 1 : 0);
        }
        EXPECT_EQ(parseShareState(name(state)), state);
    }
    EXPECT_EQ(static_cast<int>(ShareState::Failed), 3);
}

// helper-store.md §7, as it is settled: five waits, failed on the sixth.
TEST(ShareAttempts, Rows_7_FiveWaitsAndFailedOnTheSixth)
{
    using std::chrono::seconds;
    const ShareWaits waits = {seconds(2), seconds(4), seconds(8), seconds(16), seconds(32)};
    for (std::size_t failures = 0; failures < 5; ++failures)
    {
        const AfterAttempt after =
            afterAttempt(AttemptEnd::MayGoBetter, failures, waits, seconds(5));
        EXPECT_EQ(after.step, AfterAttempt::Step::Retry);
        EXPECT_EQ(after.wait, seconds(2LL << failures));
    }
    EXPECT_EQ(afterAttempt(AttemptEnd::MayGoBetter, 5, waits, seconds(5)).step,
              AfterAttempt::Step::Fail);
    EXPECT_EQ(afterAttempt(AttemptEnd::MayGoBetter, 1000, waits, seconds(5)).step,
              AfterAttempt::Step::Fail);
    EXPECT_EQ(afterAttempt(AttemptEnd::WillNotChange, 0, waits, seconds(5)).step,
              AfterAttempt::Step::Fail);
    for (const std::size_t failures : {0U, 5U})
    {
        const AfterAttempt away = afterAttempt(AttemptEnd::ChainAway, failures, waits, seconds(5));
        EXPECT_EQ(away.step, AfterAttempt::Step::GiveBack) << "no share pays for the chain";
        EXPECT_EQ(away.wait, seconds(5));
        EXPECT_EQ(afterAttempt(AttemptEnd::Interrupted, failures, waits, seconds(5)).step,
                  AfterAttempt::Step::GiveBack);
        EXPECT_EQ(afterAttempt(AttemptEnd::OnTheChain, failures, waits, seconds(5)).step,
                  AfterAttempt::Step::Submit);
    }
}

SealRandomness randomness(std::uint8_t seed)
{
    SealRandomness random;
    random.rowKey.fill(seed);
    random.nonce.fill(static_cast<std::uint8_t>(seed + 1));
    return random;
}

Hash32 filled(std::uint8_t value)
{
    Hash32 hash{};
    hash.fill(value);
    return hash;
}

TEST(SealedWitness, IsOpenedWithItsKeyForItsRowOnly)
{
    const VoteShare share = voteShare(4);
    const WitnessKeys ours({filled(1)});
    const SealedWitness sealed = ours.seal(share, randomness(9));
    EXPECT_EQ(ours.open(share.key, sealed), share);
    EXPECT_EQ(WitnessKeys({filled(2), filled(1)}).open(share.key, sealed), share) << "an older key";
    EXPECT_FALSE(WitnessKeys({filled(2)}).open(share.key, sealed));
    EXPECT_FALSE(WitnessKeys({}).open(share.key, sealed));
    ShareKey other = share.key;
    other.shareIndex ^= 1;
    EXPECT_FALSE(ours.open(other, sealed));
    EXPECT_THROW(static_cast<void>(WitnessKeys({}).seal(share, randomness(9))), std::logic_error);
}

TEST(SealedWitness, NoByteOfItCanBeChanged)
{
    const VoteShare share = voteShare(5);
    const WitnessKeys ours({filled(1)});
    const SealedWitness sealed = ours.seal(share, randomness(9));
    for (Bytes SealedWitness::*part : {&SealedWitness::witness, &SealedWitness::key})
    {
        for (std::size_t i = 0; i < (sealed.*part).size(); ++i)
        {
            SealedWitness changed = sealed;
            (changed.*part)[i] ^= 1;
            EXPECT_FALSE(ours.open(share.key, changed));
            changed = sealed;
            (changed.*part).resize(i);
            EXPECT_FALSE(ours.open(share.key, changed));
        }
    }
}

TEST(SealedWitness, NothingOfTheShareCanBeSeen)
{
    const VoteShare share = voteShare(6);
    const WitnessKeys ours({filled(1)});
    const SealedWitness sealed = ours.seal(share, randomness(9));
    const std::string kept(sealed.witness.begin(), sealed.witness.end());
    const std::string key(sealed.key.begin(), sealed.key.end());
    const SealRandomness random = randomness(9);
    for (const Hash32 &secret : {share.c1, share.c2, share.primaryBlind, share.sharesHash,
                                 share.commitments[0], random.rowKey, filled(1)})
    {
        const std::string text(secret.begin(), secret.end());
        EXPECT_EQ(kept.find(text), std::string::npos);
        EXPECT_EQ(key.find(text), std::string::npos);
    }
    EXPECT_NE(ours.seal(share, randomness(10)).witness, sealed.witness);
}
}  // namespace
}  // namespace relayer::core
