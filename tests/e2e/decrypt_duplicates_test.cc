// What is here already: who joins it, who can not, and who gets no place beside it.
#include "e2e/decrypt_server.h"

#include <optional>

namespace relayer::test
{
namespace
{
class DecryptDuplicates : public DecryptServer
{};

TEST_F(DecryptDuplicates, TheSameContentJoinsItsJobAndTheHashLeavesTheValidityOut)
{
    const std::uint64_t number = fresh();
    const std::string open = jobIdOf(post(postOf(publicOf(number))));
    EXPECT_EQ(jobIdOf(post(postOf(publicOf(number)))), open);

    core::DirectUserDecrypt direct = directOf(number);
    const std::string job = jobIdOf(post(postOf(byUser(direct))));
    direct.startTimestamp -= 17;
    direct.durationDays = 9;
    EXPECT_EQ(jobIdOf(post(postOf(byUser(direct)))), job);
    core::DelegatedUserDecrypt delegated = delegatedOf(number);
    const std::string other = jobIdOf(post(postOf(byUser(delegated))));
    EXPECT_NE(other, job);
    delegated.durationDays = 9;
    EXPECT_EQ(jobIdOf(post(postOf(byUser(delegated)))), other);
}

TEST_F(DecryptDuplicates, AStrangerCanNotOccupyTheRequestOfSomebodyElse)
{
    for (const core::UserDecrypt &request :
         {core::UserDecrypt(directOf(fresh())), core::UserDecrypt(delegatedOf(fresh()))})
    {
        SCOPED_TRACE(pathOf(request));
        const core::UserDecrypt forged = aStranger().signedFor(request, decryptionContract());
        const std::string squatter = jobIdOf(post(postOf(forged)));
        EXPECT_EQ(jobIdOf(post(postOf(forged))), squatter) << "a repeat joins";
        const std::string garbage = jobIdOf(post(postOf(request)));
        EXPECT_NE(garbage, squatter);
        const std::string real = jobIdOf(post(postOf(byUser(request))));
        EXPECT_NE(real, squatter);
        EXPECT_NE(real, garbage);
        EXPECT_EQ(jobIdOf(post(postOf(byUser(request)))), real);
    }
}

TEST_F(DecryptDuplicates, NorWithASignatureThatTheContractWouldNotTake)
{
    core::DirectUserDecrypt expired = directOf(fresh());
    expired.startTimestamp = secondsAgo(std::int64_t{10} * 86'400);
    core::DirectUserDecrypt valid = expired;
    valid.startTimestamp = secondsAgo(600);
    EXPECT_NE(jobIdOf(post(postOf(byUser(expired)))), jobIdOf(post(postOf(byUser(valid)))));

    // v of 0 or 1 is the user's signature, and yet no contract takes it.
    const core::UserDecrypt real = byUser(directOf(fresh()));
    core::UserDecrypt rewritten = real;
    core::Bytes &signature = std::get<core::DirectUserDecrypt>(rewritten).signature;
    signature.back() = static_cast<std::uint8_t>(signature.back() - 27);
    EXPECT_NE(jobIdOf(post(postOf(rewritten))), jobIdOf(post(postOf(real))));
}

TEST_F(DecryptDuplicates, WhoJoinsAJobThatHasEndedNeedNotWait)
{
    std::vector<Post> posts = everyRoute(fresh());
    posts.push_back({std::string(kInputProof), proofBody(fresh()).text()});
    for (const Post &each : posts)
    {
        SCOPED_TRACE(each.path);
        const std::string jobId = jobIdOf(post(each));
        EXPECT_EQ(post(each).header("retry-after"), "7");
        end(jobId, "status = 'completed'");
        const HttpReply reply = post(each);
        EXPECT_EQ(reply.status, 202);
        EXPECT_EQ(jobIdOf(reply), jobId);
        EXPECT_EQ(reply.header("retry-after"), "1");
        EXPECT_EQ(reply.json()["eta_seconds"], 1);
    }
}

TEST_F(DecryptDuplicates, AContentWhoseRequestFailedIsFreeAgain)
{
    for (const Post &each : everyRoute(fresh()))
    {
        SCOPED_TRACE(each.path);
        const std::string jobId = jobIdOf(post(each));
        end(jobId, "dedup = false, status = 'failure', error_code = 'protocol_paused'");
        const std::string next = jobIdOf(post(each));
        EXPECT_NE(next, jobId);
        EXPECT_EQ(get(each.path + "/" + jobId).status, 503);
        EXPECT_EQ(get(each.path + "/" + next).status, 202);
    }
}

TEST_F(DecryptDuplicates, AnIdempotencyKeyStandsForOneDecryption)
{
    for (const Post &each : everyRoute(fresh()))
    {
        SCOPED_TRACE(each.path);
        const HttpHeaders key = {{"Idempotency-Key", "key-" + std::to_string(fresh())}};
        const HttpReply first = post(each, key);
        ASSERT_EQ(first.status, 202) << first.body;
        EXPECT_EQ(jobIdOf(post(each, key)), jobIdOf(first));
        const HttpReply other = post(postOf(publicOf(fresh())), key);
        EXPECT_EQ(other.status, 422);
        EXPECT_EQ(labelOf(other), "idempotency_key_reused");
        end(jobIdOf(first), "status = 'completed'");
        EXPECT_EQ(post(each, key).header("retry-after"), "1");
    }
}

TEST(DecryptsOfOneClient, AreLimitedAndToldOfTheLimit)
{
    RELAYER_NEEDS_SERVER();
    const TestDatabase database;
    ServerOptions options = forDecryptions(database);
    options.environment["RELAYER_HTTP__CLIENT_LIMITS__REQUESTS_PER_MINUTE"] = "1";
    options.environment["RELAYER_HTTP__CLIENT_LIMITS__BURST"] = "4";
    ServerProcess server(options);
    ASSERT_TRUE(server.becomesHealthy()) << server.output();
    HttpClient client(server.port());
    int left = 4;
    for (const Post &each : everyRoute(1))
    {
        SCOPED_TRACE(each.path);
        const HttpReply reply = client.post(each.path, each.body).value();
        EXPECT_EQ(reply.status, 202) << reply.body;
        EXPECT_EQ(reply.header("ratelimit-limit"), "4");
        EXPECT_EQ(reply.header("ratelimit-remaining"), std::to_string(--left));
    }
    for (const Post &each : everyRoute(3))
    {
        SCOPED_TRACE(each.path);
        const HttpReply reply = client.post(each.path, each.body).value();
        expectFailed(reply, 429, "rate_limited");
        EXPECT_GE(std::stoi(reply.header("retry-after")), 1);
        EXPECT_EQ(reply.header("retry-after"), reply.header("ratelimit-reset"));
    }
    EXPECT_EQ(client.post(kUnified, "{}").value().status, 400) << "what is wrong is said first";
    const Post first = everyRoute(1).front();
    EXPECT_EQ(client.post(first.path, first.body).value().status, 202) << "a repeat is free";
}

TEST(DecryptsWithLittleRoom, ANewDecryptionIsBouncedAndOneThatIsHereIsNot)
{
    RELAYER_NEEDS_SERVER();
    const TestDatabase database;
    ServerOptions options = withEstimates(forDecryptions(database));
    for (const std::string kind : {"PUBLIC_DECRYPT", "USER_DECRYPT"})
    {
        const std::string queue = "RELAYER_GATEWAY__READINESS_CHECKER__" + kind;
        options.environment[queue + "__CAPACITY"] = "3";
        options.environment[queue + "__SAFETY_MARGIN"] = "1";
    }
    ServerProcess server(options);
    ASSERT_TRUE(server.becomesHealthy()) << server.output();
    HttpClient client(server.port());
    for (const std::size_t route : {0U, 1U, 2U, 3U})
    {
        const Post first = everyRoute(0).at(route);
        SCOPED_TRACE(first.path);
        std::optional<HttpReply> bounced;
        for (std::uint64_t number = 0; number < 4 && !bounced; ++number)
        {
            const Post next = everyRoute(2 * number).at(route);
            const HttpReply reply = client.post(next.path, next.body).value();
            bounced = reply.status == 429 ? std::optional(reply) : std::nullopt;
        }
        ASSERT_TRUE(bounced);
        EXPECT_EQ(labelOf(*bounced), "rate_limited");
        EXPECT_EQ(bounced->header("retry-after"), "1") << "one has to go, at twenty a second";
        EXPECT_EQ(bounced->json()["requestId"].asString(), bounced->header("x-request-id"));
        // The three sorts of user decryption share a queue, which the first of them has filled.
        EXPECT_EQ(client.post(first.path, first.body).value().status, route < 2 ? 202 : 429)
            << "what is in the house already is never bounced";
    }
}
}  // namespace
}  // namespace relayer::test
