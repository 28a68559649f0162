// The log of a running server: what of a statement's error is in it, and what is not.
#include "e2e/requests.h"
#include "support/test_database.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace relayer::test
{
namespace
{
using testing::HasSubstr;
using testing::Not;

// PostgreSQL says the whole row in DETAIL, and Drogon logs what PostgreSQL says.
TEST(Log, AnErrorOfAStatementThatNobodyForesawShowsNothingOfTheRow)
{
    RELAYER_NEEDS_SERVER();
    const TestDatabase database;
    ServerProcess server(onDatabase(database.url(), "one", "trace"));
    ASSERT_TRUE(server.becomesHealthy()) << server.output();
    database.query("ALTER TABLE request ADD CONSTRAINT nobody_foresaw CHECK (false) NOT VALID");
    ProofBody body = proofBody(1);
    body.ciphertext = "0123456789abcdef0123456789abcdef";
    EXPECT_EQ(HttpClient(server.port()).post(kInputProof, body.text()).value().status, 503);
    ASSERT_TRUE(server.printed("violates check constraint \"nobody_foresaw\""))
        << "what it was is said: " << server.output();
    ASSERT_TRUE(server.printed("step=exchange_failed")) << server.output();
    EXPECT_THAT(server.output(), Not(HasSubstr("DETAIL")));
    EXPECT_THAT(server.output(), Not(HasSubstr("Failing row")));
    EXPECT_THAT(server.output(), Not(HasSubstr(body.ciphertext)));
    EXPECT_THAT(server.output(), Not(HasSubstr(body.user.substr(2))));
}
}  // namespace
}  // namespace relayer::test
