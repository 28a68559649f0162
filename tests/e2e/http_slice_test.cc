// The first slice to the outside, through the real program: what clients see of an input proof.
#include "core/job_id.h"
#include "e2e/requests.h"
#include "support/test_database.h"

#include <gtest/gtest.h>

#include <memory>

namespace relayer::test
{
namespace
{
// One server for all tests of the suite; each test posts contents of its own.
class HttpSlice : public testing::Test
{
  protected:
    static void SetUpTestSuite()
    {
        if (!whyNoServer())
        {
            database_ = std::make_unique<TestDatabase>(TestDatabase::Schema::Empty);
            server_ = std::make_unique<ServerProcess>(onDatabase(database_->url()));
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

    static std::string freshBody() { return proofBody(next_++).text(); }
    HttpReply post(const std::string &body, const HttpHeaders &headers = {})
    {
        return client_->post(kInputProof, body, headers).value();
    }
    HttpReply get(const std::string &path, const HttpHeaders &headers = {})
    {
        return client_->get(path, headers).value();
    }
    static std::string jobPath(const std::string &jobId)
    {
        return std::string(kInputProof) + "/" + jobId;
    }
    static std::string jobIdOf(const HttpReply &reply)
    {
        return reply.json()["result"]["jobId"].asString();
    }

    static std::unique_ptr<TestDatabase> database_;
    static std::unique_ptr<ServerProcess> server_;
    static std::uint64_t next_;
    std::unique_ptr<HttpClient> client_;
};
std::unique_ptr<TestDatabase> HttpSlice::database_;
std::unique_ptr<ServerProcess> HttpSlice::server_;
std::uint64_t HttpSlice::next_ = 1;

bool isVersion4(const std::string &text)
{
    const auto id = core::JobId::parse(text);
    return id && text == id->text() && text[14] == '4';
}

void expectEnvelope(const HttpReply &reply, int status, const std::string &label)
{
    EXPECT_EQ(reply.status, status) << reply.body;
    EXPECT_EQ(reply.header("content-type"), "application/json");
    const Json::Value body = reply.json();
    ASSERT_TRUE(body.isObject()) << reply.body;
    EXPECT_EQ(body["status"], "failed");
    EXPECT_EQ(labelOf(reply), label);
    EXPECT_FALSE(body["requestId"].asString().empty());
    EXPECT_EQ(body["requestId"].asString(), reply.header("x-request-id"));
}

TEST_F(HttpSlice, APostedInputProofAnswers202InTheShapeOfTheContract)
{
    const HttpReply reply = post(freshBody());
    EXPECT_EQ(reply.status, 202);
    EXPECT_EQ(reply.header("content-type"), "application/json");
    EXPECT_EQ(reply.header("retry-after"), "7");
    const std::string jobId = jobIdOf(reply);
    const std::string requestId = reply.header("x-request-id");
    EXPECT_TRUE(isVersion4(jobId));
    EXPECT_TRUE(isVersion4(requestId));
    EXPECT_EQ(reply.header("location"), jobPath(jobId));
    EXPECT_EQ(reply.body, R"({"status":"queued","requestId":")" + requestId +
                              R"(","result":{"jobId":")" + jobId + R"("},"job_id":")" + jobId +
                              R"(","eta_seconds":7})");
}

TEST_F(HttpSlice, APostedInputProofStaysProcessingAndItsPollAnswers202)
{
    const std::string jobId = jobIdOf(post(freshBody()));
    const HttpReply reply = get(jobPath(jobId), {{"X-Request-ID", "poll-1"}});
    EXPECT_EQ(reply.status, 202);
    EXPECT_EQ(reply.header("retry-after"), "7");
    const Json::Value body = reply.json();
    EXPECT_EQ(body["state"], "processing");
    EXPECT_FALSE(body.isMember("result"));
    ASSERT_TRUE(body["elapsed_seconds"].isInt());
    EXPECT_GE(body["elapsed_seconds"].asInt(), 0);
    EXPECT_LE(body["elapsed_seconds"].asInt(), 30);
    EXPECT_TRUE(reply.body.starts_with(R"({"status":"queued","requestId":"poll-1","job_id":")" +
                                       jobId + R"(","state":"processing","eta_seconds":7)"))
        << reply.body;
}

TEST_F(HttpSlice, ElapsedSecondsCountFromWhenTheStatusWasEnteredWhateverTheZoneOfTheServer)
{
    const std::string jobId = jobIdOf(post(freshBody()));
    database_->query(
        "UPDATE request SET status_at = now() - interval '100 seconds' WHERE job_id = '" + jobId +
        "'");
    for (const std::string zone : {"UTC", "America/New_York", "Europe/Berlin", "Asia/Kolkata"})
    {
        ServerOptions options = onDatabase(database_->url(), "zone");
        options.environment["TZ"] = zone;
        ServerProcess server(options);
        ASSERT_TRUE(server.becomesHealthy()) << server.output();
        const auto reply = HttpClient(server.port()).get(jobPath(jobId)).value();
        EXPECT_GE(reply.json()["elapsed_seconds"].asInt(), 100) << zone;
        EXPECT_LE(reply.json()["elapsed_seconds"].asInt(), 160) << zone;
    }
}

TEST_F(HttpSlice, TheSameContentJoinsItsJobHoweverItIsWritten)
{
    ProofBody body = proofBody(next_++);
    body.contract = "0xabcdefabcdefabcdefabcdefabcdefabcdefabcd";
    const std::string jobId = jobIdOf(post(body.text()));
    EXPECT_EQ(jobIdOf(post(body.text())), jobId);
    body.contract = "0xABCDEFabcdefABCDEFabcdefABCDEFabcdefABCD";
    EXPECT_EQ(jobIdOf(post(body.text())), jobId);
    body.chainId = "654321";
    EXPECT_EQ(jobIdOf(post(body.text())), jobId);
    body.chainId = R"("0x9fbf1")";
    EXPECT_EQ(jobIdOf(post(body.text())), jobId);
    body.ciphertext[10] = body.ciphertext[10] == '1' ? '2' : '1';
    EXPECT_NE(jobIdOf(post(body.text())), jobId);
}

TEST_F(HttpSlice, AJobIdIsTakenInEveryFormThatTheReferenceTakes)
{
    const std::string jobId = jobIdOf(post(freshBody()));
    std::string digits = jobId;
    std::erase(digits, '-');
    std::string upper = jobId;
    std::transform(upper.begin(), upper.end(), upper.begin(), ::toupper);
    for (const std::string &form : {digits, upper, "%7B" + jobId + "%7D", "urn:uuid:" + jobId})
    {
        EXPECT_EQ(get(jobPath(form)).status, 202) << form;
    }
}

TEST_F(HttpSlice, AMalformedJobIdIsARequestError)
{
    for (const std::string id : {"1", "not-a-uuid", "00000000-0000-4000-8000-00000000000g", "%00"})
    {
        expectEnvelope(get(jobPath(id)), 400, "request_error");
    }
}

TEST_F(HttpSlice, AnUnknownJobIsNotFound)
{
    expectEnvelope(get(jobPath("00000000-0000-4000-8000-000000000000")), 404, "not_found");
}

TEST_F(HttpSlice, AJobOfAnotherKindIsNotFound)
{
    const std::string jobId = jobIdOf(post(freshBody()));
    database_->query("UPDATE request SET kind = 'public_decrypt' WHERE job_id = '" + jobId + "'");
    expectEnvelope(get(jobPath(jobId)), 404, "not_found");
}

// A request that ended, as its row says it; `answer` is what the gateway said, as it is kept.
struct End
{
    std::string columns;
    std::string answer;
    int status;
    std::string expected;
};

std::vector<End> everyEnd()
{
    const std::string handle(64, 'a');
    const std::string full = "0100000001" + handle + "0000000100000002beef";
    const std::string shown = R"({"accepted":true,"extraData":"0x00","handles":["0x)" + handle +
                              R"("],"signatures":["0xbeef"]})";
    const std::string rejected = R"("result":{"accepted":false,"extraData":"0x00"}})";
    const std::string internal = R"("label":"internal_server_error")";
    const std::string completed = "status = 'completed', accepted = true";
    return {
        {completed, full, 200, R"("result":)" + shown + "}"},
        {completed, "010000000000000000", 200, rejected},
        {completed, "ff", 500, internal},
        {completed, "", 500, internal},
        {"status = 'failure', accepted = false", "", 200, rejected},
        {"status = 'failure', error_code = 'protocol_paused', error_detail = 'geheim'", "", 503,
         R"("label":"protocol_paused")"},
        {"status = 'failure', error_code = 'transaction_failed', error_detail = 'geheim'", "", 500,
         internal},
        {"status = 'failure', error_code = 'from_the_future'", "", 500, internal},
        {"status = 'failure', error_code = 'invalid_signature'", "", 400,
         R"("details":[{"field":"signature","issue":"Signature is invalid"}])"},
        {"status = 'timed_out', error_code = 'response_timed_out'", "", 503,
         "did not respond within the expected timeframe"},
    };
}

TEST_F(HttpSlice, EndsOfARequestAreShownAsTheContractSays)
{
    std::size_t number = 0;
    for (const End &end : everyEnd())
    {
        const std::string jobId = jobIdOf(post(freshBody()));
        const std::string digits = std::to_string(1000 + number++);
        const std::string gatewayId = "decode(lpad('" + digits + "', 64, '0'), 'hex')";
        if (!end.answer.empty())
        {
            database_->query(
                "INSERT INTO gateway_answer (kind, gateway_id, accepted, result)"
                " VALUES ('input_proof', " +
                gatewayId + ", true, decode('" + end.answer + "', 'hex'))");
        }
        database_->query("UPDATE request SET live = false, gateway_id = " + gatewayId + ", " +
                         end.columns + " WHERE job_id = '" + jobId + "'");
        const HttpReply reply = get(jobPath(jobId));
        EXPECT_EQ(reply.status, end.status) << end.columns;
        EXPECT_NE(reply.body.find(end.expected), std::string::npos) << reply.body;
        EXPECT_EQ(reply.body.find("geheim"), std::string::npos) << reply.body;
        EXPECT_EQ(reply.header("retry-after"), "") << end.columns;
    }
}

TEST_F(HttpSlice, BadBodiesAnswer400WithTheirLabelAndEveryField)
{
    struct Bad
    {
        std::string body;
        std::string label;
        std::vector<std::string> fields;
    };
    const std::vector<Bad> cases = {
        {"", "malformed_json", {}},
        {"{", "malformed_json", {}},
        {freshBody() + "x", "malformed_json", {}},
        {"null", "validation_failed", {"request"}},
        {"{}",
         "missing_fields",
         {"contractChainId", "contractAddress", "userAddress", "ciphertextWithInputVerification",
          "extraData"}},
        {R"({"contractChainId":1,"contractAddress":null,"userAddress":"0x","extraData":"0x00",)"
         R"("ciphertextWithInputVerification":""})",
         "validation_failed",
         {"request", "contractAddress"}},
        {R"({"contractChainId":"x","contractAddress":"1","userAddress":"0x","extraData":"0x01",)"
         R"("ciphertextWithInputVerification":"0xaa"})",
         "validation_failed",
         {"contractChainId", "contractAddress", "userAddress", "ciphertextWithInputVerification",
          "extraData"}},
    };
    for (const Bad &bad : cases)
    {
        const HttpReply reply = post(bad.body);
        expectEnvelope(reply, 400, bad.label);
        std::vector<std::string> fields;
        const Json::Value body = reply.json();
        for (const Json::Value &detail : body["error"]["details"])
        {
            fields.push_back(detail["field"].asString());
        }
        EXPECT_EQ(fields, bad.fields) << reply.body;
    }
}

TEST_F(HttpSlice, TheContentTypeOfARequestDoesNotMatter)
{
    EXPECT_EQ(post(freshBody(), {{"Content-Type", "text/plain"}}).status, 202);
    EXPECT_EQ(post(freshBody(), {{"Content-Type", "application/x-www-form-urlencoded"}}).status,
              202);
    EXPECT_EQ(post(freshBody(), {{"Content-Type", "multipart/form-data; boundary=x"}}).status, 202);
}

TEST_F(HttpSlice, EveryUnknownPathIsNotFoundInOurEnvelope)
{
    for (const std::string path :
         {"/", "/nothing", "/v2/input-proof/", "/v2", "/v1/input-proof", "/liveness/", "/metrics",
          "/index.html", "/config.json", "/../etc/passwd", "/..%2f..%2fetc/passwd",
          "/v2/input-proof/a/b"})
    {
        expectEnvelope(get(path), 404, "not_found");
    }
}

TEST_F(HttpSlice, AWrongMethodAnswers405AndSaysWhichAreRight)
{
    struct Wrong
    {
        std::string method;
        std::string path;
        std::string allowed;
    };
    const std::string job = jobPath("00000000-0000-4000-8000-000000000000");
    const std::vector<Wrong> cases = {
        {"GET", "/v2/input-proof", "POST"},     {"PUT", "/v2/input-proof", "POST"},
        {"OPTIONS", "/v2/input-proof", "POST"}, {"POST", job, "GET, HEAD"},
        {"DELETE", job, "GET, HEAD"},           {"OPTIONS", job, "GET, HEAD"},
        {"POST", "/healthz", "GET, HEAD"}};
    for (const Wrong &wrong : cases)
    {
        const auto reply = client_->request(wrong.method, wrong.path);
        ASSERT_TRUE(reply) << wrong.method << " " << wrong.path;
        expectEnvelope(*reply, 405, "request_error");
        EXPECT_EQ(reply->header("allow"), wrong.allowed) << wrong.method << " " << wrong.path;
    }
}

TEST_F(HttpSlice, HeadAnswersAsGetDoesWithoutABody)
{
    const std::string jobId = jobIdOf(post(freshBody()));
    for (const std::string &path :
         {jobPath(jobId), std::string("/healthz"), std::string("/version")})
    {
        const auto head = client_->request("HEAD", path);
        ASSERT_TRUE(head) << path;
        EXPECT_EQ(head->status, get(path).status) << path;
        EXPECT_NE(head->header("content-length"), "0") << path;
    }
}

TEST_F(HttpSlice, HealthAndVersionHaveTheShapesOfTheContract)
{
    EXPECT_EQ(get("/liveness").body, R"({"status":"alive"})");
    EXPECT_EQ(get("/healthz").body, R"({"status":"healthy","dependencies":{"database":"ok"}})");
    const Json::Value version = get("/version").json();
    EXPECT_EQ(version["name"], "relayer-service");
    EXPECT_FALSE(version["version"].asString().empty());
    const std::string build = version["build"].asString();
    EXPECT_NE(build.find('-'), std::string::npos);
    EXPECT_TRUE(build.ends_with("clean") || build.ends_with("dirty")) << build;
}

TEST_F(HttpSlice, ASaneRequestIdIsEchoedAndLogged)
{
    const HttpReply reply = post(freshBody(), {{"X-Request-ID", "client-42_a.b:c"}});
    EXPECT_EQ(reply.header("x-request-id"), "client-42_a.b:c");
    EXPECT_EQ(reply.json()["requestId"], "client-42_a.b:c");
    EXPECT_TRUE(server_->printed("request_id=client-42_a.b:c"));
}

TEST_F(HttpSlice, AnInsaneRequestIdIsReplacedByOneOfOurOwn)
{
    for (const std::string &id :
         {std::string("a b"), std::string("a\rSet-Cookie: x=1"), std::string("a\nX: 1"),
          std::string("\"><script>"), std::string(129, 'a'), std::string("\xc3\xa4")})
    {
        const HttpReply reply = post(freshBody(), {{"X-Request-ID", id}});
        EXPECT_EQ(reply.status, 202);
        EXPECT_TRUE(isVersion4(reply.header("x-request-id"))) << reply.header("x-request-id");
        EXPECT_EQ(reply.json()["requestId"].asString(), reply.header("x-request-id"));
        EXPECT_EQ(reply.header("set-cookie"), "");
        EXPECT_EQ(reply.header("x"), "");
    }
}

TEST_F(HttpSlice, ABodyOverTheLimitIsARequestErrorThatNamesTheLimit)
{
    ProofBody body = proofBody(next_++);
    body.ciphertext.assign(2UL * 1024 * 1024, 'a');
    const HttpReply reply = post(body.text());
    expectEnvelope(reply, 400, "request_error");
    EXPECT_NE(reply.body.find("2097152 bytes"), std::string::npos) << reply.body;
    body.ciphertext.assign(2UL * 1024 * 1024 - 1000, 'a');
    EXPECT_EQ(post(body.text()).status, 202);
}

TEST_F(HttpSlice, ABodyOfTwiceTheLimitIsTurnedAwayAndTheServerGoesOn)
{
    ASSERT_TRUE(client_->send(
        "POST /v2/input-proof HTTP/1.1\r\nHost: x\r\nContent-Length: 5000000\r\n\r\n"));
    EXPECT_TRUE(client_->receiveAll().starts_with("HTTP/1.1 413"));
    EXPECT_EQ(HttpClient(server_->port()).get("/liveness").value().status, 200);
}

TEST_F(HttpSlice, GarbageInsteadOfHttpHarmsNobody)
{
    const std::vector<std::string> garbage = {
        "\r\n\r\n",
        "\x16\x03\x01\x02\x01 hello",
        "GET\r\n\r\n",
        "GET / HTTP/9.9\r\n\r\n",
        "BREW /coffee HTTP/1.1\r\n\r\n",
        "POST /v2/input-proof HTTP/1.1\r\nContent-Length: x\r\n\r\n",
        "POST /v2/input-proof HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n\r\n",
        "GET /" + std::string(70000, 'a'),
        std::string(100, '\0')};
    for (const std::string &bytes : garbage)
    {
        HttpClient client(server_->port(), std::chrono::milliseconds(500));
        ASSERT_TRUE(client.send(bytes));
        const std::string answer = client.receiveAll();
        EXPECT_TRUE(answer.empty() || answer.starts_with("HTTP/1.1 4") ||
                    answer.starts_with("HTTP/1.1 501"))
            << answer;
    }
    EXPECT_EQ(post(freshBody()).status, 202);
}

TEST_F(HttpSlice, ManyRequestsGoOverOneConnection)
{
    for (int i = 0; i < 300; ++i)
    {
        const HttpReply reply = post(freshBody());
        ASSERT_EQ(reply.status, 202) << i;
        ASSERT_EQ(get(jobPath(jobIdOf(reply))).status, 202) << i;
        ASSERT_EQ(post("{}").status, 400) << i;
        ASSERT_EQ(get("/nothing").status, 404) << i;
    }
    EXPECT_EQ(client_->connections(), 1);
}

TEST_F(HttpSlice, PipelinedRequestsAreAnsweredInTheirOrder)
{
    std::string bytes;
    for (int i = 0; i < 20; ++i)
    {
        const std::string body = freshBody();
        bytes += "POST /v2/input-proof HTTP/1.1\r\nHost: x\r\nX-Request-ID: p" +
                 std::to_string(2 * i) + "\r\nContent-Length: " + std::to_string(body.size()) +
                 "\r\n\r\n" + body + "GET /nothing HTTP/1.1\r\nHost: x\r\nX-Request-ID: p" +
                 std::to_string(2 * i + 1) + "\r\n\r\n";
    }
    ASSERT_TRUE(client_->send(bytes));
    for (int i = 0; i < 40; ++i)
    {
        const auto reply = client_->receive();
        ASSERT_TRUE(reply) << i;
        EXPECT_EQ(reply->header("x-request-id"), "p" + std::to_string(i));
        EXPECT_EQ(reply->status, i % 2 == 0 ? 202 : 404);
    }
}

TEST_F(HttpSlice, RowsHoldWhatWasPosted)
{
    const std::uint64_t number = next_++;
    const std::string jobId = jobIdOf(post(proofBody(number).text()));
    const auto rows = database_->query(
        "SELECT kind, status, encode(content_hash, 'hex'), encode(payload, 'hex') FROM request"
        " WHERE job_id = '" +
        jobId + "'");
    ASSERT_EQ(rows.size(), 1U);
    EXPECT_EQ(rows[0][0], "input_proof");
    EXPECT_EQ(rows[0][1], "processing");
    EXPECT_EQ(rows[0][2], core::toHex(core::contentHash(proofOf(number))));
    EXPECT_EQ(rows[0][3], core::toHex(core::encodePayload(proofOf(number))));
}
}  // namespace
}  // namespace relayer::test
