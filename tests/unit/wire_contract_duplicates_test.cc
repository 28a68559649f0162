// http.md, section 7: which bodies are the same request. One row for each change of each field.
#include "core/content_hash.h"
#include "core/decrypt.h"
#include "core/input_proof.h"
#include "unit/wire_cases.h"

#include <cctype>
#include <set>

namespace relayer::wire
{
namespace
{
struct DuplicateCase
{
    std::string name;
    Route route;
    std::string body;
    core::Signer signer;
    bool same;  // as the good body of its route
};

void PrintTo(const DuplicateCase &each, std::ostream *out)
{
    *out << each.name << ": " << each.body.substr(0, 600);
}

core::ContentHash hashOf(Route route, const std::string &body, core::Signer signer)
{
    struct Hash
    {
        core::Signer signer;
        core::ContentHash operator()(const core::InputProof &proof) const
        {
            return core::contentHash(proof);
        }
        core::ContentHash operator()(const core::PublicDecrypt &request) const
        {
            return core::contentHash(request);
        }
        core::ContentHash operator()(const Problem &problem) const
        {
            ADD_FAILURE() << problem.message;
            return {};
        }
        core::ContentHash ofUser(const core::UserDecrypt &request) const
        {
            return core::contentHash(request, signer);
        }
        core::ContentHash operator()(const core::DirectUserDecrypt &request) const
        {
            return ofUser(request);
        }
        core::ContentHash operator()(const core::DelegatedUserDecrypt &request) const
        {
            return ofUser(request);
        }
        core::ContentHash operator()(const core::UnifiedUserDecrypt &request) const
        {
            return ofUser(request);
        }
    };
    return std::visit(Hash{signer}, readAt(route, body));
}

class Rows
{
  public:
    void add(Route route, const std::string &about, const std::string &body, bool same,
             core::Signer signer = core::Signer::Proven)
    {
        rows_.push_back({nameOf(route) + "_" + about + "_" + std::to_string(rows_.size()), route,
                         body, signer, same});
    }
    // The value of a member becomes another.
    void change(Route route, const std::string &member, const std::string &value, bool same)
    {
        add(route, member, with(goodBody(route), member, value), same);
    }
    [[nodiscard]] std::vector<DuplicateCase> take() && { return counted(std::move(rows_)); }

  private:
    std::vector<DuplicateCase> rows_;
};

std::string quotedUpper(std::string text)
{
    for (char &c : text)
    {
        c = c == 'x' ? c : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    }
    return quotedJson(text);
}

const std::string kContext = quotedJson("0x0107" + std::string(62, '0'));

void addOfTwo(Rows &rows)
{
    const Route proof = Route::InputProof;
    rows.add(proof, "itself", goodBody(proof), true);
    rows.change(proof, "contractChainId", R"("0xaa36a7")", true);
    rows.change(proof, "contractChainId", "11155111", true);
    rows.change(proof, "contractChainId", R"("+0011155111")", true);
    rows.change(proof, "contractChainId", R"("11155112")", false);
    rows.change(proof, "contractAddress", quotedUpper(addressText("ab")), true);
    rows.change(proof, "contractAddress", quotedJson(addressText("ac")), false);
    rows.change(proof, "userAddress", quotedUpper(addressText("cd")), true);
    rows.change(proof, "userAddress", quotedJson(addressText("ce")), false);
    rows.change(proof, "ciphertextWithInputVerification", R"("AABBCCDD")", true);
    rows.change(proof, "ciphertextWithInputVerification", R"("aabbccde")", false);
    rows.change(proof, "ciphertextWithInputVerification", R"("aabbccdd00")", false);
    const Route open = Route::PublicDecrypt;
    const std::string one = quotedJson(handleText("11"));
    const std::string two = quotedJson(handleText("22"));
    rows.add(open, "itself", goodBody(open), true);
    rows.change(open, "ciphertextHandles", "[" + one + "," + two + "]", true);
    rows.change(open, "ciphertextHandles", "[" + two + "," + one + "]", false);
    rows.change(open, "ciphertextHandles", "[" + one + "]", false);
    rows.change(open, "ciphertextHandles", "[" + one + "," + two + "," + two + "]", false);
    rows.change(open, "ciphertextHandles", "[" + quotedUpper(handleText("11")) + "," + two + "]",
                true);
    rows.change(open, "extraData", kContext, false);
}

void addOfVersionTwo(Rows &rows, Route route)
{
    const std::string ab = quotedJson(addressText("ab"));
    const std::string ac = quotedJson(addressText("ac"));
    rows.add(route, "itself", goodBody(route), true);
    rows.change(route, "handle", quotedUpper(handleText("11")), true);
    rows.change(route, "handle", quotedJson(handleText("12")), false);
    rows.change(route, "contractAddress", ac, false);
    rows.change(route, "contractAddress", quotedUpper(addressText("ab")), true);
    rows.change(route, "contractsChainId", R"("0xAA36A7")", true);
    rows.change(route, "contractsChainId", R"("1")", false);
    rows.change(route, "contractAddresses", "[" + ab + "," + ac + "]", true);
    rows.change(route, "contractAddresses", "[" + ac + "," + ab + "]", false);
    rows.change(route, "contractAddresses", "[" + ab + "]", false);
    rows.change(route, "publicKey", R"("20CAFE")", true);
    rows.change(route, "publicKey", R"("20cafd")", false);
    rows.change(route, "extraData", kContext, false);
    // Not in the hash: signature and validity.
    rows.change(route, "startTimestamp", R"("1700000001")", true);
    rows.change(route, "startTimestamp", R"("0")", true);
    rows.change(route, "durationDays", R"("11")", true);
    rows.change(route, "signature", quotedJson(hexOf('6', 130)), true);
    // Ours: one that nobody has proven is part of the content.
    rows.add(route, "unproven", goodBody(route), false, core::Signer::Unproven);
}

void addOfUsers(Rows &rows)
{
    addOfVersionTwo(rows, Route::UserDecrypt);
    rows.change(Route::UserDecrypt, "userAddress", quotedUpper(addressText("cd")), true);
    rows.change(Route::UserDecrypt, "userAddress", quotedJson(addressText("ce")), false);
    addOfVersionTwo(rows, Route::Delegated);
    for (const std::string member : {"delegatorAddress", "delegateAddress"})
    {
        rows.change(Route::Delegated, member, quotedJson(addressText("cf")), false);
    }
    const Route route = Route::Unified;
    rows.add(route, "itself", goodBody(route), true);
    rows.change(route, "ctHandle", quotedUpper(handleText("11")), true);
    rows.change(route, "ctHandle", quotedJson(handleText("12")), false);
    rows.change(route, "contractAddress", quotedJson(addressText("ac")), false);
    rows.change(route, "ownerAddress", quotedJson(addressText("ac")), false);
    rows.change(route, "userAddress", quotedJson(addressText("ce")), false);
    rows.change(route, "allowedContracts", "[]", false);
    rows.change(route, "allowedContracts", "[" + quotedUpper(addressText("ab")) + "]", true);
    rows.change(route, "publicKey", R"("0x20CAFE")", true);
    rows.change(route, "publicKey", R"("0x20cafd")", false);
    rows.change(route, "extraData", kContext, false);
    rows.change(route, "startTimestamp", R"("1700000001")", true);
    rows.change(route, "durationSeconds", R"("604801")", true);
    rows.change(route, "signature", R"("")", true);
}

std::vector<DuplicateCase> duplicateCases()
{
    Rows rows;
    addOfTwo(rows);
    addOfUsers(rows);
    return std::move(rows).take();
}

class ContractDuplicates : public testing::TestWithParam<DuplicateCase>
{};

TEST_P(ContractDuplicates, AreThoseOfTheContract)
{
    const DuplicateCase &row = GetParam();
    const core::ContentHash good = hashOf(row.route, goodBody(row.route), core::Signer::Proven);
    EXPECT_EQ(hashOf(row.route, row.body, row.signer) == good, row.same);
}

INSTANTIATE_TEST_SUITE_P(Fields, ContractDuplicates, testing::ValuesIn(duplicateCases()),
                         [](const auto &row) { return row.param.name; });

TEST(ContractKinds, NeverCollide)
{
    std::set<core::ContentHash> hashes;
    for (const Route route : kAllRoutes)
    {
        hashes.insert(hashOf(route, goodBody(route), core::Signer::Proven));
    }
    EXPECT_EQ(hashes.size(), kAllRoutes.size());
}

// Section 4: of a body that is wrong in several stages only the first of them is told.
std::vector<Case> stageCases()
{
    Cases cases;
    for (const Route route : kAllRoutes)
    {
        const std::string invalidBody = with(goodBody(route), "extraData", R"("bad")");
        cases.add(route, "parseBeforeShape", "{", malformed());
        cases.add(route, "parseBeforeRules", invalidBody + "}", malformed());
        const std::string missingToo =
            route == Route::PublicDecrypt ? without(invalidBody, "ciphertextHandles")
            : route == Route::InputProof  ? without(invalidBody, "userAddress")
                                          : without(invalidBody, "publicKey");
        const std::string gone = route == Route::PublicDecrypt ? "ciphertextHandles"
                                 : route == Route::InputProof  ? "userAddress"
                                                               : "publicKey";
        cases.add(route, "missingBeforeRules", missingToo, missing({gone}));
        const std::string path = (route == Route::Unified ? "attestedPayload." : "") + gone;
        const bool list = route == Route::PublicDecrypt;
        const std::string issue = list ? "Invalid data type" : "Value must be a string";
        cases.add(route, "typesBeforeRules", with(invalidBody, gone, "7"),
                  invalid({{"request", issue}, {path, issue}}));
    }
    cases.add(Route::Unified, "unknownBeforeRules",
              withAlso(with(goodBody(Route::Unified), "version", R"("9")"), "version", R"("x":1)"),
              invalid("x", "Unknown field"));
    return std::move(cases).take();
}

class ContractStages : public testing::TestWithParam<Case>
{};

TEST_P(ContractStages, ComeInTheOrderOfTheContract)
{
    expectOutcome(GetParam());
}

INSTANTIATE_TEST_SUITE_P(Routes, ContractStages, testing::ValuesIn(stageCases()), caseName);
}  // namespace
}  // namespace relayer::wire
