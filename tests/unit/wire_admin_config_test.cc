// /admin/config, byte for byte.
#include "wire/admin_config.h"
#include "wire/admin_operations.h"

#include <gtest/gtest.h>

namespace relayer::wire
{
namespace
{
using core::GivenValue;
using core::RuntimeParameter;
using Kind = GivenValue::Kind;

RuntimeParameter parameter(const std::string &name, RuntimeParameter::Type type, std::uint64_t max)
{
    return {name, type, type == RuntimeParameter::Type::Integer ? 1U : 0U, max, "", "About it."};
}

Refused refusedOf(const std::string &body, const std::string &type = "application/json")
{
    const auto read = readConfigPost(type, body);
    return std::holds_alternative<Refused>(read) ? std::get<Refused>(read) : Refused{200, ""};
}

TEST(AdminConfig, GetShowsValuesAndWhatCanBeSet)
{
    const auto tps = parameter("input_proof_throttler_tps", RuntimeParameter::Type::Integer, 1000);
    const auto min = parameter("retry_after_min_seconds", RuntimeParameter::Type::Integer, 3600);
    const auto margin =
        parameter("retry_after_safety_margin", RuntimeParameter::Type::Fraction, 1'000'000);
    const ParameterState states[] = {
        {&tps, "20", "20", "", 0}, {&min, "1", "1", "", 0}, {&margin, "0.2", "0.2", "", 0}};
    EXPECT_EQ(configOf(states),
              R"({"values":{"RetryAfterMinSeconds":1,"RetryAfterSafetyMargin":0.2,)"
              R"("InputProofThrottlerTps":20},"available_params":[)"
              R"({"name":"InputProofThrottlerTps","description":"About it.",)"
              R"("constraints":{"type":"u32","min":1,"max":1000}},)"
              R"({"name":"RetryAfterMinSeconds","description":"About it.",)"
              R"("constraints":{"type":"u32","min":1,"max":3600}},)"
              R"({"name":"RetryAfterSafetyMargin","description":"About it.",)"
              R"("constraints":{"type":"f32","min":0.0,"max":1.0}}]})");
    EXPECT_EQ(configUpdated(tps, "50"), R"({"name":"input_proof_throttler_tps","value":50,)"
                                        R"("message":"Configuration updated successfully"})");
}

TEST(AdminConfig, PostTakesANameAndANumberAndNothingElseMatters)
{
    for (const std::string name : {"param", "name"})
    {
        const auto read = readConfigPost("application/json; charset=utf-8",
                                         R"({"x":1,")" + name + R"(":"a","value":7})");
        ASSERT_TRUE(std::holds_alternative<ConfigPost>(read));
        EXPECT_EQ(std::get<ConfigPost>(read).name, "a");
        EXPECT_EQ(std::get<ConfigPost>(read).value.kind, Kind::Integer);
    }
    const auto kindOf = [](const std::string &number) {
        const auto read =
            readConfigPost("application/vnd.x+json", R"({"param":"a","value":)" + number + "}");
        return std::get<ConfigPost>(read).value.kind;
    };
    EXPECT_EQ(kindOf("0"), Kind::Integer);
    EXPECT_EQ(kindOf("4294967295"), Kind::Integer);
    for (const std::string number : {"4294967296", "-1", "50.0", "1e2", "-0", "0.2"})
    {
        EXPECT_EQ(kindOf(number), Kind::Float) << number;
    }
    EXPECT_EQ(kindOf(R"("debug")"), Kind::Text);
}

TEST(AdminConfig, PostRefusesBodiesAsTheReferencesFrameworkDoes)
{
    const std::string right = R"({"param":"a","value":7})";
    for (const std::string type : {"", "text/plain", "text/json", "application/jsonx"})
    {
        EXPECT_EQ(refusedOf(right, type).status, 415) << type;
    }
    EXPECT_EQ(refusedOf(right).status, 200);
    for (const std::string body : {"", "{", "{}x", "\xff"})
    {
        EXPECT_EQ(refusedOf(body).status, 400) << body;
    }
    for (const std::string body :
         {"[]", "1", R"({"param":"a"})", R"({"value":1})", R"({"param":1,"value":1})",
          R"({"param":"a","name":"a","value":1})", R"({"param":"a","value":null})",
          R"({"param":"a","value":true})", R"({"param":"a","value":[1]})"})
    {
        EXPECT_EQ(refusedOf(body).status, 422) << body;
    }
}

TEST(AdminParameters, SeveralAreReadAtOnce)
{
    const auto read = readParametersPost(R"({"changes":{"a":1,"b":"x","c":null},"revision":4})");
    ASSERT_TRUE(std::holds_alternative<ParametersPost>(read));
    const auto &post = std::get<ParametersPost>(read);
    EXPECT_EQ(post.revision, 4);
    EXPECT_EQ(post.changes.at("a")->kind, Kind::Integer);
    EXPECT_EQ(post.changes.at("b")->text, "x");
    EXPECT_FALSE(post.changes.at("c").has_value());
    for (const std::string body :
         {"", "[]", "{}", R"({"changes":{}})", R"({"changes":[1]})", R"({"changes":{"a":true}})",
          R"({"changes":{"a":1},"revision":-1})", R"({"changes":{"a":1},"revision":"1"})"})
    {
        EXPECT_TRUE(std::holds_alternative<Refused>(readParametersPost(body))) << body;
    }
}

TEST(AdminPauses, MayHaveAReasonAndATime)
{
    const auto read = readPausePost(R"({"reason":"disk","retry_after_seconds":60})");
    EXPECT_EQ(std::get<PausePost>(read).reason, "disk");
    EXPECT_EQ(std::get<PausePost>(read).retryAfterSeconds, 60U);
    EXPECT_EQ(std::get<PausePost>(readPausePost("")).reason, "");
    for (const std::string body : {"[]", "{", R"({"reason":1})", R"({"retry_after_seconds":0})",
                                   R"({"retry_after_seconds":3601})",
                                   R"({"retry_after_seconds":"1"})", R"({"reason":"a\u0000b"})"})
    {
        EXPECT_TRUE(std::holds_alternative<Refused>(readPausePost(body))) << body;
    }
}
}  // namespace
}  // namespace relayer::wire
