// The tables of requests as data: what a document would be made from, and their examples.
#include "wire/decrypt_requests.h"
#include "wire/input_proof_request.h"
#include "wire/request_tables.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <set>

namespace relayer::wire
{
namespace
{
constexpr std::uint64_t kNow = 1900000000;

void eachField(const RequestTable &table, const std::function<void(const FieldRule &)> &visit)
{
    for (const FieldRule &field : table.fields)
    {
        visit(field);
        if (field.members != nullptr)
        {
            eachField(*field.members, visit);
        }
    }
}

std::vector<std::string> namesOf(const RequestTable &table)
{
    std::vector<std::string> names;
    eachField(table, [&names](const FieldRule &field) { names.emplace_back(field.name); });
    return names;
}

// Whether the example of a route is taken, and the label if it is not.
std::string verdictOn(std::string_view path, const std::string &body)
{
    const auto labelOf = [](const auto &read) {
        const auto *problem = std::get_if<Problem>(&read);
        return problem == nullptr ? std::string("taken") : problem->message;
    };
    static const std::map<std::string_view, std::function<std::string(const std::string &)>>
        readers = {
            {"/v2/input-proof", [&](const auto &text) { return labelOf(readInputProof(text)); }},
            {"/v2/public-decrypt",
             [&](const auto &text) { return labelOf(readPublicDecrypt(text)); }},
            {"/v2/user-decrypt",
             [&](const auto &text) { return labelOf(readUserDecrypt(text, kNow)); }},
            {"/v2/delegated-user-decrypt",
             [&](const auto &text) { return labelOf(readDelegatedUserDecrypt(text, kNow)); }},
            {"/v3/user-decrypt",
             [&](const auto &text) { return labelOf(readUnifiedUserDecrypt(text, kNow)); }}};
    const auto reader = readers.find(path);
    return reader == readers.end() ? "no reader" : reader->second(body);
}

TEST(RequestTables, TheExampleOfEveryRouteIsTakenByItsDecoder)
{
    ASSERT_EQ(requestRoutes().size(), 5U);
    for (const RequestRoute &route : requestRoutes())
    {
        const std::string example = exampleOf(*route.table, kNow);
        EXPECT_EQ(verdictOn(route.path, example), "taken") << route.path << ": " << example;
        EXPECT_FALSE(route.summary.empty());
    }
}

TEST(RequestTables, FieldsStandInTheOrderOfTheReference)
{
    using Names = std::vector<std::string>;
    EXPECT_EQ(namesOf(kInputProofTable), (Names{"contractChainId", "contractAddress", "userAddress",
                                                "ciphertextWithInputVerification", "extraData"}));
    EXPECT_EQ(namesOf(kPublicDecryptTable), (Names{"ciphertextHandles", "extraData"}));
    EXPECT_EQ(namesOf(kUserDecryptTable),
              (Names{"handleContractPairs", "handle", "contractAddress", "requestValidity",
                     "startTimestamp", "durationDays", "contractsChainId", "contractAddresses",
                     "userAddress", "signature", "publicKey", "extraData"}));
    EXPECT_EQ(namesOf(kDelegatedUserDecryptTable),
              (Names{"handleContractPairs", "handle", "contractAddress", "contractsChainId",
                     "contractAddresses", "delegatorAddress", "delegateAddress", "startTimestamp",
                     "durationDays", "signature", "publicKey", "extraData"}));
    EXPECT_EQ(namesOf(kUnifiedUserDecryptTable),
              (Names{"attestationType", "attestedPayload", "version", "type", "handles", "ctHandle",
                     "contractAddress", "ownerAddress", "userAddress", "allowedContracts",
                     "requestValidity", "startTimestamp", "durationSeconds", "publicKey",
                     "extraData", "signature"}));
}

TEST(RequestTables, EveryFieldSaysAllThatADocumentNeeds)
{
    for (const RequestRoute &route : requestRoutes())
    {
        EXPECT_FALSE(route.table->name.empty());
        EXPECT_FALSE(route.table->description.empty());
        eachField(*route.table, [](const FieldRule &field) {
            EXPECT_FALSE(field.description.empty()) << field.name;
            EXPECT_TRUE(field.required) << field.name;
            const bool nested =
                field.type == FieldType::Object || field.type == FieldType::ObjectList;
            EXPECT_EQ(field.members != nullptr, nested) << field.name;
            EXPECT_EQ(field.example.empty(), nested) << field.name;
            EXPECT_EQ(field.rules[0] == nullptr, nested) << field.name;
            const bool list =
                field.type == FieldType::TextList || field.type == FieldType::ObjectList;
            EXPECT_EQ(field.limit != ListLimit::None, list) << field.name << " has no limit";
            for (const Rule *rule : field.rules)
            {
                EXPECT_TRUE(rule == nullptr ||
                            (rule->check != nullptr && !rule->words.empty() && !rule->name.empty()))
                    << field.name;
            }
        });
    }
}

std::set<const Rule *> allRules()
{
    std::set<const Rule *> rules;
    for (const RequestRoute &route : requestRoutes())
    {
        eachField(*route.table, [&rules](const FieldRule &field) {
            rules.insert(field.rules.begin(), field.rules.end());
        });
    }
    rules.erase(nullptr);
    return rules;
}

std::vector<std::string> sampleTexts()
{
    const std::string digits(62, 'a');
    std::vector<std::string> texts = {"",
                                      "0",
                                      "+5",
                                      "0x",
                                      "0xaa",
                                      "aa",
                                      "aab",
                                      "0x00",
                                      "0xAa36A7",
                                      "0o17",
                                      "0b11",
                                      "1_000",
                                      "_",
                                      "2.0",
                                      "user_decryption",
                                      "eip712-unified-user-decrypt-v1",
                                      "1700000000",
                                      "0x" + digits + "aa",
                                      "0x" + digits.substr(22),
                                      "0x0107" + digits,
                                      "0x0207" + digits + "08" + digits,
                                      digits + digits + "aaaaaa"};
    const std::size_t plain = texts.size();
    for (std::size_t i = 0; i < plain; ++i)
    {
        texts.push_back(texts[i] + "1");
        texts.push_back(texts[i] + "g");
        texts.push_back(" " + texts[i]);
        texts.push_back(texts[i] + "\n");
    }
    return texts;
}

TEST(RequestTables, WhatARuleTakesItsPatternAndItsLengthsTakeToo)
{
    EXPECT_GE(allRules().size(), 15U);
    for (const Rule *rule : allRules())
    {
        int taken = 0;
        // Of the test framework: GCC 12 with sanitizers warns of what std::regex does inside.
        const auto matches = testing::Matches(testing::MatchesRegex(std::string(rule->pattern)));
        for (const std::string &text : sampleTexts())
        {
            if (rule->check(text, kNow))
            {
                continue;
            }
            ++taken;
            EXPECT_TRUE(rule->pattern.empty() || matches(text)) << rule->name << " " << text;
            EXPECT_GE(text.size(), rule->lengthMin) << rule->name;
            EXPECT_TRUE(rule->lengthMax == 0 || text.size() <= rule->lengthMax) << rule->name;
        }
        EXPECT_GT(taken, 0) << rule->name << ": no sample passes";
    }
}

TEST(RequestTables, LimitsHaveTheDefaultsThatAreDocumented)
{
    const RequestLimits limits;
    EXPECT_EQ(limits.of(ListLimit::Handles), 1024U);
    EXPECT_EQ(limits.of(ListLimit::Contracts), 128U);
    EXPECT_EQ(limits.problems, 64U);
    EXPECT_EQ(limits.json.depth, 128U);
    EXPECT_EQ(limits.json.values, 65536U);
}
}  // namespace
}  // namespace relayer::wire
