// Requests made from the document that a server serves, right ones and wrong ones: whatever comes,
// the answer is one that the document has, in the shape that it has there.
#include "e2e/requests.h"
#include "support/api_document.h"
#include "support/json_text.h"
#include "support/schema_samples.h"
#include "support/test_database.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <map>

namespace relayer::test
{
namespace
{
struct Asked
{
    std::string method;
    std::string path;
    std::string body;
    HttpHeaders headers;
};

std::string shown(const Asked &asked)
{
    std::string text = asked.method + " " + asked.path;
    for (const auto &[name, value] : asked.headers)
    {
        text += "\n" + name + ": " + value;
    }
    return text + "\n\n" + asked.body.substr(0, 2000);
}

class Generator
{
  public:
    Generator(const ApiDocument &document, std::uint32_t seed)
        : document_(document), sampler_(document.schemas(), seed)
    {}

    // Every second one is a post: they have most to say.
    const Operation &operation()
    {
        const std::vector<Operation> &all = document_.operations();
        const bool post = sampler_.below(2) == 0;
        for (;;)
        {
            const Operation &chosen = all[sampler_.below(all.size())];
            if (!post || chosen.method == "POST")
            {
                return chosen;
            }
        }
    }

    Asked ask(const Operation &operation, const std::vector<std::string> &jobs)
    {
        Asked asked = {operation.method, operation.path, "", headers()};
        if (operation.path.find("{job_id}") != std::string::npos)
        {
            asked.path = operation.pathTo(jobId(jobs));
            wait(asked);
        }
        if (operation.method == "POST")
        {
            asked.body = body(operation);
        }
        return asked;
    }

    // A method that the path does not take, or a path that is none.
    Asked stray(const Operation &operation)
    {
        static const std::vector<std::string> methods = {"PUT", "DELETE", "PATCH", "OPTIONS"};
        Asked asked = {operation.method, operation.pathTo("24cd3fd8-56b3-4128-871a-4a62ade308ba"),
                       "{}", headers()};
        if (sampler_.below(2) == 0)
        {
            asked.method = methods[sampler_.below(methods.size())];
            return asked;
        }
        asked.path += sampler_.matching("/[a-z0-9._~%20-]{1,12}");
        return asked;
    }

  private:
    // Preferences that hold nothing up: those that do have tests of their own.
    void wait(Asked &asked)
    {
        // A stream ends behind its first event when the connection is to be closed.
        if (asked.path.ends_with("/events"))
        {
            asked.headers["Connection"] = "close";
        }
        if (sampler_.below(4) == 0)
        {
            asked.headers["Prefer"] = sampler_.matching("(wait=0|wait=|respond-async|[ -~]{1,12})");
        }
        if (sampler_.below(4) == 0)
        {
            asked.path += sampler_.matching("[?](wait=0|wait=|wait=-1|x=[a-z%0-9]{1,9})");
        }
    }

    HttpHeaders headers()
    {
        HttpHeaders headers;
        if (sampler_.below(4) == 0)
        {
            headers["X-Request-ID"] = sampler_.matching("[!-~]{1,140}");
        }
        if (sampler_.below(8) == 0)
        {
            headers["Idempotency-Key"] = sampler_.matching("[ -~]{1,30}");
        }
        if (sampler_.below(8) == 0)
        {
            headers["Content-Type"] = sampler_.matching("[a-z]{1,8}/[a-z]{1,8}");
        }
        if (sampler_.below(8) == 0)
        {
            headers["Accept"] = sampler_.matching("[a-z]{1,8}/[*a-z]{1,8}");
        }
        return headers;
    }

    std::string jobId(const std::vector<std::string> &jobs)
    {
        switch (sampler_.below(4))
        {
            case 0:
                return sampler_.matching(
                    "[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}");
            case 1: return sampler_.matching("[0-9a-zA-Z._~%41-]{1,40}");
            default: return jobs.empty() ? "x" : jobs[sampler_.below(jobs.size())];
        }
    }

    std::string body(const Operation &operation)
    {
        const Json::Value &content = operation.body();
        const Json::Value example = content["examples"]["example"]["value"];
        switch (sampler_.below(10))
        {
            case 0: return sampler_.noise(300);
            case 1: return jsonText(example);
            case 2:
            {
                const std::string text = jsonText(example);
                return text.substr(0, sampler_.below(text.size()));
            }
            case 3:
            case 4: return jsonText(sampler_.valid(content["schema"]));
            case 5:
            case 6: return jsonText(sampler_.spoiled(sampler_.valid(content["schema"])));
            default: return jsonText(sampler_.spoiled(example));
        }
    }

    const ApiDocument &document_;
    SchemaSampler sampler_;
};

TEST(SchemaSampler, WhatItMakesIsWhatTheSchemasSay)
{
    const JsonSchemas schemas(parsedJson(
        R"({"components":{"schemas":{"A":{"type":"object","properties":{"a":{"type":"string",)"
        R"("pattern":"^(0x00|0x01[0-9a-fA-F]{4}|\\+?[0-9]+)$"},"b":{"type":"array","items":)"
        R"({"type":"string","minLength":130,"maxLength":130,"pattern":"^([0-9a-f]{2})*$"},)"
        R"("minItems":1}},"required":["a","b"]}}}})"));
    const Json::Value reference = parsedJson(R"({"$ref":"#/components/schemas/A"})");
    SchemaSampler sampler(schemas, 1);
    int wrong = 0;
    for (int i = 0; i < 300; ++i)
    {
        const Json::Value value = sampler.valid(reference);
        const auto problems = schemas.problems(reference, value);
        ASSERT_TRUE(problems.empty()) << problems.front();
        wrong += schemas.problems(reference, sampler.spoiled(value)).empty() ? 0 : 1;
    }
    EXPECT_GT(wrong, 200) << "what is spoiled is mostly wrong";
}

class OpenApiGenerator : public testing::Test
{
  protected:
    void SetUp() override
    {
        RELAYER_NEEDS_SERVER();
        database_ = std::make_unique<TestDatabase>();
        server_ = std::make_unique<ServerProcess>(onDatabase(database_->url(), "one", "error"));
        ASSERT_TRUE(server_->becomesHealthy()) << server_->output();
        client_ = std::make_unique<HttpClient>(server_->port());
        document_ = std::make_unique<ApiDocument>(client_->get("/openapi.json").value().body);
    }

    HttpReply send(const Asked &asked)
    {
        auto reply = client_->request(asked.method, asked.path, asked.body, asked.headers);
        EXPECT_TRUE(reply) << "no answer to " << shown(asked);
        return reply.value_or(HttpReply{});
    }

    void expectDocumented(const Operation &operation, const Asked &asked, const HttpReply &reply)
    {
        ++statuses_[reply.status];
        const auto problems = document_->problems(operation, reply);
        EXPECT_TRUE(problems.empty()) << problems.front() << "\n"
                                      << reply.status << " " << reply.body << "\nto\n"
                                      << shown(asked);
        // The database is there, and nothing of ours may fail; only where the keys are is not known
        // without a chain.
        const int worst = operation.id() == "getKeyUrls" ? 503 : 499;
        EXPECT_LE(reply.status, worst) << shown(asked) << reply.body;
    }

    // The shape that the document describes in its words.
    void expectStray(const Asked &asked, const HttpReply &reply)
    {
        ++statuses_[reply.status];
        const Json::Value failure = parsedJson(R"({"$ref":"#/components/schemas/Failure"})");
        EXPECT_TRUE(document_->schemas().problems(failure, reply.json()).empty())
            << reply.body << shown(asked);
        EXPECT_TRUE(reply.status == 404 || reply.status == 405 || reply.status == 400)
            << reply.status << shown(asked);
        EXPECT_EQ(reply.status == 405, !reply.header("allow").empty()) << shown(asked);
    }

    std::unique_ptr<TestDatabase> database_;
    std::unique_ptr<ServerProcess> server_;
    std::unique_ptr<HttpClient> client_;
    std::unique_ptr<ApiDocument> document_;
    std::map<int, int> statuses_;
};

TEST_F(OpenApiGenerator, FiveThousandRequestsFindNothingThatIsNotDocumented)
{
    constexpr int kRequests = 5000;
    const char *given = std::getenv("RELAYER_TEST_SEED");  // NOLINT(concurrency-mt-unsafe)
    const auto seed = static_cast<std::uint32_t>(given == nullptr ? 20231115 : std::atoi(given));
    Generator generator(*document_, seed);
    std::vector<std::string> jobs;
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < kRequests && !HasFailure(); ++i)
    {
        const Operation &operation = generator.operation();
        if (i % 20 == 0)
        {
            const Asked asked = generator.stray(operation);
            expectStray(asked, send(asked));
            continue;
        }
        const Asked asked = generator.ask(operation, jobs);
        const HttpReply reply = send(asked);
        expectDocumented(operation, asked, reply);
        if (reply.status == 202 && operation.method == "POST")
        {
            jobs.push_back(reply.json()["job_id"].asString());
        }
    }
    const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(
        std::chrono::steady_clock::now() - begin);
    std::cout << "# generated requests: " << kRequests << " in " << took.count() << " ms, seed "
              << seed;
    for (const auto &[status, count] : statuses_)
    {
        std::cout << ", " << count << " x " << status;
    }
    std::cout << "\n";
    EXPECT_GT(statuses_[202], 200);
    EXPECT_GT(statuses_[400], 500);
    EXPECT_GT(statuses_[404], 100);
}
}  // namespace
}  // namespace relayer::test
