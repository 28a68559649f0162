// What must hold of the decoders of requests and of kept results, for any bytes at all.
#pragma once

#include "core/decrypt.h"
#include "core/host_chain.h"
#include "core/input_proof.h"
#include "core/public_decrypt_result.h"
#include "fuzz/broken.h"
#include "wire/decrypt_requests.h"
#include "wire/decrypt_results.h"
#include "wire/envelope.h"
#include "wire/input_proof_request.h"
#include "wire/input_proof_result.h"
#include "wire/strict_json.h"

#include <string>
#include <string_view>
#include <variant>

namespace relayer::fuzz
{
inline constexpr std::uint64_t kFuzzNow = 1700001000;

inline Broken checkProblem(const wire::Problem &problem)
{
    const wire::Answer answer = wire::failed("r", problem);
    if (answer.status != 400)
    {
        return "a body made a fault of ours";
    }
    if (problem.details.empty() == wire::hasDetails(problem.label))
    {
        return "details do not go with the label";
    }
    if (problem.details.size() > wire::RequestLimits().problems + 1)
    {
        return "more problems are listed than the limit says";
    }
    return wire::readJson(answer.body).root ? kFine : "the refusal is not JSON";
}

inline Broken comesBack(const core::InputProof &proof)
{
    (void)core::contentHash(proof);
    return core::decodeInputProof(core::encodePayload(proof)) == proof
               ? kFine
               : "a proof does not come back out of the row";
}

inline Broken comesBack(const core::PublicDecrypt &request)
{
    (void)core::contentHash(request);
    (void)core::firstUnsupportedChain(request, {1});
    return core::decodePublicDecrypt(core::encodePayload(request)) == request
               ? kFine
               : "a public decryption does not come back out of the row";
}

inline Broken comesBack(const core::UserDecrypt &request)
{
    (void)core::contentHash(request, core::Signer::Unproven);
    (void)core::firstUnsupportedChain(request, {1});
    return core::decodeUserDecrypt(core::encodePayload(request)) == request
               ? kFine
               : "a user decryption does not come back out of the row";
}

template <typename Read>
Broken checkRead(const Read &read)
{
    const auto *problem = std::get_if<wire::Problem>(&read);
    return problem != nullptr ? checkProblem(*problem) : comesBack(std::get<0>(read));
}

inline Broken checkInputProofBody(core::ByteView bytes)
{
    return checkRead(wire::readInputProof(textOf(bytes)));
}

inline Broken checkPublicDecryptBody(core::ByteView bytes)
{
    return checkRead(wire::readPublicDecrypt(textOf(bytes)));
}

inline Broken checkUserDecryptBody(core::ByteView bytes)
{
    return checkRead(wire::readUserDecrypt(textOf(bytes), kFuzzNow));
}

inline Broken checkDelegatedUserDecryptBody(core::ByteView bytes)
{
    return checkRead(wire::readDelegatedUserDecrypt(textOf(bytes), kFuzzNow));
}

inline Broken checkUnifiedUserDecryptBody(core::ByteView bytes)
{
    return checkRead(wire::readUnifiedUserDecrypt(textOf(bytes), kFuzzNow));
}

inline Broken checkStrictJson(core::ByteView bytes)
{
    const std::string text = textOf(bytes);
    const wire::JsonDocument document = wire::readJson(text, {16, 256});
    return document.root.has_value() == document.problem.empty()
               ? kFine
               : "neither a value nor a reason, or both";
}

// The first byte chooses what was kept; the rest is how.
inline Broken checkKept(core::ByteView bytes)
{
    const core::ByteView kept = bytes.empty() ? bytes : bytes.subspan(1);
    const core::Bytes expected(kept.begin(), kept.end());
    switch (bytes.empty() ? 0 : bytes.front() % 4)
    {
        case 0:
        {
            const auto result = wire::decodeInputProofResult(kept);
            const bool shown = result && wire::readJson(wire::acceptedProof(*result)).root;
            return !result || (shown && wire::encodeResult(*result) == expected)
                       ? kFine
                       : "the result of a proof does not come back";
        }
        case 1:
        {
            const auto result = core::decodePublicDecryptResult(kept);
            const bool shown = result && wire::readJson(wire::publicDecryptResult(*result)).root;
            return !result || (shown && core::encodeResult(*result) == expected)
                       ? kFine
                       : "the result of a public decryption does not come back";
        }
        case 2:
        {
            const auto request = core::decodePublicDecrypt(kept);
            return !request || core::encodePayload(*request) == expected
                       ? kFine
                       : "two encodings of one public decryption were taken";
        }
        default:
        {
            const auto request = core::decodeUserDecrypt(kept);
            return !request || core::encodePayload(*request) == expected
                       ? kFine
                       : "two encodings of one user decryption were taken";
        }
    }
}
}  // namespace relayer::fuzz
