// PgBouncer in transaction mode between us and the database: the same flow, with what needs a
// session of its own (migrations, LISTEN) on the direct URL.
#include "e2e/chain_world.h"
#include "support/eventually.h"
#include "support/pooler.h"

#include <gtest/gtest.h>

namespace relayer::test
{
TEST(PgBouncer, InTransactionModeCarriesEverythingButMigrationsAndListen)
{
    RELAYER_NEEDS_CHAIN();
    if (const std::string why = Pooler::whyMissing(); !why.empty())
    {
        GTEST_SKIP() << why;
    }
    const Devnet devnet;
    ChainWorld world(devnet);
    const Pooler pooler(world.database().url());
    ServerOptions options = world.serverOptions();
    options.environment["RELAYER_DATABASE__URL"] = pooler.url();
    options.environment["RELAYER_DATABASE__DIRECT_URL"] = world.database().url();
    ServerProcess one(options);
    ASSERT_TRUE(one.becomesHealthy()) << one.output() << pooler.log();
    options.environment["RELAYER_INSTANCE__NAME"] = "two";
    ServerProcess two(options);
    ASSERT_TRUE(two.becomesHealthy()) << two.output() << pooler.log();
    EXPECT_TRUE(eventually([&] {
        return world.database().value(
                   "SELECT count(*) FROM pg_stat_activity"
                   " WHERE datname = current_database()"
                   " AND query LIKE 'LISTEN%'") == "2";
    })) << "listening goes past the pooler";
    for (std::uint64_t number = 0; number < 60; ++number)
    {
        world.submit(number, number % 2 == 0 ? one : two);
    }
    ASSERT_TRUE(world.unanswered().empty()) << one.output() << pooler.log();
    ASSERT_TRUE(world.allEnd(one)) << world.story() << one.output() << pooler.log();
    world.expectNothingLost("through PgBouncer");
    world.expectEachOnce();
    world.expectPollsTellTheChain(two);
}
}  // namespace relayer::test
