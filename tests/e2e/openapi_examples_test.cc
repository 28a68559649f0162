// Every example of the document, against the server that serves it: requests are taken, links lead
// to the job, and each answer is brought about and is what the example says.
#include "core/public_decrypt_result.h"
#include "e2e/example_requests.h"
#include "e2e/requests.h"
#include "support/api_document.h"
#include "support/json_text.h"
#include "support/test_database.h"
#include "wire/input_proof_result.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace relayer::test
{
namespace
{
using testing::IsEmpty;

std::string hexOf(const core::Bytes &bytes)
{
    return core::toHex(bytes);
}

core::Bytes bytesOf(const Json::Value &text)
{
    const std::string hex = text.asString();
    return core::fromHex(hex.starts_with("0x") ? hex.substr(2) : hex).value();
}

class OpenApiExamples : public testing::Test
{
  protected:
    void SetUp() override
    {
        RELAYER_NEEDS_SERVER();
        database_ = std::make_unique<TestDatabase>();
        serve(likeInTheExamples(database_->url()));
        ASSERT_TRUE(server_->becomesHealthy()) << server_->output();
        read();
    }

    void serve(const ServerOptions &options)
    {
        server_ = std::make_unique<ServerProcess>(options);
        client_ = std::make_unique<HttpClient>(server_->port());
    }

    void read()
    {
        document_ = std::make_unique<ApiDocument>(client_->get("/openapi.json").value().body);
        ASSERT_GT(document_->operations().size(), 10U);
    }

    [[nodiscard]] std::vector<Operation> posts() const
    {
        std::vector<Operation> posts;
        for (const Operation &each : document_->operations())
        {
            if (each.method == "POST")
            {
                posts.push_back(each);
            }
        }
        return posts;
    }

    [[nodiscard]] const Operation &pollOf(const Operation &post) const
    {
        return document_->operation("get" + post.id().substr(4));
    }

    [[nodiscard]] const Operation &watchOf(const Operation &post) const
    {
        return document_->operation("watch" + post.id().substr(4));
    }

    static Json::Value exampleOf(const Operation &post)
    {
        return signedByItsUser(post.body()["examples"]["example"]["value"]);
    }

    std::string freshJob(const Operation &post)
    {
        const Json::Value body = signedByItsUser(variantOf(exampleOf(post), ++variants_));
        const auto reply = client_->post(post.path, jsonText(body)).value();
        EXPECT_EQ(reply.status, 202) << post.path << reply.body;
        return reply.json()["job_id"].asString();
    }

    // That the server says what the example says, but for what is new each time.
    void expectExample(const Operation &operation, const std::string &name, const HttpReply &reply)
    {
        const Json::Value &examples =
            operation.answer(reply.status)["content"]["application/json"]["examples"];
        ASSERT_TRUE(examples.isMember(name))
            << operation.id() << " " << name << " got " << reply.status << " " << reply.body;
        EXPECT_THAT(document_->problems(operation, reply), IsEmpty()) << operation.id() << name;
        Json::Value said = reply.json();
        Json::Value expected = examples[name]["value"];
        for (const char *changing : {"requestId", "job_id", "eta_seconds", "elapsed_seconds"})
        {
            EXPECT_EQ(said.isMember(changing), expected.isMember(changing)) << name << changing;
            said.removeMember(changing);
            expected.removeMember(changing);
        }
        if (name == "waiting")
        {
            // It may have moved on by now.
            said.removeMember("state");
            expected.removeMember("state");
        }
        if (expected.isMember("result") && expected["result"].isMember("jobId"))
        {
            said["result"].removeMember("jobId");
            expected["result"].removeMember("jobId");
        }
        EXPECT_EQ(said, expected) << operation.id() << " " << name;
        executed_.insert(operation.id() + " " + std::to_string(reply.status) + " " + name);
    }

    void setRow(const std::string &jobId, const std::string &columns)
    {
        database_->query("UPDATE request SET " + columns + " WHERE job_id = '" + jobId + "'");
    }

    void postEveryExample();
    void sendEveryRequestOfAnAnswer();
    void endJobs();
    void completeJobs();
    void watchJobs();
    void refusePosts();
    void refuseWithoutDatabase();
    void askForTheService();

    std::unique_ptr<TestDatabase> database_;
    std::unique_ptr<ServerProcess> server_;
    std::unique_ptr<HttpClient> client_;
    std::unique_ptr<ApiDocument> document_;
    std::set<std::string> executed_;
    unsigned variants_ = 0;
};

void OpenApiExamples::postEveryExample()
{
    for (const Operation &post : posts())
    {
        const auto reply = client_->post(post.path, jsonText(exampleOf(post))).value();
        expectExample(post, "accepted", reply);
        const Json::Value &link = post.answer(202)["links"]["poll"];
        EXPECT_EQ(link["parameters"]["job_id"], "$response.body#/result/jobId");
        EXPECT_EQ(post.answer(202)["links"]["events"]["operationId"], watchOf(post).id());
        const Operation &poll = document_->operation(link["operationId"].asString());
        const std::string path = poll.pathTo(reply.json()["result"]["jobId"].asString());
        EXPECT_EQ(path, reply.header("location"));
        expectExample(poll, "waiting", client_->get(path).value());
    }
}

// Those that say themselves how a client comes upon them.
void OpenApiExamples::sendEveryRequestOfAnAnswer()
{
    for (const Operation &each : document_->operations())
    {
        for (const Json::Value &answer : (*each.about)["responses"])
        {
            const Json::Value &examples = answer["content"]["application/json"]["examples"];
            for (const std::string &name : examples.getMemberNames())
            {
                const Json::Value &request = examples[name]["x-request"];
                if (!request.isObject())
                {
                    continue;
                }
                HttpHeaders headers;
                for (const std::string &header : request["headers"].getMemberNames())
                {
                    headers[header] = request["headers"][header].asString();
                }
                const bool post = each.method == "POST";
                const std::string body = request.isMember("body") ? request["body"].asString()
                                         : post                   ? jsonText(exampleOf(each))
                                                                  : std::string();
                expectExample(each, name,
                              client_
                                  ->request(each.method, each.pathTo(request["job_id"].asString()),
                                            body, headers)
                                  .value());
            }
        }
    }
}

// What only the chain can bring about is put into the row.
void OpenApiExamples::endJobs()
{
    struct End
    {
        std::string name;
        std::string columns;
    };
    const std::vector<End> ends = {
        {"validation_failed", "status = 'failure', error_code = 'invalid_signature'"},
        {"internal_server_error", "status = 'failure', error_code = 'transaction_failed'"},
        {"protocol_paused", "status = 'failure', error_code = 'protocol_paused'"},
        {"insufficient_balance", "status = 'failure', error_code = 'insufficient_balance'"},
        {"insufficient_allowance", "status = 'failure', error_code = 'insufficient_allowance'"},
        {"response_timed_out", "status = 'timed_out', error_code = 'response_timed_out'"},
        {"not_allowed_on_host_acl", "status = 'failure', error_code = 'not_allowed_on_host_acl'"},
        {"host_acl_failed", "status = 'failure', error_code = 'host_acl_failed'"},
        {"readiness_check_timed_out", "status = 'timed_out', error_code = 'readiness_timed_out'"},
        {"rejected", "status = 'failure', accepted = false"},
        {"in_flight", "status = 'tx_in_flight'"}};
    for (const Operation &post : posts())
    {
        const Operation &poll = pollOf(post);
        for (const End &end : ends)
        {
            for (const std::string &status : (*poll.about)["responses"].getMemberNames())
            {
                const Json::Value &example = poll.answer(
                    std::stoi(status))["content"]["application/json"]["examples"][end.name];
                if (!example.isObject())
                {
                    continue;
                }
                const std::string jobId = freshJob(post);
                const bool live = end.name == "in_flight";
                setRow(jobId, end.columns + (live ? "" : ", live = false"));
                const std::string message = example["value"]["error"]["message"].asString();
                if (end.name == "not_allowed_on_host_acl")
                {
                    setRow(jobId, "error_detail = '" + message + "'");
                }
                expectExample(poll, end.name, client_->get(poll.pathTo(jobId)).value());
            }
        }
    }
}

void OpenApiExamples::completeJobs()
{
    int number = 1;
    for (const Operation &post : posts())
    {
        const Operation &poll = pollOf(post);
        const Json::Value result = poll.answer(
            200)["content"]["application/json"]["examples"]["succeeded"]["value"]["result"];
        const std::string jobId = freshJob(post);
        const std::string gatewayId =
            "decode(lpad('" + std::to_string(number++) + "', 64, '0'), 'hex')";
        std::string stored;
        std::string kind = "public_decrypt";
        if (result.isMember("handles"))
        {
            wire::InputProofResult proof;
            proof.handles.resize(1);
            const core::Bytes handle = bytesOf(result["handles"][0]);
            std::copy(handle.begin(), handle.end(), proof.handles[0].begin());
            proof.signatures = {bytesOf(result["signatures"][0])};
            stored = hexOf(wire::encodeResult(proof));
            kind = "input_proof";
        }
        else if (result.isMember("decryptedValue"))
        {
            core::PublicDecryptResult decrypted;
            decrypted.decrypted = bytesOf(result["decryptedValue"]);
            decrypted.signatures = {bytesOf(result["signatures"][0])};
            decrypted.extraData = bytesOf(result["extraData"]);
            stored = hexOf(core::encodeResult(decrypted));
        }
        else
        {
            const Json::Value &share = result["result"][0];
            database_->query(
                "INSERT INTO kms_share (gateway_id, share_index, payload, signature, extra_data)"
                " VALUES (" +
                gatewayId + ", 0, decode('" + share["payload"].asString() + "', 'hex'), decode('" +
                share["signature"].asString() + "', 'hex'), decode('00', 'hex'))");
        }
        if (!stored.empty())
        {
            database_->query(
                "INSERT INTO gateway_answer (kind, gateway_id, accepted, result) VALUES ('" + kind +
                "', " + gatewayId + ", true, decode('" + stored + "', 'hex'))");
        }
        setRow(jobId, "status = 'completed', live = false, gateway_id = " + gatewayId +
                          (kind == "input_proof" ? ", accepted = true" : "") +
                          (stored.empty() ? ", resolved_threshold = 1" : ""));
        expectExample(poll, "succeeded", client_->get(poll.pathTo(jobId)).value());
    }
}

// An HTTP client that closes its connection gets one event and the end; a stream has tests of its
// own.
void OpenApiExamples::watchJobs()
{
    const HttpHeaders once = {{"Connection", "close"}};
    for (const Operation &post : posts())
    {
        const Operation &watch = watchOf(post);
        const std::string jobId = freshJob(post);
        setRow(jobId, "status = 'tx_in_flight'");
        const auto reply = client_->get(watch.pathTo(jobId), once).value();
        EXPECT_THAT(document_->problems(watch, reply), IsEmpty()) << reply.body;
        const std::string example =
            watch.answer(200)["content"]["text/event-stream"]["examples"]["events"]["value"]
                .asString();
        const auto head = [](const std::string &text) {
            return text.substr(text.find("id: "), text.find("data: ") - text.find("id: "));
        };
        EXPECT_EQ(head(reply.body), head(example)) << reply.body;
        const std::size_t data = reply.body.find("data: ") + 6;
        const Json::Value said =
            parsedJson(reply.body.substr(data, reply.body.find('\n', data) - data));
        EXPECT_THAT(document_->schemas().problems(
                        pollOf(post).answer(202)["content"]["application/json"]["schema"], said),
                    IsEmpty());
        executed_.insert(watch.id() + " 200 events");

        setRow(jobId, "status = 'failure', error_code = 'internal', live = false");
        const auto told = client_->get(watch.pathTo(jobId), {{"Last-Event-ID", "failure"}}).value();
        EXPECT_EQ(told.status, 204) << told.body;
        executed_.insert(watch.id() + " 204 told");
    }
    ServerOptions full = likeInTheExamples(database_->url());
    full.environment["RELAYER_HTTP__EVENTS__MAX_STREAMS"] = "1";
    serve(full);
    ASSERT_TRUE(server_->becomesHealthy()) << server_->output();
    const std::string jobId = freshJob(posts().front());
    HttpClient watching(server_->port());
    ASSERT_TRUE(watching.send("GET " + watchOf(posts().front()).pathTo(jobId) +
                              " HTTP/1.1\r\nHost: x\r\n\r\n"));
    ASSERT_EQ(watching.receive(true).value().status, 200);
    for (const Operation &post : posts())
    {
        const Operation &watch = watchOf(post);
        expectExample(watch, "gateway_not_reachable", client_->get(watch.pathTo(jobId)).value());
    }
}

void OpenApiExamples::refusePosts()
{
    for (const Operation &post : posts())
    {
        const HttpHeaders key = {{"Idempotency-Key", "key-of-" + post.id()}};
        const auto body = [&] {
            return jsonText(signedByItsUser(variantOf(exampleOf(post), ++variants_)));
        };
        EXPECT_EQ(client_->post(post.path, body(), key).value().status, 202);
        expectExample(post, "idempotency_key_reused",
                      client_->post(post.path, body(), key).value());
        const std::string large(3UL * 1024 * 1024, ' ');
        expectExample(post, "request_error_2", client_->post(post.path, large).value());
    }
    ServerOptions narrow = likeInTheExamples(database_->url());
    for (const std::string kind : {"INPUT_PROOF", "PUBLIC_DECRYPT", "USER_DECRYPT"})
    {
        // Where a request of that kind waits first.
        const std::string queue = kind == "INPUT_PROOF"
                                      ? "RELAYER_TX_THROTTLER__" + kind
                                      : "RELAYER_GATEWAY__READINESS_CHECKER__" + kind;
        narrow.environment[queue + "__CAPACITY"] = "2";
        narrow.environment[queue + "__SAFETY_MARGIN"] = "1";
    }
    serve(narrow);
    ASSERT_TRUE(server_->becomesHealthy());
    const auto fresh = [this](const Operation &post) {
        return client_
            ->post(post.path, jsonText(signedByItsUser(variantOf(exampleOf(post), ++variants_))))
            .value();
    };
    for (const Operation &post : posts())
    {
        HttpReply reply = fresh(post);
        // Decryptions fill the queue behind the readiness gate.
        for (int i = 0; i < 500 && reply.status == 202; ++i)
        {
            reply = fresh(post);
        }
        expectExample(post, "rate_limited", reply);
    }
    ServerOptions strict = likeInTheExamples(database_->url());
    strict.environment["RELAYER_HTTP__CLIENT_LIMITS__REQUESTS_PER_MINUTE"] = "1";
    strict.environment["RELAYER_HTTP__CLIENT_LIMITS__BURST"] = "1";
    strict.environment["RELAYER_ADMIN__ACCESS"] = "none";
    serve(strict);
    ASSERT_TRUE(server_->becomesHealthy());
    EXPECT_EQ(fresh(posts().front()).status, 202);
    for (const Operation &post : posts())
    {
        expectExample(post, "rate_limited_2", fresh(post));
    }
    EXPECT_EQ(client_->post("/admin/intake/pause", "").value().status, 200);
    for (const Operation &post : posts())
    {
        expectExample(post, "protocol_paused", fresh(post));
    }
    EXPECT_EQ(client_->post("/admin/intake/resume", "").value().status, 200);
}

void OpenApiExamples::refuseWithoutDatabase()
{
    serve(likeInTheExamples("postgresql://nobody@127.0.0.1:1/none"));
    for (const Operation &post : posts())
    {
        expectExample(post, "gateway_not_reachable",
                      client_->post(post.path, jsonText(exampleOf(post))).value());
        const Operation &poll = pollOf(post);
        const std::string jobId = "24cd3fd8-56b3-4128-871a-4a62ade308ba";
        expectExample(poll, "gateway_not_reachable", client_->get(poll.pathTo(jobId)).value());
        const Operation &watch = watchOf(post);
        expectExample(watch, "gateway_not_reachable_2", client_->get(watch.pathTo(jobId)).value());
    }
    const Operation &keys = document_->operation("getKeyUrls");
    expectExample(keys, "gateway_not_reachable", client_->get(keys.path).value());
    EXPECT_EQ(client_->get("/healthz").value().status, 503);
}

void OpenApiExamples::askForTheService()
{
    for (const std::string id :
         {"getLiveness", "getHealth", "getVersion", "getDocument", "getDocumentAsPage"})
    {
        const Operation &operation = document_->operation(id);
        const auto reply = client_->get(operation.path).value();
        EXPECT_EQ(reply.status, 200) << id;
        EXPECT_THAT(document_->problems(operation, reply), IsEmpty()) << id << reply.body;
    }
}

TEST_F(OpenApiExamples, AreWhatThisServerTakesAndSays)
{
    askForTheService();
    postEveryExample();
    sendEveryRequestOfAnAnswer();
    endJobs();
    completeJobs();
    watchJobs();
    refusePosts();
    refuseWithoutDatabase();

    std::set<std::string> notSeen;
    for (const std::string &example : examplesOf(*document_))
    {
        if (!executed_.contains(example))
        {
            notSeen.insert(example);
        }
    }
    // A fault of ours can not be ordered; what a chain says is in the tests with a chain.
    std::set<std::string> elsewhere = {"postUnifiedUserDecrypt 400 validation_failed_2",
                                       "getKeyUrls 200 found"};
    for (const Operation &post : posts())
    {
        elsewhere.insert(post.id() + " 500 internal_server_error");
        elsewhere.insert(watchOf(post).id() + " 500 internal_server_error");
    }
    EXPECT_EQ(notSeen, elsewhere);
    std::cout << "# examples of the document: " << executed_.size() << "\n";
}
}  // namespace
}  // namespace relayer::test
