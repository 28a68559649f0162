// POST /v2/input-proof from body to values: stages, labels, fields and issue texts of the contract.
#include "wire/input_proof_request.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <vector>

namespace relayer::wire
{
namespace
{
using Members = std::map<std::string, std::string>;

const Members kGood = {{"contractChainId", R"("654321")"},
                       {"contractAddress", R"("0x1111111111111111111111111111111111111111")"},
                       {"userAddress", R"("0x2222222222222222222222222222222222222222")"},
                       {"ciphertextWithInputVerification", R"("aabbcc")"},
                       {"extraData", R"("0x00")"}};

std::string bodyOf(const Members &members)
{
    std::string body;
    for (const auto &[name, value] : members)
    {
        body += (body.empty() ? "{\"" : ",\"") + name + "\":" + value;
    }
    return body + "}";
}

std::string bodyWith(const std::string &name, const std::string &value)
{
    Members members = kGood;
    members[name] = value;
    return bodyOf(members);
}

Problem problemOf(const std::string &body)
{
    const auto read = readInputProof(body);
    const auto *problem = std::get_if<Problem>(&read);
    EXPECT_NE(problem, nullptr) << body;
    return problem == nullptr ? Problem{} : *problem;
}

core::InputProof proofOf(const std::string &body)
{
    auto read = readInputProof(body);
    const auto *problem = std::get_if<Problem>(&read);
    EXPECT_EQ(problem, nullptr) << body << ": " << (problem == nullptr ? "" : problem->message);
    return problem == nullptr ? std::get<core::InputProof>(read) : core::InputProof{};
}

TEST(InputProofRequest, AGoodBodyIsDecoded)
{
    core::InputProof expected;
    expected.contractChainId = 654321;
    expected.contractAddress.fill(0x11);
    expected.userAddress.fill(0x22);
    expected.ciphertextWithProof = {0xAA, 0xBB, 0xCC};
    expected.extraData = {0x00};
    EXPECT_EQ(proofOf(bodyOf(kGood)), expected);
    EXPECT_EQ(proofOf(bodyWith("unknownMember", R"({"a":[1]})")), expected);
    EXPECT_EQ(proofOf(bodyWith("ciphertextWithInputVerification", R"("AaBbCc")")), expected);
    EXPECT_EQ(proofOf(R"(["654321","0x1111111111111111111111111111111111111111",)"
                      R"("0x2222222222222222222222222222222222222222","aabbcc","0x00"])"),
              expected);
}

TEST(InputProofRequest, AChainIdIsReadAsTheReferenceReadsIt)
{
    const std::map<std::string, std::uint64_t> good = {{R"("0")", 0},
                                                       {R"("00012")", 12},
                                                       {R"("+5")", 5},
                                                       {R"("0x0")", 0},
                                                       {R"("0xaa36a7")", 11155111},
                                                       {R"("0xAA36A7")", 11155111},
                                                       {R"("0x+f")", 15},
                                                       {R"("18446744073709551615")", UINT64_MAX},
                                                       {R"("0xffffffffffffffff")", UINT64_MAX},
                                                       {"8009", 8009},
                                                       {"0", 0},
                                                       {"18446744073709551615", UINT64_MAX}};
    for (const auto &[written, value] : good)
    {
        EXPECT_EQ(proofOf(bodyWith("contractChainId", written)).contractChainId, value) << written;
    }
    for (const std::string bad : {R"("")",
                                  R"("0x")",
                                  R"("0X1")",
                                  R"("-1")",
                                  R"("1.5")",
                                  R"("1e3")",
                                  R"(" 1")",
                                  R"("1 ")",
                                  R"("ff")",
                                  R"("0xg")",
                                  R"("+")",
                                  R"("++1")",
                                  R"("18446744073709551616")",
                                  R"("0x10000000000000000")",
                                  "8009.0",
                                  "1e3",
                                  "-1",
                                  "1.5",
                                  "-0",
                                  "18446744073709551616"})
    {
        const Problem problem = problemOf(bodyWith("contractChainId", bad));
        EXPECT_EQ(problem.label, Label::ValidationFailed) << bad;
        EXPECT_EQ(
            problem.details,
            (std::vector<Detail>{{"contractChainId", "Must be decimal number or 0x hex string"}}))
            << bad;
    }
}

TEST(InputProofRequest, AChainIdOfAnotherTypeIsMalformedJson)
{
    for (const std::string value : {"null", "true", "[]", "{}"})
    {
        const Problem problem = problemOf(bodyWith("contractChainId", value));
        EXPECT_EQ(problem.label, Label::MalformedJson) << value;
        EXPECT_TRUE(problem.details.empty());
    }
}

TEST(InputProofRequest, EveryFieldHasItsRulesAndTheirWords)
{
    struct Case
    {
        std::string field;
        std::string value;
        std::vector<std::string> issues;
    };
    const std::string digits(40, '1');
    const std::string extraData =
        "Must be 0x00, or a versioned format: 0x01 + 32-byte contextId (0x07-tagged first byte), "
        "or 0x02 + 32-byte contextId (0x07-tagged) + 32-byte epochId (0x08-tagged)";
    std::vector<Case> cases = {
        {"ciphertextWithInputVerification", "", {"Must not be empty"}},
        {"ciphertextWithInputVerification", "0xaa", {"Must not start with 0x"}},
        {"ciphertextWithInputVerification", "0x", {"Must not start with 0x"}},
        {"ciphertextWithInputVerification", "aab", {"Invalid hex string"}},
        {"ciphertextWithInputVerification", "zz", {"Invalid hex string"}},
        {"ciphertextWithInputVerification", "aa\\u0000", {"Invalid hex string"}},
        {"extraData", "", {extraData}},
        {"extraData", "0x", {extraData}},
        {"extraData", "0X00", {extraData}},
        {"extraData", "0x0000", {extraData}},
        {"extraData", "0x0107" + std::string(62, '0'), {extraData}},
    };
    for (const std::string field : {"contractAddress", "userAddress"})
    {
        cases.push_back({field, "", {"Must start with 0x"}});
        cases.push_back({field, digits + "11", {"Must start with 0x"}});
        cases.push_back({field, "0X" + digits, {"Must start with 0x"}});
        cases.push_back({field, "0x" + digits + "1", {"Must be 42 characters long"}});
        cases.push_back({field, "0x" + digits.substr(1), {"Must be 42 characters long"}});
        cases.push_back(
            {field, "0x" + digits.substr(1) + "g", {"Contains invalid hex characters"}});
        cases.push_back(
            {field, "0x" + digits.substr(2) + "\xc3\xa4", {"Contains invalid hex characters"}});
    }
    for (const Case &bad : cases)
    {
        const Problem problem = problemOf(bodyWith(bad.field, "\"" + bad.value + "\""));
        EXPECT_EQ(problem.label, Label::ValidationFailed);
        std::vector<std::string> issues;
        for (const Detail &detail : problem.details)
        {
            EXPECT_EQ(detail.field, bad.field) << bad.value;
            issues.push_back(detail.issue);
        }
        EXPECT_EQ(issues, bad.issues) << bad.field << " " << bad.value;
    }
}

TEST(InputProofRequest, EveryMissingFieldIsNamedInTheOrderOfTheReference)
{
    for (const auto &[field, value] : kGood)
    {
        Members members = kGood;
        members.erase(field);
        const Problem problem = problemOf(bodyOf(members));
        EXPECT_EQ(problem.label, Label::MissingFields);
        EXPECT_EQ(problem.details, (std::vector<Detail>{{field, "Required but missing"}}));
    }
    const Problem all = problemOf("{}");
    EXPECT_EQ(all.label, Label::MissingFields);
    const std::vector<Detail> expected = {
        {"contractChainId", "Required but missing"},
        {"contractAddress", "Required but missing"},
        {"userAddress", "Required but missing"},
        {"ciphertextWithInputVerification", "Required but missing"},
        {"extraData", "Required but missing"}};
    EXPECT_EQ(all.details, expected);
}

TEST(InputProofRequest, AWrongTypeCarriesTheEntryOfTheReferenceAndOneWithTheRealField)
{
    for (const std::string field :
         {"contractAddress", "userAddress", "ciphertextWithInputVerification", "extraData"})
    {
        for (const std::string value : {"null", "1", "true", "[]", "{}"})
        {
            const Problem problem = problemOf(bodyWith(field, value));
            EXPECT_EQ(problem.label, Label::ValidationFailed) << field << value;
            EXPECT_EQ(problem.details, (std::vector<Detail>{{"request", "Value must be a string"},
                                                            {field, "Value must be a string"}}));
        }
    }
}

TEST(InputProofRequest, TheFirstStageThatFailsListsAllThatIsWrongInItAndNothingOfTheNext)
{
    const Problem shape = problemOf(
        R"({"userAddress":1,"contractAddress":"bad","extraData":null,"contractChainId":"x"})");
    EXPECT_EQ(shape.label, Label::ValidationFailed);
    EXPECT_EQ(shape.details,
              (std::vector<Detail>{{"request", "Value must be a string"},
                                   {"userAddress", "Value must be a string"},
                                   {"extraData", "Value must be a string"},
                                   {"ciphertextWithInputVerification", "Required but missing"}}));
    const Problem rules = problemOf(
        R"({"contractChainId":"x","contractAddress":"1","userAddress":"0x","extraData":"",)"
        R"("ciphertextWithInputVerification":""})");
    EXPECT_EQ(rules.label, Label::ValidationFailed);
    EXPECT_EQ(rules.details.size(), 5U);
    EXPECT_EQ(rules.details[0].field, "contractChainId");
    EXPECT_EQ(rules.details[4].field, "extraData");
}

TEST(InputProofRequest, OfTwoWrongTypesTheFirstInTheDocumentDecidesTheLabel)
{
    EXPECT_EQ(problemOf(R"({"contractChainId":null,"userAddress":1})").label, Label::MalformedJson);
    EXPECT_EQ(problemOf(R"({"userAddress":1,"contractChainId":null})").label,
              Label::ValidationFailed);
}

TEST(InputProofRequest, ARootThatIsNoObjectIsAWrongType)
{
    for (const std::string body : {"null", "1", "true", R"("text")"})
    {
        const Problem problem = problemOf(body);
        EXPECT_EQ(problem.label, Label::ValidationFailed) << body;
        EXPECT_EQ(problem.details, (std::vector<Detail>{{"request", "Invalid data type"}}));
    }
    EXPECT_EQ(problemOf("[]").label, Label::MalformedJson);
    EXPECT_EQ(problemOf("[1,2,3,4,5,6]").label, Label::MalformedJson);
}

TEST(InputProofRequest, WhatIsNotJsonIsMalformedJson)
{
    const std::string good = bodyOf(kGood);
    for (const std::string &body : {std::string(), std::string("x"), good + "x", good + good,
                                    good.substr(0, good.size() - 1), std::string("\xff")})
    {
        const Problem problem = problemOf(body);
        EXPECT_EQ(problem.label, Label::MalformedJson) << body;
        EXPECT_TRUE(problem.details.empty());
    }
    // The reference picks labels by searching texts; a value with such words must not matter.
    EXPECT_EQ(problemOf(R"({"a":"missing field `x`"} trailing)").label, Label::MalformedJson);
}

TEST(InputProofRequest, MutatedBodiesAreTakenOrRefusedWithALabelOfThePost)
{
    std::mt19937 random(4711);
    const std::string original = bodyOf(kGood);
    for (int round = 0; round < 20000; ++round)
    {
        std::string body = original;
        for (unsigned i = 0; i < 1 + random() % 4; ++i)
        {
            body[random() % body.size()] = static_cast<char>(random());
        }
        const auto read = readInputProof(body);
        if (const auto *problem = std::get_if<Problem>(&read))
        {
            EXPECT_EQ(httpStatus(problem->label), 400);
            EXPECT_EQ(problem->details.empty(), !hasDetails(problem->label)) << body;
        }
    }
}
}  // namespace
}  // namespace relayer::wire
