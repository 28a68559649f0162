// Stages and lists of problems: the first stage that fails lists all that is wrong in it and
// nothing of the next; the first problem in the document decides the label; limits hold.
#include "support/mutations.h"
#include "unit/wire_cases.h"

namespace relayer::wire
{
namespace
{
Problem problemAt(Route route, const std::string &body, const RequestLimits &limits = {})
{
    const AnyRequest read = readAt(route, body, limits);
    const auto *problem = std::get_if<Problem>(&read);
    EXPECT_NE(problem, nullptr) << body;
    return problem == nullptr ? Problem{} : *problem;
}

using Details = std::vector<Detail>;

TEST(WireStages, AllRulesThatFailAreListedInTheOrderOfTheTable)
{
    std::string body = goodBody(Route::UserDecrypt);
    for (const std::string member : {"handle", "startTimestamp", "durationDays", "contractsChainId",
                                     "userAddress", "signature", "publicKey", "extraData"})
    {
        body = with(body, member, R"("?")");
    }
    body = with(body, "contractAddresses", "[]");
    const Problem problem = problemAt(Route::UserDecrypt, body);
    EXPECT_EQ(problem.label, Label::ValidationFailed);
    EXPECT_EQ(problem.details,
              (Details{{"handleContractPairs", "Must start with 0x"},
                       {"requestValidity", "Value must be a valid U256 number"},
                       {"requestValidity", "Value must be a valid u32 number"},
                       {"contractsChainId", "Must be decimal number or 0x hex string"},
                       {"contractAddresses", "Must not be empty"},
                       {"userAddress", "Must start with 0x"},
                       {"signature", "Must be 130 characters long"},
                       {"signature", "Invalid hex string"},
                       {"publicKey", "Must not be empty"},
                       {"publicKey", "Invalid hex string"},
                       {"extraData", problem.details.back().issue}}));
    EXPECT_EQ(problem.message,
              "Validation failed for: handleContractPairs[0].handle, "
              "requestValidity.startTimestamp, requestValidity.durationDays, contractsChainId, "
              "contractAddresses, userAddress, signature, publicKey, extraData");
}

TEST(WireStages, AListFailsOnceAndTheMessageSaysWhere)
{
    const std::string good = quotedJson(addressText("ab"));
    const Problem problem =
        problemAt(Route::Delegated, with(goodBody(Route::Delegated), "contractAddresses",
                                         "[" + good + R"(,"0x12","1",)" + good + "]"));
    EXPECT_EQ(problem.details, (Details{{"contractAddresses", "Must be 42 characters long"}}));
    EXPECT_EQ(problem.message, "Validation failed for: contractAddresses[1], contractAddresses[2]");
    const Problem pair = problemAt(
        Route::Delegated,
        with(with(goodBody(Route::Delegated), "handle", R"("0x12")"), "contractAddress", R"("")"));
    EXPECT_EQ(pair.details, (Details{{"handleContractPairs", "Must be 64 characters long"}}));
    EXPECT_EQ(pair.message,
              "Validation failed for: handleContractPairs[0].handle, "
              "handleContractPairs[0].contractAddress");
}

TEST(WireStages, AWindowIsLookedAtOnlyWhenItsFieldsAreRight)
{
    const std::string body = with(goodBody(Route::Unified), "durationSeconds", R"("0")");
    EXPECT_EQ(problemAt(Route::Unified, body).details,
              (Details{{"attestedPayload.requestValidity",
                        "requestValidity window has already expired"}}));
    EXPECT_EQ(problemAt(Route::Unified, with(body, "startTimestamp", R"("x")")).details,
              (Details{{"attestedPayload.requestValidity", "Value must be a valid U256 number"}}));
}

TEST(WireStages, ShapesComeBeforeRulesAndAllOfThemAreListed)
{
    std::string body = with(goodBody(Route::Unified), "version", R"("9")");
    body = with(body, "userAddress", "1");
    body = with(body, "startTimestamp", "2");
    body = without(body, "ownerAddress");
    const Problem problem = problemAt(Route::Unified, body);
    // The first thing wrong in the document is the missing member of the first entry.
    EXPECT_EQ(problem.label, Label::MissingFields);
    EXPECT_EQ(
        problem.details,
        (Details{{"ownerAddress", "Required but missing"},
                 {"request", "Value must be a string"},
                 {"attestedPayload.userAddress", "Value must be a string"},
                 {"attestedPayload.requestValidity.startTimestamp", "Value must be a string"}}));
    EXPECT_EQ(problem.message,
              "Missing required fields: attestedPayload.handles[0].ownerAddress, "
              "attestedPayload.userAddress, attestedPayload.requestValidity.startTimestamp");
}

TEST(WireStages, TheFirstProblemOfTheDocumentDecidesTheLabel)
{
    EXPECT_EQ(problemAt(Route::UserDecrypt, R"({"contractsChainId":null,"userAddress":1})").label,
              Label::MalformedJson);
    EXPECT_EQ(problemAt(Route::UserDecrypt, R"({"userAddress":1,"contractsChainId":null})").label,
              Label::ValidationFailed);
    EXPECT_EQ(problemAt(Route::UserDecrypt, R"({"requestValidity":{},"userAddress":1})").label,
              Label::MissingFields);
    EXPECT_EQ(problemAt(Route::UserDecrypt, R"({"userAddress":1,"requestValidity":{}})").label,
              Label::ValidationFailed);
    EXPECT_EQ(problemAt(Route::Unified, R"({"more":1,"signature":1})").details.front(),
              (Detail{"more", "Unknown field"}));
    EXPECT_EQ(problemAt(Route::Unified, R"({"signature":1,"more":1})").details.front(),
              (Detail{"request", "Value must be a string"}));
}

TEST(WireStages, NamesOfUnknownFieldsAreSaidBackShortened)
{
    const std::string name = hexOf('n', 63) + "\xC3\xA4" + hexOf('n', 100000);
    const Problem problem = problemAt(
        Route::Unified, withAlso(goodBody(Route::Unified), "signature", quotedJson(name) + ":1"));
    ASSERT_EQ(problem.details.size(), 1U);
    EXPECT_EQ(problem.details[0].field, hexOf('n', 63) + "\xE2\x80\xA6");
    EXPECT_LT(problem.message.size(), 200U);
}

TEST(WireStages, NoMoreProblemsAreListedThanTheLimitSays)
{
    RequestLimits limits;
    for (const std::size_t most : {0U, 1U, 2U, 5U})
    {
        limits.problems = most;
        const std::size_t expected = std::max<std::size_t>(most, 1);
        EXPECT_EQ(problemAt(Route::UserDecrypt, "{}", limits).details.size(), expected);
        std::string body = goodBody(Route::Delegated);
        for (const std::string member : {"contractsChainId", "delegatorAddress", "delegateAddress",
                                         "startTimestamp", "durationDays", "handle", "extraData"})
        {
            body = with(body, member, R"("?")");
        }
        EXPECT_EQ(problemAt(Route::Delegated, body, limits).details.size(), expected);
        const std::string bad = with(goodBody(Route::Delegated), "handle", R"("?")");
        EXPECT_EQ(problemAt(Route::Delegated, bad, limits).details.size(), 1U);
    }
    const Problem many = problemAt(
        Route::PublicDecrypt, with(
                                  goodBody(Route::PublicDecrypt), "ciphertextHandles", "[" + [] {
                                      std::string items = "1";
                                      for (int i = 0; i < 30000; ++i)
                                      {
                                          items += ",1";
                                      }
                                      return items;
                                  }() + "]"));
    EXPECT_EQ(many.details.size(), 65U) << "the request, and as many as are listed";
}

TEST(WireStages, ListsHaveTheirLimits)
{
    RequestLimits limits;
    limits.handles = 2;
    limits.contracts = 2;
    struct ListOf
    {
        Route route;
        std::string member;
        std::string field;
        std::string element;
    };
    const std::string address = quotedJson(addressText("ab"));
    const std::string handle = quotedJson(handleText("11"));
    const std::string pair = R"({"handle":)" + handle + R"(,"contractAddress":)" + address + "}";
    const std::vector<ListOf> lists = {
        {Route::PublicDecrypt, "ciphertextHandles", "ciphertextHandles", handle},
        {Route::UserDecrypt, "handleContractPairs", "handleContractPairs", pair},
        {Route::UserDecrypt, "contractAddresses", "contractAddresses", address},
        {Route::Delegated, "handleContractPairs", "handleContractPairs", pair},
        {Route::Delegated, "contractAddresses", "contractAddresses", address},
        {Route::Unified, "handles", "attestedPayload.handles",
         R"({"ctHandle":)" + handle + R"(,"contractAddress":)" + address + R"(,"ownerAddress":)" +
             address + "}"},
        {Route::Unified, "allowedContracts", "attestedPayload.allowedContracts", address}};
    for (const ListOf &list : lists)
    {
        const std::string two =
            with(goodBody(list.route), list.member, "[" + list.element + "," + list.element + "]");
        EXPECT_FALSE(std::holds_alternative<Problem>(readAt(list.route, two, limits)))
            << list.member;
        const std::string three =
            with(goodBody(list.route), list.member,
                 "[" + list.element + "," + list.element + "," + list.element + "]");
        const Problem problem = problemAt(list.route, three, limits);
        EXPECT_EQ(problem.label, Label::ValidationFailed);
        EXPECT_EQ(problem.details, (Details{{list.field, "Must not have more than 2 entries"}}));
        EXPECT_FALSE(std::holds_alternative<Problem>(readAt(list.route, three))) << list.member;
    }
}

TEST(WireStages, DepthAndNumberOfValuesHaveTheirLimits)
{
    RequestLimits shallow;
    shallow.json.depth = 2;
    EXPECT_EQ(problemAt(Route::UserDecrypt, goodBody(Route::UserDecrypt), shallow).label,
              Label::MalformedJson);
    shallow.json.depth = 3;
    EXPECT_FALSE(std::holds_alternative<Problem>(
        readAt(Route::UserDecrypt, goodBody(Route::UserDecrypt), shallow)));
    RequestLimits few;
    few.json.values = 6;
    EXPECT_FALSE(std::holds_alternative<Problem>(
        readAt(Route::InputProof, goodBody(Route::InputProof), few)));
    few.json.values = 5;
    EXPECT_EQ(problemAt(Route::InputProof, goodBody(Route::InputProof), few).label,
              Label::MalformedJson);
}

TEST(WireStages, GoodBodiesBecomeTheValuesThatTheySay)
{
    const auto user =
        std::get<core::DirectUserDecrypt>(readAt(Route::UserDecrypt, goodBody(Route::UserDecrypt)));
    ASSERT_EQ(user.handles.size(), 2U);
    EXPECT_EQ("0x" + core::toHex(user.handles[1].handle), handleText("22"));
    EXPECT_EQ("0x" + core::toHex(user.handles[0].contract), addressText("ab"));
    EXPECT_EQ(user.startTimestamp, 1700000000U);
    EXPECT_EQ(user.durationDays, 10U);
    EXPECT_EQ(user.contractsChainId, 11155111U);
    EXPECT_EQ(user.contracts.size(), 2U);
    EXPECT_EQ("0x" + core::toHex(user.user), addressText("cd"));
    EXPECT_EQ(user.signature, core::Bytes(65, 0x55));
    EXPECT_EQ(user.publicKey, (core::Bytes{0x20, 0xCA, 0xFE}));
    EXPECT_EQ(user.extraData, (core::Bytes{0}));
    const auto delegated = std::get<core::DelegatedUserDecrypt>(
        readAt(Route::Delegated, with(goodBody(Route::Delegated), "startTimestamp", R"("0x10")")));
    EXPECT_EQ("0x" + core::toHex(delegated.delegator), addressText("de"));
    EXPECT_EQ("0x" + core::toHex(delegated.delegate), addressText("cd"));
    EXPECT_EQ(delegated.startTimestamp, 16U);
    EXPECT_EQ(delegated.durationDays, 10U);
    EXPECT_EQ(delegated.handles, user.handles);
    EXPECT_EQ(delegated.contracts, user.contracts);
    EXPECT_EQ(delegated.contractsChainId, user.contractsChainId);
    EXPECT_EQ(delegated.signature, user.signature);
    EXPECT_EQ(delegated.publicKey, user.publicKey);
    EXPECT_EQ(delegated.extraData, user.extraData);
    const auto unified = std::get<core::UnifiedUserDecrypt>(
        readAt(Route::Unified, with(goodBody(Route::Unified), "signature", R"("")")));
    EXPECT_EQ("0x" + core::toHex(unified.handles[1].owner), addressText("de"));
    EXPECT_EQ("0x" + core::toHex(unified.handles[1].contract), addressText("ac"));
    EXPECT_EQ("0x" + core::toHex(unified.handles[1].handle), handleText("22"));
    EXPECT_EQ("0x" + core::toHex(unified.user), addressText("cd"));
    EXPECT_EQ("0x" + core::toHex(unified.allowedContracts.at(0)), addressText("ab"));
    EXPECT_EQ(unified.startTimestamp, 1700000000U);
    EXPECT_EQ(unified.durationSeconds, 604800U);
    EXPECT_TRUE(unified.signature.empty());
    EXPECT_EQ(unified.publicKey, (core::Bytes{0x20, 0xCA, 0xFE}));
    EXPECT_EQ(unified.extraData, (core::Bytes{0}));
}

// What goes into the row; nothing when it was refused.
core::Bytes rowOf(const AnyRequest &read)
{
    return std::visit(
        []<typename Each>(const Each &each) {
            if constexpr (std::is_same_v<Each, Problem>)
            {
                return core::Bytes();
            }
            else if constexpr (std::is_constructible_v<core::UserDecrypt, Each>)
            {
                return core::encodePayload(core::UserDecrypt(each));
            }
            else
            {
                return core::encodePayload(each);
            }
        },
        read);
}

TEST(WireStages, WhatIsNotInTheListOfFieldsNeverGetsIntoTheRow)
{
    for (const Route route : kAllRoutes)
    {
        const std::string &good = goodBody(route);
        const core::Bytes row = rowOf(readAt(route, good));
        ASSERT_FALSE(row.empty());
        for (const std::string name : {"status", "id", "jobId", "gatewayId", "result", "owner"})
        {
            const std::string more = good.substr(0, good.rfind('}')) + ",\"" + name + "\":\"1\"}";
            const AnyRequest read = readAt(route, more);
            if (route == Route::Unified)  // whose list says that there is nothing else
            {
                ASSERT_TRUE(std::holds_alternative<Problem>(read)) << more;
                EXPECT_EQ(std::get<Problem>(read).details.at(0), (Detail{name, "Unknown field"}));
            }
            else
            {
                EXPECT_EQ(rowOf(read), row) << more;
            }
        }
    }
}

TEST(WireStages, WhatWasReadComesBackOutOfTheRow)
{
    for (const Route route : {Route::UserDecrypt, Route::Delegated, Route::Unified})
    {
        const AnyRequest read = readAt(route, goodBody(route));
        std::visit(
            [](const auto &each) {
                if constexpr (std::is_constructible_v<core::UserDecrypt, decltype(each)>)
                {
                    const core::UserDecrypt user(each);
                    EXPECT_EQ(core::decodeUserDecrypt(core::encodePayload(user)), user);
                }
            },
            read);
    }
    const auto request =
        std::get<core::PublicDecrypt>(readAt(Route::PublicDecrypt, goodBody(Route::PublicDecrypt)));
    EXPECT_EQ(core::decodePublicDecrypt(core::encodePayload(request)), request);
}

TEST(WireStages, AHundredThousandMutatedBodiesAreTakenOrRefusedWithALabelOfThePost)
{
    constexpr int kBodies = 100000;
    test::Mutations mutations(20231115);
    int taken = 0;
    std::array<int, kLabels> refused{};
    for (int round = 0; round < kBodies; ++round)
    {
        const Route route = kAllRoutes[static_cast<std::size_t>(round) % kAllRoutes.size()];
        const std::string body = mutations.of(goodBody(route));
        const AnyRequest read = readAt(route, body);
        const auto *problem = std::get_if<Problem>(&read);
        if (problem == nullptr)
        {
            ++taken;
            continue;
        }
        ++refused.at(static_cast<std::size_t>(problem->label));
        ASSERT_EQ(httpStatus(problem->label), 400) << body;
        ASSERT_EQ(problem->details.empty(), !hasDetails(problem->label)) << body;
        ASSERT_LE(problem->details.size(), 65U);
        ASSERT_TRUE(readJson(failed("r", *problem).body).root) << body;
    }
    std::cout << "# mutated bodies through the decoders: " << kBodies << ", " << taken
              << " taken\n";
    EXPECT_GT(taken, 1000);
    EXPECT_GT(refused[static_cast<std::size_t>(Label::MalformedJson)], 1000);
    EXPECT_GT(refused[static_cast<std::size_t>(Label::ValidationFailed)], 1000);
    EXPECT_GT(refused[static_cast<std::size_t>(Label::MissingFields)], 100);
}
}  // namespace
}  // namespace relayer::wire
