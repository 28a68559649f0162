// A node that lies. Whatever it says, and whenever: each request ends with exactly one mined
// transaction, or with one clear error and none.
//
// One scenario is a row of a table: what goes wrong, before or after the node accepted the
// transaction. Every row is run alone and with every other.

#include "support/lying_chain.h"
#include "support/test_database.h"
#include "support/test_mode.h"
#include "support/tx_testing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <set>

namespace relayer::test
{
namespace
{
using core::Kind;

// A well-known development key.
const std::string kKey = "ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80";
constexpr std::size_t kRequests = 3;
// In a pair the other trouble may keep from happening what one waits for.
constexpr std::chrono::milliseconds kAMoment{2'000};
// A plain run takes one pair of so many.
constexpr std::size_t kEachSo = 31;

struct Trouble
{
    std::string name;
    // Before anything is sent; a lie is told that often.
    std::function<void(LyingChain &, std::size_t times)> cause;
    // While it is on its way, if it takes part then.
    std::function<void(LyingChain &, RunningPipeline &)> during = nullptr;
    // A node that calls a payload bad may be believed. Nothing else may cost a request anything.
    bool mayFail = false;
};

std::vector<Trouble> lies()
{
    std::vector<Trouble> rows;
    for (const Lie lie : allLies())
    {
        for (const When when : {When::BeforeAccepting, When::AfterAccepting})
        {
            rows.push_back({nameOf(lie) + (when == When::BeforeAccepting ? "Before" : "After"),
                            [lie, when](LyingChain &chain, std::size_t times) {
                                chain.lieOnSend(lie, when, times);
                            },
                            nullptr, lie == Lie::RevertText});
        }
    }
    return rows;
}

void nothing(LyingChain &, std::size_t) {}

void notAtOnce(LyingChain &chain, std::size_t)
{
    chain.mineAtOnce(false);
}

Trouble reorgThat(const char *name, Fate fate, std::size_t foreign)
{
    return {name, nothing, [fate, foreign](LyingChain &chain, RunningPipeline &pipeline) {
                static_cast<void>(chain.waitForRequests(kRequests, kAMoment));
                const std::uint64_t depth = std::min<std::uint64_t>(3, chain.head());
                chain.reorg(depth, fate, foreign);
                pipeline.reorganised(0);
                // What went back into the pool is mined with the next block.
                chain.mineBlock();
            }};
}

std::vector<Trouble> events()
{
    return {
        {"SlowBlock", notAtOnce,
         [](LyingChain &chain, RunningPipeline &) {
             static_cast<void>(chain.waitForPool(1, kAMoment));
             chain.mineAtOnce(true);
             chain.mineBlock();
         }},
        {"Reordered", [](LyingChain &chain, std::size_t) { chain.takeBackwards(kRequests); }},
        {"ReorderedAndGapsRefused",
         [](LyingChain &chain, std::size_t) {
             chain.refuseGaps(true);
             chain.takeBackwards(kRequests);
         }},
        {"Forgotten", notAtOnce,
         [](LyingChain &chain, RunningPipeline &) {
             static_cast<void>(chain.waitForPool(1, kAMoment));
             chain.forgetPool();
             chain.mineAtOnce(true);
             chain.mineBlock();
         }},
        reorgThat("ReorgForgets", Fate::Forgotten, 0),
        reorgThat("ReorgMinesAgain", Fate::MinedAgain, 2),
        reorgThat("ReorgBackInPool", Fate::BackInPool, 1),
    };
}

std::vector<Trouble> table()
{
    std::vector<Trouble> rows = lies();
    const std::vector<Trouble> more = events();
    rows.insert(rows.end(), more.begin(), more.end());
    return rows;
}

std::vector<std::vector<Trouble>> alone()
{
    std::vector<std::vector<Trouble>> cases;
    for (const Trouble &row : table())
    {
        cases.push_back({row});
    }
    return cases;
}

// Every pair with --full; in a plain run so many of them that each row meets others of all sorts.
std::vector<std::vector<Trouble>> pairs(bool all)
{
    const std::vector<Trouble> rows = table();
    std::vector<std::vector<Trouble>> cases;
    for (std::size_t i = 0; i < rows.size(); ++i)
    {
        for (std::size_t j = i; j < rows.size(); ++j)
        {
            if (all || (i + j) % kEachSo == 0)
            {
                cases.push_back({rows[i], rows[j]});
            }
        }
    }
    return cases;
}

std::string nameOfCase(const std::vector<Trouble> &troubles)
{
    std::string name;
    for (const Trouble &trouble : troubles)
    {
        name += (name.empty() ? "" : "_") + trouble.name;
    }
    return name;
}

// One row of the request table, and how often its call stands on the chain.
struct Ended
{
    std::string status;
    std::string error;
    std::size_t mined = 0;
};

class LyingNode : public testing::Test
{
  protected:
    void SetUp() override { RELAYER_NEEDS_SERVER(); }

    static PipelineOptions optionsFor(LyingChain &chain)
    {
        PipelineOptions options;
        options.nodeUrl = chain.node().url();
        options.key = kKey;
        options.tx = impatientOptions();
        options.tx.contracts = chain.options().contracts;
        options.timeout = std::chrono::milliseconds(400);
        options.syncTimeout = std::chrono::milliseconds(400);
        return options;
    }

    static std::vector<Ended> ends(TestDatabase &database, LyingChain &chain)
    {
        const auto requests = chain.requests();
        std::map<std::string, std::size_t> minedById;
        for (const auto &request : requests)
        {
            ++minedById[core::toHex(request.gatewayId) + nameOfKind(request.kind)];
        }
        std::vector<Ended> all;
        for (const auto &row : database.query(
                 "SELECT status, coalesce(error_code, ''), coalesce(encode(gateway_id, 'hex'), ''),"
                 " kind FROM request ORDER BY id"))
        {
            all.push_back({row[0], row[1], minedById[row[2] + row[3]]});
        }
        return all;
    }
    static std::string nameOfKind(Kind kind) { return std::string(core::name(kind)); }

    static void run(const std::vector<Trouble> &troubles, std::size_t liesEach);
};

void LyingNode::run(const std::vector<Trouble> &troubles, std::size_t liesEach)
{
    SCOPED_TRACE(nameOfCase(troubles) + ", lies " + std::to_string(liesEach));
    TestDatabase database;
    LyingChain chain;
    for (const Trouble &trouble : troubles)
    {
        trouble.cause(chain, liesEach);
    }
    RunningPipeline pipeline(database, optionsFor(chain));
    admitReady(pipeline.store(), Kind::InputProof, 1, 10);
    admitReady(pipeline.store(), Kind::PublicDecrypt, 1, 20);
    admitReady(pipeline.store(), Kind::UserDecrypt, 1, 30);
    pipeline.pullAll();
    for (const Trouble &trouble : troubles)
    {
        if (trouble.during)
        {
            trouble.during(chain, pipeline);
        }
    }
    const bool quiet = pipeline.becomes([](const auto &s) {
        return s.preparing + s.signing + s.open + s.waitingToResend == 0 && !s.lookingAtReorg;
    });
    ASSERT_TRUE(quiet) << "open: " << pipeline.snapshot().open;
    // Every call that is on the chain is there once, and belongs to a request that waits for its
    // answer; a request that failed has none.
    for (const auto &[calldata, times] : chain.minedPerRequest())
    {
        EXPECT_EQ(times, 1U) << "a request was mined more than once";
    }
    const bool mayFail = std::any_of(troubles.begin(), troubles.end(),
                                     [](const Trouble &trouble) { return trouble.mayFail; });
    std::size_t received = 0;
    for (const Ended &end : ends(database, chain))
    {
        if (end.status == "receipt_received")
        {
            ++received;
            EXPECT_EQ(end.mined, 1U) << "its gateway id is nobody's on the chain";
        }
        else
        {
            EXPECT_EQ(end.status, "failure");
            EXPECT_EQ(end.error, "protocol_paused") << "which is what the node said";
            EXPECT_TRUE(mayFail) << "nothing that the node did makes it fail";
        }
    }
    EXPECT_EQ(chain.requests().size(), received) << "a transaction without a request";
    EXPECT_EQ(chain.liesLeft(), 0U) << "some lies were not told";
    const auto nonces = chain.minedNonces(pipeline.context()->signer->address());
    const std::set<std::uint64_t> distinct(nonces.begin(), nonces.end());
    EXPECT_EQ(distinct.size(), nonces.size());
    EXPECT_TRUE(distinct.empty() || *distinct.rbegin() + 1 == distinct.size()) << "a nonce is open";
}

class Alone : public LyingNode, public testing::WithParamInterface<std::vector<Trouble>>
{};
TEST_P(Alone, EndsWithOneTransactionOrOneError)
{
    run(GetParam(), 1);
}
TEST_P(Alone, EndsSoWhenEveryRequestMeetsIt)
{
    run(GetParam(), kRequests);
}
INSTANTIATE_TEST_SUITE_P(LyingNode, Alone, testing::ValuesIn(alone()),
                         [](const auto &scenario) { return nameOfCase(scenario.param); });

TEST_F(LyingNode, TroublesInPairs)
{
    for (const auto &troubles : pairs(fullTests()))
    {
        run(troubles, 1);
    }
}
}  // namespace
}  // namespace relayer::test
