// The stages before the rules, http.md sections 3 and 4: what is no JSON, what is missing, what has
// the wrong type. On every field of every route.
#include "unit/wire_cases.h"

namespace relayer::wire
{
namespace
{
enum class Shape : std::uint8_t
{
    Text,
    ChainId,
    List,
    Object,
};

struct Member
{
    Route route;
    std::string name;
    std::string path;  // of the first place where it stands
    Shape shape;
};

// Every member of every body, nested ones too.
std::vector<Member> allMembers()
{
    std::vector<Member> members;
    const auto add = [&members](Route route, const std::string &prefix, Shape shape,
                                const std::vector<std::string> &names) {
        for (const std::string &name : names)
        {
            members.push_back({route, name, prefix + name, shape});
        }
    };
    add(Route::InputProof, "", Shape::ChainId, {"contractChainId"});
    add(Route::InputProof, "", Shape::Text,
        {"contractAddress", "userAddress", "ciphertextWithInputVerification", "extraData"});
    add(Route::PublicDecrypt, "", Shape::List, {"ciphertextHandles"});
    add(Route::PublicDecrypt, "", Shape::Text, {"extraData"});
    for (const Route route : {Route::UserDecrypt, Route::Delegated})
    {
        add(route, "", Shape::List, {"handleContractPairs", "contractAddresses"});
        add(route, "handleContractPairs[0].", Shape::Text, {"handle", "contractAddress"});
        add(route, "", Shape::ChainId, {"contractsChainId"});
        add(route, "", Shape::Text, {"signature", "publicKey", "extraData"});
    }
    add(Route::UserDecrypt, "", Shape::Object, {"requestValidity"});
    add(Route::UserDecrypt, "requestValidity.", Shape::Text, {"startTimestamp", "durationDays"});
    add(Route::UserDecrypt, "", Shape::Text, {"userAddress"});
    add(Route::Delegated, "", Shape::Text,
        {"delegatorAddress", "delegateAddress", "startTimestamp", "durationDays"});
    add(Route::Unified, "", Shape::Text, {"attestationType", "signature"});
    add(Route::Unified, "", Shape::Object, {"attestedPayload"});
    add(Route::Unified, "attestedPayload.", Shape::Text,
        {"version", "type", "userAddress", "publicKey", "extraData"});
    add(Route::Unified, "attestedPayload.", Shape::List, {"handles", "allowedContracts"});
    add(Route::Unified, "attestedPayload.handles[0].", Shape::Text,
        {"ctHandle", "contractAddress", "ownerAddress"});
    add(Route::Unified, "attestedPayload.", Shape::Object, {"requestValidity"});
    add(Route::Unified, "attestedPayload.requestValidity.", Shape::Text,
        {"startTimestamp", "durationSeconds"});
    return members;
}

// The reference names the request; the real place stands behind it.
Refusal wrongType(const std::string &path, const std::string &issue)
{
    return invalid({{"request", issue}, {path, issue}});
}

std::vector<Case> missingCases()
{
    Cases cases;
    for (const Member &member : allMembers())
    {
        cases.add(member.route, "no" + member.name, without(goodBody(member.route), member.name),
                  missing({member.name}));
    }
    const std::vector<std::string> validity = {"startTimestamp", "durationSeconds"};
    cases.add(Route::InputProof, "empty", "{}",
              missing({"contractChainId", "contractAddress", "userAddress",
                       "ciphertextWithInputVerification", "extraData"}));
    cases.add(Route::PublicDecrypt, "empty", "{}", missing({"ciphertextHandles", "extraData"}));
    cases.add(Route::UserDecrypt, "empty", "{}",
              missing({"handleContractPairs", "requestValidity", "contractsChainId",
                       "contractAddresses", "userAddress", "signature", "publicKey", "extraData"}));
    cases.add(Route::Delegated, "empty", "{}",
              missing({"handleContractPairs", "contractsChainId", "contractAddresses",
                       "delegatorAddress", "delegateAddress", "startTimestamp", "durationDays",
                       "signature", "publicKey", "extraData"}));
    // Clients ask with this whether there is a version 3.
    cases.add(Route::Unified, "empty", "{}",
              missing({"attestationType", "attestedPayload", "signature"}));
    cases.add(Route::Unified, "emptyPayload",
              with(goodBody(Route::Unified), "attestedPayload", "{}"),
              missing({"version", "type", "handles", "userAddress", "allowedContracts",
                       "requestValidity", "publicKey", "extraData"}));
    cases.add(Route::Unified, "emptyValidity",
              with(goodBody(Route::Unified), "requestValidity", "{}"), missing(validity));
    // Of several elements each bare name is said once.
    cases.add(Route::Unified, "emptyEntries", with(goodBody(Route::Unified), "handles", "[{},{}]"),
              missing({"ctHandle", "contractAddress", "ownerAddress"}));
    cases.add(Route::UserDecrypt, "emptyPairs",
              with(goodBody(Route::UserDecrypt), "handleContractPairs", "[{},{},{}]"),
              missing({"handle", "contractAddress"}));
    return std::move(cases).take();
}

std::vector<Case> typeCases()
{
    Cases cases;
    const auto add = [&cases](const Member &member, const std::string &value,
                              const Refusal &refusal) {
        cases.add(member.route, member.name, with(goodBody(member.route), member.name, value),
                  refusal);
    };
    for (const Member &member : allMembers())
    {
        switch (member.shape)
        {
            case Shape::Text:
                for (const std::string value : {"null", "1", "1.5", "true", "false", "[]", "{}"})
                {
                    add(member, value, wrongType(member.path, "Value must be a string"));
                }
                break;
            case Shape::ChainId:
                for (const std::string value : {"null", "true", "false", "[]", "{}"})
                {
                    add(member, value, malformed());
                }
                break;
            case Shape::List:
                for (const std::string value : {"null", "1", "true", R"("x")", "{}"})
                {
                    add(member, value, wrongType(member.path, "Invalid data type"));
                }
                break;
            case Shape::Object:
                for (const std::string value : {"null", "1", "true", R"("x")"})
                {
                    add(member, value, wrongType(member.path, "Invalid data type"));
                }
                // A list stands for the object, if it is as long.
                add(member, "[]", malformed());
                add(member, "[1,2,3,4,5,6,7,8,9,10,11]", malformed());
                break;
        }
    }
    return std::move(cases).take();
}

std::vector<Case> elementCases()
{
    Cases cases;
    struct ListOf
    {
        Route route;
        std::string member;
        std::string path;
        bool texts;
    };
    const std::vector<ListOf> lists = {
        {Route::PublicDecrypt, "ciphertextHandles", "ciphertextHandles", true},
        {Route::UserDecrypt, "contractAddresses", "contractAddresses", true},
        {Route::Delegated, "contractAddresses", "contractAddresses", true},
        {Route::Unified, "allowedContracts", "attestedPayload.allowedContracts", true},
        {Route::UserDecrypt, "handleContractPairs", "handleContractPairs", false},
        {Route::Delegated, "handleContractPairs", "handleContractPairs", false},
        {Route::Unified, "handles", "attestedPayload.handles", false}};
    for (const ListOf &list : lists)
    {
        const std::string issue = list.texts ? "Value must be a string" : "Invalid data type";
        const auto body = [&list](const std::string &value) {
            return with(goodBody(list.route), list.member, value);
        };
        for (const std::string value : {"null", "7", "true"})
        {
            cases.add(list.route, list.member + "Element", body("[" + value + "]"),
                      wrongType(list.path + "[0]", issue));
        }
        cases.add(
            list.route, list.member + "Elements", body("[1,2]"),
            invalid({{"request", issue}, {list.path + "[0]", issue}, {list.path + "[1]", issue}}));
        if (!list.texts)
        {
            cases.add(list.route, list.member + "ShortElement", body("[[]]"), malformed());
        }
    }
    const std::string pair =
        "[" + quotedJson(handleText("11")) + "," + quotedJson(addressText("ab")) + "]";
    cases.add(Route::UserDecrypt, "pairAsList",
              with(goodBody(Route::UserDecrypt), "handleContractPairs", "[" + pair + "]"),
              std::nullopt);
    cases.add(Route::UserDecrypt, "pairAsListWrongType",
              with(goodBody(Route::UserDecrypt), "handleContractPairs", R"([["0x",1]])"),
              wrongType("handleContractPairs[0].contractAddress", "Value must be a string"));
    cases.add(Route::UserDecrypt, "validityAsList",
              with(goodBody(Route::UserDecrypt), "requestValidity", R"(["1700000000","10"])"),
              std::nullopt);
    cases.add(Route::Unified, "validityAsListTooLong",
              with(goodBody(Route::Unified), "requestValidity", R"(["1700000000","10","1"])"),
              malformed());
    cases.add(Route::PublicDecrypt, "rootAsList",
              "[[" + quotedJson(handleText("11")) + R"(],"0x00"])", std::nullopt);
    cases.add(Route::PublicDecrypt, "rootAsListSwapped", R"(["0x00",[]])",
              invalid({{"request", "Invalid data type"},
                       {"ciphertextHandles", "Invalid data type"},
                       {"extraData", "Value must be a string"}}));
    return std::move(cases).take();
}

std::vector<Case> jsonCases()
{
    Cases cases;
    for (const Route route : kAllRoutes)
    {
        const std::string &good = goodBody(route);
        for (const std::string &body :
             {std::string(),
              std::string(" "),
              std::string("x"),
              std::string("{"),
              good.substr(0, good.size() - 1),
              good + "x",
              good + good,
              good + ",",
              std::string("\xEF\xBB\xBF") + good,
              std::string("\xFF"),
              std::string("[]"),
              std::string("[1]"),
              "{" + good,
              std::string(R"({"a":"missing field `x`"} x)"),
              std::string(R"({'a':1})"),
              std::string(R"({"a":01})"),
              std::string("{\"a\":\"\n\"}"),
              std::string(R"({"a":"\ud800"})"),
              std::string(R"({"a":NaN})"),
              withAlso(good, "extraData", R"("extraData":"0x00")"),
              withAlso(good, "extraData", R"("x":1,"x":1)"),
              withAlso(good, "extraData", "\"x\":" + hexOf('[', 200) + hexOf(']', 200))})
        {
            cases.add(route, "malformed", body, malformed());
        }
        for (const std::string body : {"null", "1", "true", R"("text")", R"("missing field `a`")"})
        {
            cases.add(route, "root", body, invalid("request", "Invalid data type"));
        }
        cases.add(route, "spaces", " \r\n\t" + good + "\n ", std::nullopt);
    }
    return std::move(cases).take();
}

class WireShapes : public testing::TestWithParam<Case>
{};

TEST_P(WireShapes, AreThoseOfTheContract)
{
    expectOutcome(GetParam());
}

INSTANTIATE_TEST_SUITE_P(Missing, WireShapes, testing::ValuesIn(missingCases()), caseName);
INSTANTIATE_TEST_SUITE_P(Types, WireShapes, testing::ValuesIn(typeCases()), caseName);
INSTANTIATE_TEST_SUITE_P(Elements, WireShapes, testing::ValuesIn(elementCases()), caseName);
INSTANTIATE_TEST_SUITE_P(NoJson, WireShapes, testing::ValuesIn(jsonCases()), caseName);
}  // namespace
}  // namespace relayer::wire
