// The routes of decryptions as clients see them, through the real program. No chain: what ended is
// put into the database.
#include "core/handle.h"
#include "e2e/decrypt_bodies.h"
#include "e2e/requests.h"
#include "support/test_database.h"
#include "support/wallet.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>

namespace relayer::test
{
namespace
{
const Wallet kUser(1);
const Wallet kStranger(2);

core::Address address(std::uint8_t number)
{
    core::Address address{};
    address.fill(number);
    return address;
}
const core::Address kContract = address(0x11);
const core::Address kDecryption = address(0xDC);

core::Hash32 handleOf(std::uint64_t number)
{
    core::Hash32 handle{};
    handle[0] = static_cast<std::uint8_t>(number >> 8U);
    handle[1] = static_cast<std::uint8_t>(number);
    handle[28] = 0x1f;  // 8009, big-endian in 22..29
    handle[29] = 0x49;
    handle[30] = 5;
    return handle;
}

std::uint64_t secondsAgo(std::int64_t seconds)
{
    const auto then = std::chrono::system_clock::now() - std::chrono::seconds(seconds);
    return static_cast<std::uint64_t>(std::chrono::system_clock::to_time_t(then));
}

core::PublicDecrypt publicOf(std::uint64_t number)
{
    return {{handleOf(number), handleOf(number + 1)}, {0}};
}

core::DirectUserDecrypt directOf(std::uint64_t number)
{
    core::DirectUserDecrypt request;
    request.handles = {{handleOf(number), kContract}};
    request.startTimestamp = secondsAgo(600);
    request.durationDays = 7;
    request.contractsChainId = 8009;
    request.contracts = {kContract};
    request.user = kUser.address();
    request.publicKey = core::Bytes(40, 9);
    request.signature = core::Bytes(65, 3);
    request.extraData = {0};
    return request;
}

core::DelegatedUserDecrypt delegatedOf(std::uint64_t number)
{
    core::DelegatedUserDecrypt request;
    request.handles = {{handleOf(number), kContract}};
    request.startTimestamp = secondsAgo(600);
    request.durationDays = 7;
    request.delegator = address(0x33);
    request.delegate = kUser.address();
    request.contractsChainId = 8009;
    request.contracts = {kContract};
    request.publicKey = core::Bytes(40, 9);
    request.signature = core::Bytes(65, 3);
    request.extraData = {0};
    return request;
}

core::UnifiedUserDecrypt unifiedOf(std::uint64_t number)
{
    core::UnifiedUserDecrypt request;
    request.handles = {{handleOf(number), kContract, kUser.address()}};
    request.user = kUser.address();
    request.publicKey = core::Bytes(40, 9);
    request.startTimestamp = secondsAgo(600);
    request.durationSeconds = 86'400;
    request.extraData = {0};
    return request;
}

core::UserDecrypt byUser(const core::UserDecrypt &request)
{
    return kUser.signedFor(request, kDecryption);
}

struct Post
{
    std::string path;
    std::string body;
};

// One of each route, of that content.
std::vector<Post> everyRoute(std::uint64_t number)
{
    std::vector<Post> posts = {{std::string(kPublicDecrypt), bodyOf(publicOf(number))}};
    for (const core::UserDecrypt &request :
         {byUser(directOf(number)), byUser(delegatedOf(number)), byUser(unifiedOf(number))})
    {
        posts.push_back({std::string(pathOf(request)), bodyOf(request)});
    }
    return posts;
}

ServerOptions withContract(const TestDatabase &database)
{
    ServerOptions options = onDatabase(database.url());
    options.environment["RELAYER_GATEWAY__CONTRACTS__DECRYPTION"] = "0x" + core::toHex(kDecryption);
    return options;
}

// One server for all tests of the suite; each test posts contents of its own.
class DecryptRoutes : public testing::Test
{
  protected:
    static void SetUpTestSuite()
    {
        if (!whyNoServer())
        {
            database_ = std::make_unique<TestDatabase>();
            server_ = std::make_unique<ServerProcess>(withContract(*database_));
        }
    }
    static void TearDownTestSuite()
    {
        server_.reset();
        database_.reset();
    }
    void SetUp() override
    {
        RELAYER_NEEDS_SERVER();
        ASSERT_TRUE(server_->becomesHealthy()) << server_->output();
        client_ = std::make_unique<HttpClient>(server_->port());
    }

    static std::uint64_t fresh()
    {
        next_ += 2;
        return next_;
    }
    HttpReply post(const Post &post, const HttpHeaders &headers = {})
    {
        return client_->post(post.path, post.body, headers).value();
    }
    HttpReply post(const core::UserDecrypt &request)
    {
        return client_->post(pathOf(request), bodyOf(request)).value();
    }
    HttpReply get(const std::string &path) { return client_->get(path).value(); }
    static std::string jobIdOf(const HttpReply &reply)
    {
        return reply.json()["result"]["jobId"].asString();
    }
    // The row stands as if the request had ended so.
    static void end(const std::string &jobId, const std::string &columns)
    {
        database_->query("UPDATE request SET live = false, " + columns + " WHERE job_id = '" +
                         jobId + "'");
        database_->query(
            "DELETE FROM live_request l USING request r WHERE r.id = l.request_id"
            " AND r.job_id = '" +
            jobId + "'");
    }
    static std::string gatewayIdOf(std::uint64_t number)
    {
        return "decode(lpad('" + std::to_string(number) + "', 64, '0'), 'hex')";
    }
    static void bring(std::uint64_t gatewayId, int index, const std::string &payload)
    {
        database_->query(
            "INSERT INTO kms_share (gateway_id, share_index, payload, signature,"
            " extra_data) VALUES (" +
            gatewayIdOf(gatewayId) + ", " + std::to_string(index) + ", decode('" + payload +
            "', 'hex'), decode('beef0" + std::to_string(index) + "', 'hex'), decode('00', 'hex'))");
    }
    // A user decryption that is completed with this threshold.
    std::string completedWith(std::uint64_t number, const std::string &threshold)
    {
        const std::string jobId = jobIdOf(post(byUser(directOf(number))));
        end(jobId, "status = 'completed', resolved_threshold = " + threshold +
                       ", gateway_id = " + gatewayIdOf(number));
        return jobId;
    }

    static std::unique_ptr<TestDatabase> database_;
    static std::unique_ptr<ServerProcess> server_;
    static std::uint64_t next_;
    std::unique_ptr<HttpClient> client_;
};
std::unique_ptr<TestDatabase> DecryptRoutes::database_;
std::unique_ptr<ServerProcess> DecryptRoutes::server_;
std::uint64_t DecryptRoutes::next_ = 0;

void expectFailed(const HttpReply &reply, int status, const std::string &label)
{
    EXPECT_EQ(reply.status, status) << reply.body;
    EXPECT_EQ(reply.header("content-type"), "application/json");
    EXPECT_EQ(labelOf(reply), label) << reply.body;
    EXPECT_EQ(reply.json()["status"], "failed");
    EXPECT_EQ(reply.json()["requestId"].asString(), reply.header("x-request-id"));
}

TEST_F(DecryptRoutes, EveryPostAnswers202InTheShapeOfTheContract)
{
    for (const Post &each : everyRoute(fresh()))
    {
        SCOPED_TRACE(each.path);
        const HttpReply reply = post(each, {{"X-Request-ID", "mine"}});
        ASSERT_EQ(reply.status, 202) << reply.body;
        const std::string jobId = jobIdOf(reply);
        EXPECT_EQ(reply.header("content-type"), "application/json");
        EXPECT_EQ(reply.header("retry-after"), "7");
        EXPECT_EQ(reply.header("location"), each.path + "/" + jobId);
        EXPECT_EQ(reply.header("x-request-id"), "mine");
        EXPECT_EQ(reply.body, R"({"status":"queued","requestId":"mine","result":{"jobId":")" +
                                  jobId + R"("},"job_id":")" + jobId + R"(","eta_seconds":7})");
    }
}

TEST_F(DecryptRoutes, EveryPollOfALiveJobAnswers202)
{
    for (const Post &each : everyRoute(fresh()))
    {
        SCOPED_TRACE(each.path);
        const std::string jobId = jobIdOf(post(each));
        const HttpReply reply = get(each.path + "/" + jobId);
        EXPECT_EQ(reply.status, 202) << reply.body;
        EXPECT_EQ(reply.header("retry-after"), "7");
        const Json::Value body = reply.json();
        EXPECT_EQ(body["status"], "queued");
        EXPECT_EQ(body["job_id"], jobId);
        EXPECT_EQ(body["eta_seconds"], 7);
        EXPECT_FALSE(body.isMember("result"));
    }
}

TEST_F(DecryptRoutes, RowsHoldWhatWasPosted)
{
    const std::uint64_t number = fresh();
    const core::UserDecrypt direct = byUser(directOf(number));
    const core::UserDecrypt delegated = byUser(delegatedOf(number));
    const core::UserDecrypt unified = byUser(unifiedOf(number));
    struct Row
    {
        std::string kind;
        std::string variant;
        core::ContentHash hash;
        core::Bytes payload;
        HttpReply reply;
    };
    const core::PublicDecrypt open = publicOf(number);
    const std::vector<Row> rows = {
        {"public_decrypt", "direct", core::contentHash(open), core::encodePayload(open),
         post({std::string(kPublicDecrypt), bodyOf(open)})},
        {"user_decrypt", "direct", core::contentHash(direct), core::encodePayload(direct),
         post(direct)},
        {"user_decrypt", "delegated", core::contentHash(delegated), core::encodePayload(delegated),
         post(delegated)},
        {"user_decrypt", "unified", core::contentHash(unified), core::encodePayload(unified),
         post(unified)},
    };
    for (const Row &row : rows)
    {
        SCOPED_TRACE(row.kind + " " + row.variant);
        const auto stored = database_
                                ->query(
                                    "SELECT kind, variant, encode(content_hash, 'hex'),"
                                    " encode(payload, 'hex') FROM request WHERE job_id = '" +
                                    jobIdOf(row.reply) + "'")
                                .at(0);
        EXPECT_EQ(stored[0], row.kind);
        EXPECT_EQ(stored[1], row.variant);
        EXPECT_EQ(stored[2], core::toHex(row.hash));
        EXPECT_EQ(stored[3], core::toHex(row.payload));
    }
}

TEST_F(DecryptRoutes, AUserDecryptionIsShownOnThePathsOfAllThreeSortsAndNowhereElse)
{
    for (const Post &each : everyRoute(fresh()))
    {
        SCOPED_TRACE(each.path);
        const std::string jobId = jobIdOf(post(each));
        const bool ofUser = each.path != kPublicDecrypt;
        for (const std::string_view path : {kUserDecrypt, kDelegated, kUnified})
        {
            const HttpReply reply = get(std::string(path) + "/" + jobId);
            EXPECT_EQ(reply.status, ofUser ? 202 : 404) << path << reply.body;
        }
        EXPECT_EQ(get(std::string(kPublicDecrypt) + "/" + jobId).status, ofUser ? 404 : 202);
        expectFailed(get(std::string(kInputProof) + "/" + jobId), 404, "not_found");
    }
}

TEST_F(DecryptRoutes, AJobIdThatIsNoneIsARequestErrorAndAnUnknownOneIsNotFound)
{
    for (const std::string_view path : {kPublicDecrypt, kUserDecrypt, kDelegated, kUnified})
    {
        SCOPED_TRACE(path);
        expectFailed(get(std::string(path) + "/not-a-uuid"), 400, "request_error");
        expectFailed(get(std::string(path) + "/00000000-0000-4000-8000-000000000000"), 404,
                     "not_found");
        expectFailed(get(std::string(path) + "/"), 404, "not_found");
    }
}

TEST_F(DecryptRoutes, EachPathTakesItsMethodsAndNamesThemToTheOthers)
{
    for (const std::string_view path : {kPublicDecrypt, kUserDecrypt, kDelegated, kUnified})
    {
        SCOPED_TRACE(path);
        const std::string job = std::string(path) + "/00000000-0000-4000-8000-000000000000";
        for (const std::string method : {"GET", "PUT", "OPTIONS"})
        {
            const auto reply = client_->request(method, path).value();
            expectFailed(reply, 405, "request_error");
            EXPECT_EQ(reply.header("allow"), "POST");
        }
        const auto reply = client_->request("POST", job).value();
        expectFailed(reply, 405, "request_error");
        EXPECT_EQ(reply.header("allow"), "GET, HEAD");
        EXPECT_EQ(client_->request("HEAD", job).value().status, 404);
    }
}

TEST_F(DecryptRoutes, WhatIsWrongWithABodyIsSaidByItsFields)
{
    expectFailed(post({std::string(kPublicDecrypt), "{"}), 400, "malformed_json");
    for (const std::string_view path : {kPublicDecrypt, kUserDecrypt, kDelegated, kUnified})
    {
        SCOPED_TRACE(path);
        const HttpReply probe = post({std::string(path), "{}"});
        expectFailed(probe, 400, "missing_fields");
        EXPECT_GE(probe.json()["error"]["details"].size(), 2U) << probe.body;
    }
    core::PublicDecrypt many;
    many.handles.assign(1025, handleOf(1));
    many.extraData = {0};
    const HttpReply reply = post({std::string(kPublicDecrypt), bodyOf(many)});
    expectFailed(reply, 400, "validation_failed");
    EXPECT_EQ(reply.json()["error"]["details"][0]["field"], "ciphertextHandles") << reply.body;
}

// A request that ended, as its row says it; `answer` is what the gateway said, as it is kept.
struct End
{
    std::string columns;
    std::string answer;
    int status;
    std::string expected;
};

std::vector<End> everyEndOfADecryption()
{
    const std::string full = "01000000040000002a00000001000000020bad0000000100";
    const std::string failed = "status = 'failure', error_code = ";
    const std::string timedOut = "status = 'timed_out', error_code = ";
    const std::string internal = R"("label":"internal_server_error")";
    return {
        {"status = 'completed'", full, 200,
         R"("result":{"decryptedValue":"0000002a","signatures":["0bad"],"extraData":"0x00"}})"},
        {"status = 'completed'", "ff", 500, internal},
        {failed + "'not_allowed_on_host_acl', error_detail = 'Not allowed on host ACL: all of it'",
         "", 400,
         R"("label":"not_allowed_on_host_acl","message":"Not allowed on host ACL: all of it"})"},
        {failed + "'host_acl_failed'", "", 500, R"("label":"host_acl_failed")"},
        {failed + "'readiness_failed', error_detail = 'geheim'", "", 500, internal},
        {failed + "'protocol_paused', error_detail = 'geheim'", "", 503,
         R"("label":"protocol_paused")"},
        {failed + "'insufficient_balance'", "", 503, R"("label":"insufficient_balance")"},
        {failed + "'insufficient_allowance'", "", 503, R"("label":"insufficient_allowance")"},
        {failed + "'invalid_signature', error_detail = 'geheim'", "", 400,
         R"("details":[{"field":"signature","issue":"Signature is invalid"}])"},
        {failed + "'transaction_failed', error_detail = 'geheim'", "", 500, internal},
        {timedOut + "'readiness_timed_out'", "", 503, R"("label":"readiness_check_timed_out")"},
        {timedOut + "'response_timed_out'", "", 503, R"("label":"response_timed_out")"},
        {"status = 'timed_out'", "", 503, "reason not available"},
    };
}

TEST_F(DecryptRoutes, EndsOfAPublicDecryptionAreShownAsTheContractSays)
{
    for (const End &each : everyEndOfADecryption())
    {
        SCOPED_TRACE(each.columns);
        const std::uint64_t number = fresh();
        const std::string jobId =
            jobIdOf(post({std::string(kPublicDecrypt), bodyOf(publicOf(number))}));
        if (!each.answer.empty())
        {
            database_->query(
                "INSERT INTO gateway_answer (kind, gateway_id, accepted, result)"
                " VALUES ('public_decrypt', " +
                gatewayIdOf(number) + ", true, decode('" + each.answer + "', 'hex'))");
        }
        end(jobId, "gateway_id = " + gatewayIdOf(number) + ", " + each.columns);
        const HttpReply reply = get(std::string(kPublicDecrypt) + "/" + jobId);
        EXPECT_EQ(reply.status, each.status);
        EXPECT_NE(reply.body.find(each.expected), std::string::npos) << reply.body;
        EXPECT_EQ(reply.body.find("geheim"), std::string::npos) << reply.body;
        EXPECT_EQ(reply.header("retry-after"), "");
    }
}

TEST_F(DecryptRoutes, ACompletedUserDecryptionShowsTheSharesThatCameFirstInTheOrderOfTheirIndex)
{
    const std::uint64_t number = fresh();
    const std::string jobId = completedWith(number, "3");
    for (const int index : {4, 1, 2, 0, 3})
    {
        bring(number, index, "5a0" + std::to_string(index));
    }
    const std::string expected = R"("result":{"result":[)"
                                 R"({"payload":"5a01","signature":"beef01","extraData":"0x00"},)"
                                 R"({"payload":"5a02","signature":"beef02","extraData":"0x00"},)"
                                 R"({"payload":"5a04","signature":"beef04","extraData":"0x00"}]}})";
    for (const std::string_view path : {kUserDecrypt, kDelegated, kUnified})
    {
        const HttpReply reply = get(std::string(path) + "/" + jobId);
        EXPECT_EQ(reply.status, 200);
        EXPECT_EQ(reply.body, R"({"status":"succeeded","requestId":")" +
                                  reply.header("x-request-id") + R"(",)" + expected);
    }
}

TEST_F(DecryptRoutes, ACompletedUserDecryptionWithoutItsSharesIsAFaultOfOurs)
{
    const std::uint64_t number = fresh();
    const std::string jobId = completedWith(number, "3");
    bring(number, 0, "00");
    bring(number, 1, "00");
    expectFailed(get(std::string(kUserDecrypt) + "/" + jobId), 500, "internal_server_error");
}

TEST_F(DecryptRoutes, TheSameContentJoinsItsJobAndTheHashLeavesTheValidityOut)
{
    const std::uint64_t number = fresh();
    const std::string open = jobIdOf(post({std::string(kPublicDecrypt), bodyOf(publicOf(number))}));
    EXPECT_EQ(jobIdOf(post({std::string(kPublicDecrypt), bodyOf(publicOf(number))})), open);

    core::DirectUserDecrypt direct = directOf(number);
    const std::string job = jobIdOf(post(byUser(direct)));
    direct.startTimestamp -= 17;
    direct.durationDays = 9;
    EXPECT_EQ(jobIdOf(post(byUser(direct))), job);
    core::DelegatedUserDecrypt delegated = delegatedOf(number);
    const std::string other = jobIdOf(post(byUser(delegated)));
    EXPECT_NE(other, job);
    delegated.durationDays = 9;
    EXPECT_EQ(jobIdOf(post(byUser(delegated))), other);
}

TEST_F(DecryptRoutes, AStrangerCanNotOccupyTheRequestOfSomebodyElse)
{
    for (const core::UserDecrypt &request :
         {core::UserDecrypt(directOf(fresh())), core::UserDecrypt(delegatedOf(fresh()))})
    {
        SCOPED_TRACE(pathOf(request));
        const core::UserDecrypt forged = kStranger.signedFor(request, kDecryption);
        const std::string squatter = jobIdOf(post(forged));
        EXPECT_EQ(jobIdOf(post(forged)), squatter) << "a repeat joins";
        const std::string garbage = jobIdOf(post(request));
        EXPECT_NE(garbage, squatter);
        const std::string real = jobIdOf(post(byUser(request)));
        EXPECT_NE(real, squatter);
        EXPECT_NE(real, garbage);
        EXPECT_EQ(jobIdOf(post(byUser(request))), real);
    }
}

TEST_F(DecryptRoutes, NorWithASignatureThatTheContractWouldNotTake)
{
    core::DirectUserDecrypt expired = directOf(fresh());
    expired.startTimestamp = secondsAgo(10 * 86'400);
    core::DirectUserDecrypt valid = expired;
    valid.startTimestamp = secondsAgo(600);
    EXPECT_NE(jobIdOf(post(byUser(expired))), jobIdOf(post(byUser(valid))));

    // v of 0 or 1 is the user's signature, and yet no contract takes it.
    const core::UserDecrypt real = byUser(directOf(fresh()));
    core::UserDecrypt rewritten = real;
    core::Bytes &signature = std::get<core::DirectUserDecrypt>(rewritten).signature;
    signature.back() = static_cast<std::uint8_t>(signature.back() - 27);
    EXPECT_NE(jobIdOf(post(rewritten)), jobIdOf(post(real)));
}

TEST_F(DecryptRoutes, WhoJoinsAJobThatHasEndedNeedNotWait)
{
    for (const Post &each : everyRoute(fresh()))
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

TEST_F(DecryptRoutes, AContentWhoseRequestFailedIsFreeAgain)
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

TEST_F(DecryptRoutes, AnIdempotencyKeyStandsForOneDecryption)
{
    for (const Post &each : everyRoute(fresh()))
    {
        SCOPED_TRACE(each.path);
        const HttpHeaders key = {{"Idempotency-Key", "key-" + std::to_string(fresh())}};
        const HttpReply first = post(each, key);
        ASSERT_EQ(first.status, 202) << first.body;
        EXPECT_EQ(jobIdOf(post(each, key)), jobIdOf(first));
        const HttpReply other = post({std::string(kPublicDecrypt), bodyOf(publicOf(fresh()))}, key);
        EXPECT_EQ(other.status, 422);
        EXPECT_EQ(labelOf(other), "idempotency_key_reused");
        end(jobIdOf(first), "status = 'completed'");
        EXPECT_EQ(post(each, key).header("retry-after"), "1");
    }
}

TEST_F(DecryptRoutes, TheLogNamesRequestsAndShowsNothingOfThem)
{
    const core::UserDecrypt request = byUser(directOf(fresh()));
    const HttpReply reply = post(request);
    EXPECT_TRUE(server_->printed("kind=user_decrypt job_id=" + jobIdOf(reply)));
    const std::string log = server_->output();
    const auto &sort = std::get<core::DirectUserDecrypt>(request);
    for (const std::string &secret :
         {core::toHex(sort.signature), core::toHex(sort.publicKey), core::toHex(sort.user),
          core::toHex(sort.handles.front().handle)})
    {
        EXPECT_EQ(log.find(secret), std::string::npos) << secret;
    }
}

TEST(DecryptRoutesWithLittleRoom, ANewDecryptionIsBouncedAndOneThatIsHereIsNot)
{
    RELAYER_NEEDS_SERVER();
    const TestDatabase database;
    ServerOptions options = withContract(database);
    for (const std::string kind : {"PUBLIC_DECRYPT", "USER_DECRYPT"})
    {
        options.environment["RELAYER_TX_THROTTLER__" + kind + "__CAPACITY"] = "3";
        options.environment["RELAYER_TX_THROTTLER__" + kind + "__SAFETY_MARGIN"] = "1";
    }
    ServerProcess server(options);
    ASSERT_TRUE(server.becomesHealthy()) << server.output();
    HttpClient client(server.port());
    for (const std::size_t route : {0U, 1U, 2U, 3U})
    {
        const Post first = everyRoute(0).at(route);
        SCOPED_TRACE(first.path);
        std::optional<HttpReply> bounced;
        // More than there is room for, since the queue fills up behind the readiness gate.
        for (std::uint64_t number = 0; number < 500 && !bounced; ++number)
        {
            const Post next = everyRoute(2 * number).at(route);
            const HttpReply reply = client.post(next.path, next.body).value();
            bounced = reply.status == 429 ? std::optional(reply) : std::nullopt;
        }
        ASSERT_TRUE(bounced);
        EXPECT_EQ(labelOf(*bounced), "rate_limited");
        EXPECT_EQ(bounced->header("retry-after"), "7");
        EXPECT_EQ(bounced->json()["requestId"].asString(), bounced->header("x-request-id"));
        // The three sorts of user decryption share a queue, which the first of them has filled.
        EXPECT_EQ(client.post(first.path, first.body).value().status, route < 2 ? 202 : 429)
            << "what is in the house already is never bounced";
    }
}
}  // namespace
}  // namespace relayer::test
