// The document about our routes: whole, consistent, and told by the code that answers. That servers
// do what it says is for tests/e2e/openapi_*.
#include "support/json_schema.h"
#include "wire/labels.h"
#include "wire/openapi.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <set>

namespace relayer::test
{
namespace
{
using testing::HasSubstr;
using testing::IsEmpty;
using wire::httpStatus;
using wire::kLabels;
using wire::Label;
using wire::openApi;
using wire::RequestLimits;

constexpr std::uint64_t kNow = 1900000000;

const JsonSchemas &schemas()
{
    static const JsonSchemas document(
        parsedJson(openApi({"1.2.3", RequestLimits(), 2097152, kNow, 30})));
    return document;
}

const Json::Value &document()
{
    return schemas().document();
}

void eachValue(const Json::Value &value, const std::function<void(const Json::Value &)> &visit)
{
    visit(value);
    if (value.isObject() || value.isArray())
    {
        for (const Json::Value &inside : value)
        {
            eachValue(inside, visit);
        }
    }
}

using Visit = std::function<void(const std::string &name, const Json::Value &operation)>;

void eachOperation(const Visit &visit)
{
    const Json::Value &paths = document()["paths"];
    for (const std::string &path : paths.getMemberNames())
    {
        for (const std::string &method : paths[path].getMemberNames())
        {
            visit(method + " " + path, paths[path][method]);
        }
    }
}

// Every schema with the examples that stand beside it.
void eachContent(const Json::Value &operation, const Visit &visit)
{
    const auto contents = [&visit](const std::string &name, const Json::Value &content) {
        for (const std::string &type : content.getMemberNames())
        {
            visit(name + " " + type, content[type]);
        }
    };
    contents("request", operation["requestBody"]["content"]);
    for (const std::string &status : operation["responses"].getMemberNames())
    {
        contents(status, operation["responses"][status]["content"]);
    }
}

TEST(OpenApi, HasEveryRouteOfTheContract)
{
    std::set<std::string> operations;
    eachOperation([&](const std::string &name, const Json::Value &) { operations.insert(name); });
    for (const std::string path : {"/v2/input-proof", "/v2/public-decrypt", "/v2/user-decrypt",
                                   "/v2/delegated-user-decrypt", "/v3/user-decrypt"})
    {
        EXPECT_EQ(operations.count("post " + path), 1U) << path;
        EXPECT_EQ(operations.count("get " + path + "/{job_id}"), 1U) << path;
        EXPECT_EQ(operations.count("get " + path + "/{job_id}/events"), 1U) << path;
    }
    for (const std::string path :
         {"/v2/keyurl", "/liveness", "/healthz", "/version", "/openapi.json", "/docs"})
    {
        EXPECT_EQ(operations.count("get " + path), 1U) << path;
    }
    EXPECT_EQ(document()["openapi"], "3.1.0");
    EXPECT_EQ(document()["info"]["title"], "Relayer API");
    EXPECT_EQ(document()["info"]["version"], "1.2.3");
}

TEST(OpenApi, EveryReferenceLeadsSomewhere)
{
    int references = 0;
    eachValue(document(), [&references](const Json::Value &value) {
        if (value.isObject() && value.isMember("$ref"))
        {
            ++references;
            EXPECT_FALSE(schemas().resolved(value).isNull()) << value["$ref"];
        }
    });
    EXPECT_GT(references, 100);
}

TEST(OpenApi, OperationsHaveNamesOfTheirOwnATagAndAnAnswer)
{
    std::set<std::string> tags;
    for (const Json::Value &tag : document()["tags"])
    {
        tags.insert(tag["name"].asString());
    }
    std::set<std::string> ids;
    eachOperation([&](const std::string &name, const Json::Value &operation) {
        EXPECT_TRUE(ids.insert(operation["operationId"].asString()).second) << name;
        EXPECT_EQ(tags.count(operation["tags"][0].asString()), 1U) << name;
        EXPECT_FALSE(operation["summary"].asString().empty()) << name;
        EXPECT_FALSE(operation["responses"].empty()) << name;
    });
    eachValue(document(), [&ids](const Json::Value &value) {
        if (value.isObject() && value.isMember("links"))
        {
            for (const Json::Value &link : value["links"])
            {
                EXPECT_EQ(ids.count(link["operationId"].asString()), 1U) << link;
            }
        }
    });
}

TEST(OpenApi, EveryExampleIsWhatItsSchemaSays)
{
    int examples = 0;
    eachOperation([&examples](const std::string &name, const Json::Value &operation) {
        eachContent(operation, [&](const std::string &where, const Json::Value &content) {
            for (const std::string &each : content["examples"].getMemberNames())
            {
                ++examples;
                EXPECT_THAT(
                    schemas().problems(content["schema"], content["examples"][each]["value"]),
                    IsEmpty())
                    << name << " " << where << " " << each;
            }
        });
    });
    EXPECT_GT(examples, 120);
}

TEST(OpenApi, EveryPostAndEveryAnswerInJsonHasAnExample)
{
    eachOperation([](const std::string &name, const Json::Value &operation) {
        eachContent(operation, [&](const std::string &where, const Json::Value &content) {
            if (where.ends_with("application/json") && name != "get /openapi.json")
            {
                EXPECT_FALSE(content["examples"].empty()) << name << " " << where;
            }
        });
    });
}

TEST(OpenApi, EveryErrorHasAnExampleWithTheStatusOfItsLabel)
{
    std::set<std::string> labels;
    eachOperation([&labels](const std::string &name, const Json::Value &operation) {
        eachContent(operation, [&](const std::string &where, const Json::Value &content) {
            for (const Json::Value &example : content["examples"])
            {
                const Json::Value &value = example["value"];
                const std::string label =
                    value.isObject() ? value["error"]["label"].asString() : std::string();
                for (std::size_t i = 0; i < kLabels && !label.empty(); ++i)
                {
                    const auto known = static_cast<Label>(i);
                    if (label == wire::name(known))
                    {
                        EXPECT_THAT(where, HasSubstr(std::to_string(httpStatus(known)))) << name;
                        labels.insert(label);
                    }
                }
            }
        });
    });
    EXPECT_EQ(labels.size(), kLabels) << "some label is said nowhere";
    EXPECT_EQ(document()["x-errors"].size(), kLabels);
}

TEST(OpenApi, EveryAnswerThatSaysComeAgainPromisesRetryAfter)
{
    eachOperation([](const std::string &name, const Json::Value &operation) {
        const Json::Value &answers = operation["responses"];
        for (const std::string status : {"202", "429"})
        {
            if (answers.isMember(status))
            {
                EXPECT_TRUE(answers[status]["headers"]["Retry-After"]["required"].asBool())
                    << name << " " << status;
            }
        }
        EXPECT_FALSE(answers.isMember("429") && name.starts_with("get")) << "a poll is never 429";
    });
}

TEST(OpenApi, SaysTheLimitsOfThisServer)
{
    RequestLimits limits;
    limits.handles = 17;
    limits.contracts = 5;
    const Json::Value small = parsedJson(openApi({"1", limits, 70000, kNow, 25}));
    const Json::Value &request = small["components"]["schemas"]["UserDecryptRequest"]["properties"];
    EXPECT_EQ(request["handleContractPairs"]["maxItems"], 17);
    EXPECT_EQ(request["contractAddresses"]["maxItems"], 5);
    EXPECT_THAT(small["paths"]["/v2/user-decrypt"]["post"]["requestBody"]["description"].asString(),
                HasSubstr("70000"));
    EXPECT_THAT(small["components"]["parameters"]["Wait"]["description"].asString(),
                HasSubstr(" 25."));
}

TEST(OpenApi, TheSameFactsMakeTheSameDocument)
{
    const wire::ApiFacts facts = {"1", RequestLimits(), 70000, kNow, 30};
    EXPECT_EQ(openApi(facts), openApi(facts));
}

TEST(OpenApi, HasTheRoutesOfSharesWhereTheyAreTaken)
{
    wire::ApiFacts facts = {"1", RequestLimits(), 70000, kNow, 30};
    EXPECT_EQ(openApi(facts).find("shielded-vote"), std::string::npos);
    facts.shares = wire::ShareApi{true, true, kNow};
    const JsonSchemas withShares(parsedJson(openApi(facts)));
    const Json::Value &paths = withShares.document()["paths"];
    std::set<std::string> operations;
    int examples = 0;
    for (const std::string &path : paths.getMemberNames())
    {
        const bool ofShares = path.starts_with("/shielded-vote/v1/");
        for (const std::string &method :
             ofShares ? paths[path].getMemberNames() : Json::Value::Members())
        {
            const Json::Value &operation = paths[path][method];
            operations.insert(operation["operationId"].asString());
            EXPECT_EQ(operation["tags"][0], "Shares");
            eachContent(operation, [&](const std::string &where, const Json::Value &content) {
                for (const Json::Value &example : content["examples"])
                {
                    ++examples;
                    EXPECT_THAT(withShares.problems(content["schema"], example["value"]), IsEmpty())
                        << path << " " << where;
                }
            });
        }
    }
    EXPECT_EQ(operations, (std::set<std::string>{"postShare", "getShareStatus", "getHelperStatus",
                                                 "getQueueStatus"}));
    EXPECT_GE(examples, 25);
    EXPECT_TRUE(withShares.document()["components"]["securitySchemes"].isMember("HelperToken"));
    facts.shares = wire::ShareApi{false, false, kNow};
    const std::string open = openApi(facts);
    EXPECT_EQ(open.find("queue-status"), std::string::npos) << "hidden here, too";
    EXPECT_EQ(open.find("HelperToken"), std::string::npos);
    EXPECT_EQ(open.find("unauthorized"), std::string::npos);
}

// The checker itself: a schema that nothing can break would prove nothing.
TEST(JsonSchemas, FindsWhatIsWrong)
{
    const auto problems = [](const std::string &schema, const std::string &value) {
        return schemas().problems(parsedJson(schema), parsedJson(value)).size();
    };
    EXPECT_EQ(problems(R"({"type":"string"})", "1"), 1U);
    EXPECT_EQ(problems(R"({"type":"integer","minimum":1})", "0"), 1U);
    EXPECT_EQ(problems(R"({"type":"integer"})", "1.5"), 1U);
    EXPECT_EQ(problems(R"({"const":"a"})", R"("b")"), 1U);
    EXPECT_EQ(problems(R"({"enum":["a"]})", R"("b")"), 1U);
    EXPECT_EQ(problems(R"({"pattern":"^a$"})", R"("b")"), 1U);
    EXPECT_EQ(problems(R"({"format":"uuid"})", R"("b")"), 1U);
    EXPECT_EQ(problems(R"({"minLength":2})", R"("b")"), 1U);
    EXPECT_EQ(problems(R"({"maxLength":2})", R"("bcd")"), 1U);
    EXPECT_EQ(problems(R"({"items":{"type":"string"},"minItems":3})", R"(["a",1])"), 2U);
    EXPECT_EQ(problems(R"({"required":["a"],"properties":{"b":{"const":1}}})", R"({"b":2})"), 2U);
    EXPECT_EQ(problems(R"({"additionalProperties":false})", R"({"b":2})"), 1U);
    EXPECT_EQ(problems(R"({"oneOf":[{"const":1},{"type":"integer"}]})", "1"), 1U) << "both are";
    EXPECT_EQ(problems(R"({"unheardOf":1})", "1"), 1U);
    EXPECT_EQ(problems(R"({"$ref":"#/nowhere"})", "1"), 1U);
    EXPECT_EQ(problems(R"({"type":"object","properties":{"a":{"type":"string"}}})", R"({"a":"b"})"),
              0U);
}
}  // namespace
}  // namespace relayer::test
