// Which posts are the same request: the hashes of contract http.md, section 7, from the bodies on.
// The expected ones were computed apart from this code with Python's hashlib, one with Node's too.
#include "core/decrypt.h"
#include "core/handle.h"
#include "core/host_chain.h"
#include "unit/wire_bodies.h"

#include <gtest/gtest.h>

#include <set>

namespace relayer::wire
{
namespace
{
using core::Signer;

std::string hashOf(const AnyRequest &request, Signer signer = Signer::Proven)
{
    struct
    {
        Signer signer;
        std::string operator()(const core::InputProof &proof) const
        {
            return core::toHex(core::contentHash(proof));
        }
        std::string operator()(const core::PublicDecrypt &each) const
        {
            return core::toHex(core::contentHash(each));
        }
        std::string operator()(const Problem &problem) const { return problem.message; }
        std::string operator()(const core::UserDecrypt &each) const
        {
            return core::toHex(core::contentHash(each, signer));
        }
    } hasher{signer};
    return std::visit(hasher, request);
}

std::string hashAt(Route route, const std::string &body, Signer signer = Signer::Proven)
{
    return hashOf(readAt(route, body), signer);
}

const std::string kFirstContext = quotedJson("0x0107" + repeated("c1", 31));
const std::string kSecondContext =
    quotedJson("0x0207" + repeated("c2", 31) + "08" + repeated("e1", 31));

// The samples with the extra data that the expected hashes have.
std::string sample(Route route)
{
    switch (route)
    {
        case Route::PublicDecrypt: return with(goodBody(route), "extraData", kFirstContext);
        case Route::UserDecrypt:
        case Route::Delegated:
            return with(with(goodBody(route), "extraData", kSecondContext), "signature",
                        quotedJson(repeated("5A", 65)));
        case Route::Unified:
            return with(goodBody(route), "signature", quotedJson("0x" + repeated("5a", 65)));
        case Route::InputProof: break;
    }
    return goodBody(route);
}

TEST(ContentHash, EveryKindIsHashedAsTheReferenceHashesIt)
{
    EXPECT_EQ(hashAt(Route::InputProof, sample(Route::InputProof)),
              "1eb9b4801c22fd0ecd4813bad737a29cde8f190956acd7d764f3878c173de8f7");
    EXPECT_EQ(hashAt(Route::PublicDecrypt, sample(Route::PublicDecrypt)),
              "bb766fc1e8312234f4d03f22aa87cdbe2e8cf9d169b4ef606d9ba26e69f2659a");
    EXPECT_EQ(hashAt(Route::UserDecrypt, sample(Route::UserDecrypt)),
              "2a2b48a4961cb5a95ec885ed51e4baa26ff06707ca94da7dacaaf3ee3996471a");
    EXPECT_EQ(hashAt(Route::Delegated, sample(Route::Delegated)),
              "e5a8a15d59bc2280c1ed21163a74065e7cb99cb16bdd1c6e81738bf03655de0d");
    EXPECT_EQ(hashAt(Route::Unified, sample(Route::Unified)),
              "e2b4204d079d3301720ade1e91050bc233a4c105c5e51ee9268a64d144b2c756");
}

TEST(ContentHash, AnUnprovenSignatureIsMixedIn)
{
    EXPECT_EQ(hashAt(Route::UserDecrypt, sample(Route::UserDecrypt), Signer::Unproven),
              "b40ee7e93f76305e5d745569b8c1edf60ff19d5f502a023c8a74e637bd2cd85d");
    EXPECT_EQ(hashAt(Route::Delegated, sample(Route::Delegated), Signer::Unproven),
              "4d84aee3f16f1c138d454737b3cb040cc35606849978dbe2a8faad90b3d3882d");
    EXPECT_EQ(hashAt(Route::Unified, sample(Route::Unified), Signer::Unproven),
              "1878a9ef30fecc4c62dc1d566ee6de30c04520573d8a1676e27367190e9e7149");
}

TEST(ContentHash, OfTheUnprovenOnlyExactRepeatsAreAlikeAndNoneIsLikeAProvenOne)
{
    for (const Route route : {Route::UserDecrypt, Route::Delegated})
    {
        const std::string body = goodBody(route);
        const std::string other = with(body, "signature", quotedJson(hexOf('6', 130)));
        EXPECT_EQ(hashAt(route, body), hashAt(route, other));
        EXPECT_EQ(hashAt(route, body), hashOf(readAt(route, body)));
        EXPECT_NE(hashAt(route, body, Signer::Unproven), hashAt(route, other, Signer::Unproven));
        EXPECT_EQ(hashAt(route, body, Signer::Unproven), hashAt(route, body, Signer::Unproven));
        EXPECT_NE(hashAt(route, body, Signer::Unproven), hashAt(route, body));
        const std::string another = with(body, "publicKey", R"("20caff")");
        EXPECT_NE(hashAt(route, another, Signer::Unproven), hashAt(route, body, Signer::Unproven));
    }
}

TEST(ContentHash, ItIsOverValuesAndNotOverTheirSpelling)
{
    for (const Route route : kAllRoutes)
    {
        std::string spelled = goodBody(route);
        for (std::size_t at = 0; at + 42 <= spelled.size(); ++at)
        {
            // Digits of handles and addresses in capitals.
            if (spelled.compare(at, 3, "\"0x") == 0)
            {
                for (std::size_t i = at + 3; spelled[i] != '"'; ++i)
                {
                    spelled[i] = static_cast<char>(std::toupper(spelled[i]));
                }
            }
        }
        ASSERT_NE(spelled, goodBody(route));
        EXPECT_EQ(hashAt(route, spelled), hashAt(route, goodBody(route)));
    }
    for (const std::string spelling : {"11155111", R"("0xaa36a7")", R"("+0011155111")"})
    {
        EXPECT_EQ(hashAt(Route::InputProof,
                         with(goodBody(Route::InputProof), "contractChainId", spelling)),
                  hashAt(Route::InputProof, goodBody(Route::InputProof)));
        for (const Route route : {Route::UserDecrypt, Route::Delegated})
        {
            EXPECT_EQ(hashAt(route, with(goodBody(route), "contractsChainId", spelling)),
                      hashAt(route, goodBody(route)));
        }
    }
}

TEST(ContentHash, NeitherValidityNorSignatureCountButEverythingElseDoes)
{
    struct Change
    {
        Route route;
        std::string field;
        std::string value;
        bool counts;
    };
    const std::string twoHandles = "[\"" + handleText("22") + "\",\"" + handleText("11") + "\"]";
    const std::string address = quotedJson(addressText("77"));
    const std::vector<Change> changes = {
        {Route::InputProof, "contractChainId", "1", true},
        {Route::InputProof, "contractAddress", address, true},
        {Route::InputProof, "userAddress", address, true},
        {Route::InputProof, "ciphertextWithInputVerification", R"("aabbccde")", true},
        {Route::PublicDecrypt, "ciphertextHandles", twoHandles, true},
        {Route::PublicDecrypt, "extraData", kSecondContext, true},
        {Route::UserDecrypt, "startTimestamp", R"("1600000000")", false},
        {Route::UserDecrypt, "durationDays", R"("11")", false},
        {Route::UserDecrypt, "userAddress", address, true},
        {Route::UserDecrypt, "contractAddress", address, true},
        {Route::UserDecrypt, "contractAddresses", "[" + address + "]", true},
        {Route::UserDecrypt, "extraData", kFirstContext, true},
        {Route::Delegated, "startTimestamp", R"("0")", false},
        {Route::Delegated, "durationDays", R"("1")", false},
        {Route::Delegated, "delegatorAddress", address, true},
        {Route::Delegated, "delegateAddress", address, true},
        {Route::Delegated, "handle", quotedJson(handleText("33")), true},
        {Route::Unified, "startTimestamp", R"("1699999999")", false},
        {Route::Unified, "durationSeconds", R"("604801")", false},
        {Route::Unified, "signature", R"("0x")", false},
        {Route::Unified, "allowedContracts", "[]", true},
        {Route::Unified, "ownerAddress", address, true},
        {Route::Unified, "publicKey", R"("0x20caff")", true},
    };
    for (const Change &change : changes)
    {
        const std::string before = hashAt(change.route, goodBody(change.route));
        const std::string after =
            hashAt(change.route, with(goodBody(change.route), change.field, change.value));
        ASSERT_EQ(after.size(), 64U) << change.field << " " << after;
        EXPECT_EQ(before != after, change.counts) << change.field;
    }
}

TEST(ContentHash, NoTwoKindsCollide)
{
    std::set<std::string> hashes;
    for (const Route route : kAllRoutes)
    {
        EXPECT_TRUE(hashes.insert(hashAt(route, goodBody(route))).second);
    }
}

TEST(HostChain, AHandleNamesItsChainInItsBytes22To29)
{
    core::Hash32 handle{};
    for (std::size_t i = 0; i < handle.size(); ++i)
    {
        handle[i] = static_cast<std::uint8_t>(i + 1);
    }
    EXPECT_EQ(core::hostChainOf(handle), 0x1718191A1B1C1D1EU);
    handle.fill(0xFF);
    EXPECT_EQ(core::hostChainOf(handle), UINT64_MAX);
    handle.fill(0);
    handle[29] = 5;
    EXPECT_EQ(core::hostChainOf(handle), 5U);
}

TEST(HostChain, TheFirstUnsupportedChainIsNamed)
{
    core::PublicDecrypt request;
    request.handles.resize(3);
    request.handles[0][29] = 1;
    request.handles[1][29] = 7;
    request.handles[2][29] = 9;
    EXPECT_EQ(core::firstUnsupportedChain(request, {1, 7, 9}), std::nullopt);
    EXPECT_EQ(core::firstUnsupportedChain(request, {1, 9}), 7U);
    EXPECT_EQ(core::firstUnsupportedChain(request, {1}), 7U);
    EXPECT_EQ(core::firstUnsupportedChain(request, {}), 1U);
    EXPECT_EQ(core::firstUnsupportedChain(core::PublicDecrypt{}, {}), std::nullopt);
    for (const Route route : {Route::UserDecrypt, Route::Delegated, Route::Unified})
    {
        const AnyRequest read = readAt(route, goodBody(route));
        const core::UserDecrypt user = std::visit(
            [](const auto &each) -> core::UserDecrypt {
                if constexpr (std::is_constructible_v<core::UserDecrypt, decltype(each)>)
                {
                    return each;
                }
                else
                {
                    return {};
                }
            },
            read);
        EXPECT_EQ(core::firstUnsupportedChain(user, {11155111}), std::nullopt);
        EXPECT_EQ(core::firstUnsupportedChain(user, {1}), 11155111U);
    }
}
}  // namespace
}  // namespace relayer::wire
