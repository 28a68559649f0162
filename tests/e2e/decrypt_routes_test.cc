// The routes of decryptions as clients see them, through the real program.
#include "e2e/decrypt_server.h"

namespace relayer::test
{
namespace
{
class DecryptRoutes : public DecryptServer
{
  protected:
    // A user decryption that is completed with this threshold.
    std::string completedWith(std::uint64_t number, const std::string &threshold)
    {
        const std::string jobId = jobIdOf(post(postOf(byUser(directOf(number)))));
        end(jobId, "status = 'completed', resolved_threshold = " + threshold +
                       ", gateway_id = " + gatewayIdOf(number));
        return jobId;
    }
};

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
         post(postOf(open))},
        {"user_decrypt", "direct", core::contentHash(direct), core::encodePayload(direct),
         post(postOf(direct))},
        {"user_decrypt", "delegated", core::contentHash(delegated), core::encodePayload(delegated),
         post(postOf(delegated))},
        {"user_decrypt", "unified", core::contentHash(unified), core::encodePayload(unified),
         post(postOf(unified))},
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
    core::PublicDecrypt many = publicOf(1);
    many.handles.resize(1025, many.handles[0]);
    const HttpReply reply = post(postOf(many));
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
        const std::string jobId = jobIdOf(post(postOf(publicOf(number))));
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
        bringShare(number, index, "5a0" + std::to_string(index));
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
    bringShare(number, 0, "00");
    bringShare(number, 1, "00");
    expectFailed(get(std::string(kUserDecrypt) + "/" + jobId), 500, "internal_server_error");
}

TEST_F(DecryptRoutes, TheLogNamesRequestsAndShowsNothingOfThem)
{
    const core::UserDecrypt request = byUser(directOf(fresh()));
    const HttpReply reply = post(postOf(request));
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
}  // namespace
}  // namespace relayer::test
