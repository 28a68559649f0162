// Every rule of http.md, sections 5 and 6, on every field that has it: taken, or refused with the
// label, the field and the words of the contract.
#include "unit/wire_cases.h"

namespace relayer::wire
{
namespace
{
struct Sample
{
    std::string value;  // JSON
    std::string issue;  // empty: it is taken
};

// A field of a route: what stands around its value in a list, and which field is named.
struct Place
{
    Route route;
    std::string member;
    std::string field;
    std::array<std::string, 2> around = {"", ""};
};

void addAll(Cases &cases, const std::vector<Place> &places, const std::vector<Sample> &samples)
{
    for (const Place &place : places)
    {
        for (const Sample &sample : samples)
        {
            const std::string body = with(goodBody(place.route), place.member,
                                          place.around[0] + sample.value + place.around[1]);
            cases.add(place.route, place.member, body,
                      sample.issue.empty() ? std::nullopt
                                           : std::optional(invalid(place.field, sample.issue)));
        }
    }
}

const std::string kDigits40(40, 'a');
const std::string kExtraDataIssue =
    "Must be 0x00, or a versioned format: 0x01 + 32-byte contextId (0x07-tagged first byte), or "
    "0x02 + 32-byte contextId (0x07-tagged) + 32-byte epochId (0x08-tagged)";

std::vector<Place> addressPlaces()
{
    const std::string good = quotedJson(addressText("ab"));
    return {
        {Route::InputProof, "contractAddress", "contractAddress"},
        {Route::InputProof, "userAddress", "userAddress"},
        {Route::UserDecrypt, "contractAddress", "handleContractPairs"},
        {Route::UserDecrypt, "contractAddresses", "contractAddresses", {"[" + good + ",", "]"}},
        {Route::UserDecrypt, "userAddress", "userAddress"},
        {Route::Delegated, "contractAddress", "handleContractPairs"},
        {Route::Delegated, "contractAddresses", "contractAddresses", {"[", "," + good + "]"}},
        {Route::Delegated, "delegatorAddress", "delegatorAddress"},
        {Route::Delegated, "delegateAddress", "delegateAddress"},
        {Route::Unified, "contractAddress", "attestedPayload.handles"},
        {Route::Unified, "ownerAddress", "attestedPayload.handles"},
        {Route::Unified, "userAddress", "attestedPayload.userAddress"},
        {Route::Unified, "allowedContracts", "attestedPayload.allowedContracts", {"[", "]"}},
    };
}

std::vector<Sample> addressSamples()
{
    return {
        {quotedJson("0x" + kDigits40), ""},
        {quotedJson("0xAbCdEf" + kDigits40.substr(6)), ""},
        {R"("")", "Must start with 0x"},
        {quotedJson(kDigits40), "Must start with 0x"},
        {quotedJson("0X" + kDigits40), "Must start with 0x"},
        {quotedJson(" 0x" + kDigits40.substr(1)), "Must start with 0x"},
        {R"("0x")", "Must be 42 characters long"},
        {quotedJson("0x" + kDigits40 + "a"), "Must be 42 characters long"},
        {quotedJson("0x" + kDigits40.substr(1)), "Must be 42 characters long"},
        {quotedJson("0x" + kDigits40.substr(1) + "\xC3\xA4"), "Must be 42 characters long"},
        {quotedJson("0x" + kDigits40.substr(1) + "g"), "Contains invalid hex characters"},
        {quotedJson("0x" + kDigits40.substr(2) + "\xC3\xA4"), "Contains invalid hex characters"},
        {quotedJson("0x" + kDigits40.substr(1) + "\\u0000"), "Contains invalid hex characters"},
    };
}

std::vector<Place> handlePlaces()
{
    const std::string good = quotedJson(handleText("11"));
    return {
        {Route::PublicDecrypt, "ciphertextHandles", "ciphertextHandles", {"[" + good + ",", "]"}},
        {Route::UserDecrypt, "handle", "handleContractPairs"},
        {Route::Delegated, "handle", "handleContractPairs"},
        {Route::Unified, "ctHandle", "attestedPayload.handles"}};
}

// The reference takes handles of any length in a public decryption; here they have 32 bytes.
std::vector<Sample> handleSamples()
{
    return {
        {quotedJson("0x" + hexOf('0', 64)), ""},
        {quotedJson("0x" + hexOf('F', 64)), ""},
        {R"("")", "Must start with 0x"},
        {quotedJson(hexOf('1', 64)), "Must start with 0x"},
        {quotedJson("0X" + hexOf('1', 64)), "Must start with 0x"},
        {quotedJson("0x" + hexOf('1', 63)), "Invalid hex string"},
        {quotedJson("0x" + hexOf('1', 65)), "Invalid hex string"},
        {quotedJson("0x" + hexOf('1', 63) + "g"), "Invalid hex string"},
        {quotedJson("0x" + hexOf('g', 10)), "Invalid hex string"},
        {R"("0x")", "Must be 64 characters long"},
        {R"("0x12")", "Must be 64 characters long"},
        {quotedJson("0x" + hexOf('1', 62)), "Must be 64 characters long"},
        {quotedJson("0x" + hexOf('1', 66)), "Must be 64 characters long"},
        {quotedJson("0x" + hexOf('f', 200)), "Must be 64 characters long"},
    };
}

std::vector<Sample> chainIdSamples()
{
    const std::string issue = "Must be decimal number or 0x hex string";
    std::vector<Sample> samples;
    for (const std::string good : {R"("0")", R"("00012")", R"("+5")", R"("0x0")", R"("0xaa36a7")",
                                   R"("0xAA36A7")", R"("0x+f")", R"("18446744073709551615")",
                                   R"("0xffffffffffffffff")", "8009", "0", "18446744073709551615"})
    {
        samples.push_back({good, ""});
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
                                  R"("0x-1")",
                                  R"("1_000")",
                                  R"("18446744073709551616")",
                                  R"("0x10000000000000000")",
                                  "8009.0",
                                  "1e3",
                                  "-1",
                                  "1.5",
                                  "-0",
                                  "18446744073709551616"})
    {
        samples.push_back({bad, issue});
    }
    return samples;
}

std::vector<Sample> extraDataSamples()
{
    const std::string context = "07" + hexOf('0', 62);
    const std::string epoch = "08" + hexOf('f', 62);
    std::vector<Sample> samples = {
        {R"("0x00")", ""},
        {quotedJson("0x01" + context), ""},
        {quotedJson("0x0107" + hexOf('A', 62)), ""},
        {quotedJson("0x02" + context + epoch), ""},
    };
    for (const std::string &bad : {std::string(),
                                   std::string("0x"),
                                   std::string("00"),
                                   std::string("0X00"),
                                   std::string("0x0"),
                                   std::string("0x0000"),
                                   std::string("0x01"),
                                   std::string("0x02"),
                                   "0x01" + hexOf('0', 64),
                                   "0x0108" + hexOf('0', 62),
                                   "0X01" + context,
                                   "0x01" + context + "00",
                                   "0x01" + context.substr(1),
                                   "0x0107" + hexOf('g', 62),
                                   "0x00" + context,
                                   "0x03" + context,
                                   "0x02" + context,
                                   "0x02" + context + epoch.substr(2),
                                   "0x02" + context + "07" + hexOf('f', 62),
                                   "0x0208" + hexOf('0', 62) + epoch,
                                   "0x02" + context + epoch + "00",
                                   "0x01" + context + epoch,
                                   "0x02" + context + "08" + hexOf('x', 62)})
    {
        samples.push_back({quotedJson(bad), kExtraDataIssue});
    }
    return samples;
}

std::vector<Case> fieldCases()
{
    Cases cases;
    addAll(cases, addressPlaces(), addressSamples());
    addAll(cases, handlePlaces(), handleSamples());
    addAll(cases,
           {{Route::InputProof, "contractChainId", "contractChainId"},
            {Route::UserDecrypt, "contractsChainId", "contractsChainId"},
            {Route::Delegated, "contractsChainId", "contractsChainId"}},
           chainIdSamples());
    addAll(cases,
           {{Route::PublicDecrypt, "extraData", "extraData"},
            {Route::UserDecrypt, "extraData", "extraData"},
            {Route::Delegated, "extraData", "extraData"},
            {Route::Unified, "extraData", "attestedPayload.extraData"}},
           extraDataSamples());
    for (const Sample &sample : extraDataSamples())
    {
        // Input proofs have none, in the same words.
        addAll(cases, {{Route::InputProof, "extraData", "extraData"}},
               {{sample.value, sample.value == R"("0x00")" ? "" : kExtraDataIssue}});
    }
    addAll(
        cases,
        {{Route::InputProof, "ciphertextWithInputVerification", "ciphertextWithInputVerification"}},
        {{R"("ab")", ""},
         {R"("ABCDEF")", ""},
         {R"("")", "Must not be empty"},
         {R"("0xaa")", "Must not start with 0x"},
         {R"("0x")", "Must not start with 0x"},
         {R"("aab")", "Invalid hex string"},
         {R"("a")", "Invalid hex string"},
         {R"("zz")", "Invalid hex string"},
         {R"("0Xaa")", "Invalid hex string"},
         {"\"\xC3\xA4\"", "Invalid hex string"}});
    return std::move(cases).take();
}

std::vector<Case> keyAndSignatureCases()
{
    Cases cases;
    const std::vector<Sample> keys = {
        {R"("ab")", ""},
        {quotedJson(hexOf('a', 1738)), ""},
        {R"("")", "Must not be empty"},
        {R"("0x")", "Must not start with 0x"},
        {R"("0x20ca")", "Must not start with 0x"},
        {R"("abc")", "Invalid hex string"},
        {R"("xy")", "Invalid hex string"},
    };
    addAll(cases,
           {{Route::UserDecrypt, "publicKey", "publicKey"},
            {Route::Delegated, "publicKey", "publicKey"}},
           keys);
    addAll(cases, {{Route::Unified, "publicKey", "attestedPayload.publicKey"}},
           {{R"("0xab")", ""},
            {R"("0xAB")", ""},
            {R"("0x")", "Must not be empty"},
            {R"("20cafe")", "Must start with 0x"},
            {R"("0X20ca")", "Must start with 0x"},
            {R"("0xabc")", "Invalid hex string"},
            {R"("0xxy")", "Invalid hex string"}});
    addAll(cases,
           {{Route::UserDecrypt, "signature", "signature"},
            {Route::Delegated, "signature", "signature"}},
           {{quotedJson(hexOf('A', 130)), ""},
            {R"("")", "Must be 130 characters long"},
            {quotedJson(hexOf('a', 128)), "Must be 130 characters long"},
            {quotedJson(hexOf('a', 132)), "Must be 130 characters long"},
            {quotedJson("0x" + hexOf('a', 128)), "Must not start with 0x"},
            {quotedJson(hexOf('a', 129) + "g"), "Invalid hex string"}});
    addAll(cases, {{Route::Unified, "signature", "signature"}},
           {{R"("")", ""},
            {R"("0x")", ""},
            {R"("0xab")", ""},
            {quotedJson("0x" + hexOf('a', 130)), ""},
            {quotedJson("0x" + hexOf('a', 4000)), ""},
            {quotedJson(hexOf('a', 130)), "Must start with 0x"},
            {R"("0XAB")", "Must start with 0x"},
            {R"("0xabc")", "Invalid hex string"},
            {R"("0xzz")", "Invalid hex string"}});
    for (const Route route : {Route::UserDecrypt, Route::Delegated})
    {
        const auto both = [&](const std::string &member, const std::string &value,
                              const std::string &first, const std::string &second) {
            cases.add(route, member + "Both", with(goodBody(route), member, value),
                      invalid({{member, first}, {member, second}}));
        };
        both("publicKey", R"("a")", "Must not be empty", "Invalid hex string");
        both("signature", quotedJson("0x" + hexOf('a', 130)), "Must be 130 characters long",
             "Must not start with 0x");
        both("signature", quotedJson(hexOf('a', 129)), "Must be 130 characters long",
             "Invalid hex string");
        // Characters are counted, not bytes: 130 of them are not all hex.
        addAll(cases, {{route, "signature", "signature"}},
               {{quotedJson(hexOf('a', 129) + "\xC3\xA4"), "Invalid hex string"}});
    }
    cases.add(Route::Unified, "publicKeyBoth", with(goodBody(Route::Unified), "publicKey", R"("")"),
              invalid({{"attestedPayload.publicKey", "Must not be empty"},
                       {"attestedPayload.publicKey", "Must start with 0x"}}));
    return std::move(cases).take();
}

constexpr const char *kFuture = "Timestamp must not be in the future";
constexpr const char *kNoU256 = "Value must be a valid U256 number";
constexpr const char *kNoU64 = "Value must be a valid u64 number";
constexpr const char *kNoU32 = "Value must be a valid u32 number";
constexpr const char *kExpired = "requestValidity window has already expired";

// kTestNow is 1700001000.
std::vector<Case> startCases()
{
    Cases cases;
    addAll(cases,
           {{Route::UserDecrypt, "startTimestamp", "requestValidity"},
            {Route::Delegated, "startTimestamp", "startTimestamp"}},
           {{R"("1700001000")", ""},
            {R"("0")", ""},
            {R"("")", ""},
            {R"("_")", ""},
            {R"("1_700_000_000")", ""},
            {R"("0x6553f100")", ""},
            {R"("0X6553F100")", ""},
            {R"("0x")", ""},
            {R"("0o17")", ""},
            {R"("0b1011")", ""},
            {quotedJson(hexOf('0', 90) + "7"), ""},
            {R"("1700001001")", kFuture},
            {R"("18446744073709551615")", kFuture},
            {R"("18446744073709551616")", kFuture},
            {quotedJson("0x" + hexOf('f', 64)), kFuture},
            {quotedJson("0x1" + hexOf('0', 64)), kNoU256},
            {R"("115792089237316195423570985008687907853269984665640564039457584007913129639936")",
             kNoU256},
            {R"("115792089237316195423570985008687907853269984665640564039457584007913129639935")",
             kFuture},
            {R"("+5")", kNoU256},
            {R"("-1")", kNoU256},
            {R"("1.5")", kNoU256},
            {R"("1e3")", kNoU256},
            {R"(" 1")", kNoU256},
            {R"("0xg")", kNoU256},
            {R"("0o8")", kNoU256},
            {R"("0b2")", kNoU256},
            {R"("abc")", kNoU256},
            {R"("today")", kNoU256}});
    return std::move(cases).take();
}

std::vector<Case> durationCases()
{
    Cases cases;
    addAll(cases,
           {{Route::UserDecrypt, "durationDays", "requestValidity"},
            {Route::Delegated, "durationDays", "durationDays"}},
           {{R"("0")", ""},
            {R"("+5")", ""},
            {R"("007")", ""},
            {R"("4294967295")", ""},
            {R"("4294967296")", kNoU32},
            {R"("-1")", kNoU32},
            {R"("")", kNoU32},
            {R"("+")", kNoU32},
            {R"("1.5")", kNoU32},
            {R"("0x5")", kNoU32},
            {R"("1_0")", kNoU32},
            {R"(" 1")", kNoU32}});
    return std::move(cases).take();
}

std::vector<Case> unifiedValidityCases()
{
    Cases cases;
    const std::string field = "attestedPayload.requestValidity";
    addAll(cases, {{Route::Unified, "startTimestamp", field}},
           {{R"("1700001000")", ""},
            {R"("1700001001")", kFuture},
            {R"("18446744073709551616")", kFuture},
            {quotedJson("0x" + hexOf('f', 64)), kFuture},
            {R"("0x6553f100")", kNoU64},
            {R"("")", kNoU64},
            {R"("1_700_000_000")", kNoU64},
            {R"("0b1")", kNoU64},
            {R"("+5")", kNoU256},
            {R"("-5")", kNoU256},
            {R"("x")", kNoU256},
            {R"("0")", kExpired},
            {R"("1699396200")", kExpired},
            {R"("1699396201")", ""}});
    addAll(cases, {{Route::Unified, "durationSeconds", field}},
           {{R"("1001")", ""},
            {R"("0001001")", ""},
            {R"("18446744073709551615")", ""},
            {R"("1000")", kExpired},
            {R"("0")", kExpired},
            {R"("+5")", kNoU64},
            {R"("+1001")", kNoU64},
            {R"("")", kNoU64},
            {R"("-1")", kNoU64},
            {R"("0x5")", kNoU64},
            {R"("18446744073709551616")", kNoU64}});
    return std::move(cases).take();
}

std::vector<Case> otherCases()
{
    Cases cases;
    addAll(cases, {{Route::Unified, "attestationType", "attestationType"}},
           {{R"("")",
             "Unsupported attestationType; expected one of: [eip712-unified-user-decrypt-v1]"},
            {R"("eip712-unified-user-decrypt-v2")",
             "Unsupported attestationType; expected one of: [eip712-unified-user-decrypt-v1]"},
            {R"("EIP712-unified-user-decrypt-v1")",
             "Unsupported attestationType; expected one of: [eip712-unified-user-decrypt-v1]"}});
    addAll(cases, {{Route::Unified, "version", "attestedPayload.version"}},
           {{R"("")", "Unsupported version; expected \"2.0\""},
            {R"("2")", "Unsupported version; expected \"2.0\""},
            {R"("2.00")", "Unsupported version; expected \"2.0\""}});
    addAll(cases, {{Route::Unified, "type", "attestedPayload.type"}},
           {{R"("")", "Unsupported payload type; expected \"user_decryption\""},
            {R"("public_decryption")", "Unsupported payload type; expected \"user_decryption\""}});
    addAll(cases,
           {{Route::PublicDecrypt, "ciphertextHandles", "ciphertextHandles"},
            {Route::UserDecrypt, "handleContractPairs", "handleContractPairs"},
            {Route::UserDecrypt, "contractAddresses", "contractAddresses"},
            {Route::Delegated, "handleContractPairs", "handleContractPairs"},
            {Route::Delegated, "contractAddresses", "contractAddresses"},
            {Route::Unified, "handles", "attestedPayload.handles"}},
           {{"[]", "Must not be empty"}});
    addAll(cases, {{Route::Unified, "allowedContracts", "attestedPayload.allowedContracts"}},
           {{"[]", ""}});
    // Unknown members are passed over but at two places of version 3.
    for (const Route route : kAllRoutes)
    {
        cases.add(route, "good", goodBody(route), std::nullopt);
        const std::string body = withAlso(goodBody(route), "extraData", R"("more":{"a":[1,null]})");
        cases.add(route, "unknownMember", body,
                  route == Route::Unified ? std::optional(invalid("more", "Unknown field"))
                                          : std::nullopt);
    }
    const auto also = [](const std::string &behind) {
        return withAlso(goodBody(Route::Unified), behind, R"("more":1)");
    };
    cases.add(Route::Unified, "unknownInEnvelope", also("signature"),
              invalid("more", "Unknown field"));
    cases.add(Route::Unified, "unknownInPayload", also("version"),
              invalid("more", "Unknown field"));
    cases.add(Route::Unified, "unknownInEntry", also("ctHandle"), std::nullopt);
    cases.add(Route::Unified, "unknownInValidity", also("startTimestamp"), std::nullopt);
    cases.add(Route::UserDecrypt, "unknownInPair",
              withAlso(goodBody(Route::UserDecrypt), "handle", R"("more":1)"), std::nullopt);
    return std::move(cases).take();
}

class WireRules : public testing::TestWithParam<Case>
{};

TEST_P(WireRules, AreThoseOfTheContract)
{
    expectOutcome(GetParam());
}

INSTANTIATE_TEST_SUITE_P(Fields, WireRules, testing::ValuesIn(fieldCases()), caseName);
INSTANTIATE_TEST_SUITE_P(Keys, WireRules, testing::ValuesIn(keyAndSignatureCases()), caseName);
INSTANTIATE_TEST_SUITE_P(Start, WireRules, testing::ValuesIn(startCases()), caseName);
INSTANTIATE_TEST_SUITE_P(Duration, WireRules, testing::ValuesIn(durationCases()), caseName);
INSTANTIATE_TEST_SUITE_P(Validity, WireRules, testing::ValuesIn(unifiedValidityCases()), caseName);
INSTANTIATE_TEST_SUITE_P(Others, WireRules, testing::ValuesIn(otherCases()), caseName);
}  // namespace
}  // namespace relayer::wire
