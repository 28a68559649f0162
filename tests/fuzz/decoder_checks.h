// What must hold of each decoder for any bytes at all, beside that it comes back.
//
// A check returns what was broken, or null. The fuzzers look for bytes that break one; the unit
// tests play the seeds (corpus/), whole and changed, through the same checks.
#pragma once

#include "chain/abi.h"
#include "chain/contract_views.h"
#include "chain/ecdsa.h"
#include "chain/gateway.h"
#include "chain/hex.h"
#include "chain/private_key_signer.h"
#include "chain/rlp.h"
#include "chain/rpc/json_answers.h"
#include "chain/transaction.h"
#include "fuzz/broken.h"
#include "fuzz/operator_checks.h"
#include "fuzz/small_checks.h"
#include "fuzz/wire_checks.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <string_view>

namespace relayer::fuzz
{
inline Broken checkRlp(core::ByteView bytes)
{
    const auto item = chain::rlp::decode(bytes);
    if (!item)
    {
        return kFine;
    }
    const core::Bytes again = chain::rlp::encode(*item);
    return std::equal(again.begin(), again.end(), bytes.begin(), bytes.end())
               ? kFine
               : "two encodings of one item were taken";
}

inline Broken checkTransaction(core::ByteView bytes)
{
    const auto decoded = chain::decodeTransaction(bytes);
    if (!decoded)
    {
        return kFine;
    }
    const core::Bytes again = chain::encode(decoded->transaction, decoded->signature);
    if (!std::equal(again.begin(), again.end(), bytes.begin(), bytes.end()))
    {
        return "two encodings of one transaction were taken";
    }
    const auto sender = chain::senderOf(*decoded);
    return !sender || chain::hasLowS(decoded->signature) ? kFine : "a high s has a sender";
}

inline Broken checkHex(core::ByteView bytes)
{
    std::string text = textOf(bytes);
    const auto data = chain::fromHexData(text);
    const auto quantity = chain::parseQuantity(text);
    const auto address = chain::parseAddress(text);
    const auto checked = chain::parseCheckedAddress(text);
    const auto key = chain::parsePrivateKey(text);
    std::transform(text.begin(), text.end(), text.begin(), [](char c) {
        return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    });
    if (data && chain::toHexData(*data) != text)
    {
        return "the bytes are not those of the text";
    }
    if (quantity && chain::parseQuantity(chain::toQuantity(*quantity)) != quantity)
    {
        return "a quantity does not come back";
    }
    if (quantity && chain::fromBigEndian(chain::bigEndian(*quantity)) != quantity)
    {
        return "a number does not come back";
    }
    if ((checked && checked != address) ||
        (address && chain::parseCheckedAddress(chain::checksummed(*address)) != address))
    {
        return "an address does not come back";
    }
    return !key || chain::signerWithKey(*key) ? kFine : "a key that can not sign";
}

inline Broken checkDer(core::ByteView bytes)
{
    const core::Hash32 digest{};
    const auto key = chain::publicKeyFromDer(bytes);
    const core::Address address = key ? chain::addressOf(*key) : core::Address{};
    const auto signature = chain::signatureFromDer(bytes, digest, address);
    return !signature || chain::recoverAddress(digest, *signature) == address
               ? kFine
               : "a signature of somebody else";
}

inline core::Bytes encodedAgain(const chain::ProofAccepted &event)
{
    chain::abi::TupleWriter handles;
    for (const auto &handle : event.handles)
    {
        handles.word(handle);
    }
    chain::abi::TupleWriter signatures;
    for (const auto &signature : event.signatures)
    {
        signatures.bytes(signature);
    }
    return chain::abi::TupleWriter()
        .array(event.handles.size(), handles)
        .array(event.signatures.size(), signatures)
        .finish();
}

inline core::Bytes encodedAgain(const chain::PublicDecrypted &event)
{
    chain::abi::TupleWriter signatures;
    for (const auto &signature : event.signatures)
    {
        signatures.bytes(signature);
    }
    return chain::abi::TupleWriter()
        .bytes(event.result)
        .array(event.signatures.size(), signatures)
        .bytes(event.extraData)
        .finish();
}

inline core::Bytes encodedAgain(const chain::ShareArrived &event)
{
    return chain::abi::TupleWriter()
        .number(event.index)
        .bytes(event.share)
        .bytes(event.signature)
        .bytes(event.extraData)
        .finish();
}

template <typename Event>
core::Bytes encodedAgain(const Event &)
{
    return {};  // it has no data that we read
}

// The first byte chooses the event, the rest is the log's data. No encoding is shorter than the one
// we make; a value that needs more bytes than there were has been made of thin air.
inline Broken checkEvent(core::ByteView bytes)
{
    chain::Log log;
    const auto &topics = chain::gatewayTopics();
    const std::size_t choice = bytes.empty() ? 0 : bytes.front();
    log.topics = {topics[choice % topics.size()], core::Hash32{}};
    const core::ByteView data = bytes.empty() ? bytes : bytes.subspan(1);
    log.data.assign(data.begin(), data.end());
    const auto event = chain::decodeEvent(log, {});
    if (!event || !chain::identify(log, {}))
    {
        return "an event of ours was not seen";
    }
    chain::Log again = log;
    again.data = std::visit([](const auto &decoded) { return encodedAgain(decoded); }, *event);
    if (std::holds_alternative<chain::MalformedEvent>(*event) || again.data.empty())
    {
        return kFine;
    }
    if (again.data.size() > log.data.size())
    {
        return "more came out of the data than was in it";
    }
    const auto second = chain::decodeEvent(again, {});
    const auto dataOf = [](const auto &decoded) { return encodedAgain(decoded); };
    return second && second->index() == event->index() && std::visit(dataOf, *second) == again.data
               ? kFine
               : "an event does not come back";
}

// The first eight bytes say what is read from the rest, in two readers that go deeper and deeper.
inline Broken checkAbi(core::ByteView bytes)
{
    constexpr std::size_t kSteps = 8;
    const core::ByteView steps = bytes.first(std::min(kSteps, bytes.size()));
    const core::ByteView data = bytes.subspan(steps.size());
    chain::abi::Input input(data);
    chain::abi::TupleReader reader = input.tuple();
    std::size_t taken = 0;
    for (const std::uint8_t step : steps)
    {
        std::size_t count = 0;
        switch (step % 8)
        {
            case 0: taken += reader.bytes().size(); break;
            case 1: taken += 32 * chain::abi::wordArray(reader).size(); break;
            case 2:
                for (const auto &one : chain::abi::bytesArray(reader))
                {
                    taken += one.size();
                }
                break;
            case 3: reader = reader.tuple(); break;
            case 4: reader = reader.array(1 + step / 64, count); break;
            case 5: taken += reader.address().size(); break;
            case 6: taken += reader.boolean() ? 1 : 0; break;
            default: taken += reader.number() > 0 ? 1 : 0; break;
        }
        if (count > data.size() / 32)
        {
            return "more elements than there can be";
        }
    }
    (void)chain::boolAnswer(data);
    (void)chain::uint32Answer(data);
    (void)chain::contextIn(data);
    // After a fault an address is still twenty bytes, all zero, and out of nothing.
    return !input.good() || taken <= data.size() ? kFine : "more was taken than there was";
}

// The first byte says how much of the rest is data; what is left is the message.
inline Broken checkRevert(core::ByteView bytes)
{
    const core::ByteView rest = bytes.empty() ? bytes : bytes.subspan(1);
    const std::size_t size = bytes.empty() ? 0 : std::min<std::size_t>(bytes.front(), rest.size());
    const auto revert = chain::decodeRevert(rest.first(size), textOf(rest.subspan(size)));
    if (std::any_of(revert.reason.begin(), revert.reason.end(),
                    [](char c) { return c < 0x20 || c > 0x7E; }))
    {
        return "the reason is not printable";
    }
    return revert.selector || revert.code == core::FailureCode::TransactionFailed
               ? kFine
               : "a code without a selector";
}

inline Broken checkJsonResult(const Json::Value &value)
{
    using namespace chain::rpc;
    (void)decodeNumber(value);
    (void)decodeUint256(value);
    (void)decodeBytes(value);
    (void)decodeHash(value);
    (void)decodeAddress(value);
    (void)decodeFeeHistory(value);
    (void)decodeBlock(value);
    (void)decodeLog(value);
    (void)decodeReceipt(value);
    const auto logs = decodeLogs(value);
    const bool fits = !logs || logs->logs.size() + logs->skipped == value.size();
    return fits ? kFine : "logs were lost without being counted";
}

inline Broken checkJson(core::ByteView bytes)
{
    using namespace chain::rpc;
    const JsonLimits limits{1 << 20U, 32, 1 << 14U};
    const std::string text = textOf(bytes);
    Broken broken = kFine;
    if (const auto document = parseJson(text, limits))
    {
        broken = checkJsonResult(*document);
    }
    const auto answer = openAnswer(text, limits);
    if (const auto *result = std::get_if<Json::Value>(&answer); result != nullptr && !broken)
    {
        broken = checkJsonResult(*result);
    }
    const auto frame = openFrame(text, limits);
    if (const auto *pushed = std::get_if<PushedLog>(&frame); pushed != nullptr && !broken)
    {
        broken = checkJsonResult(pushed->log);
    }
    const auto batch = openBatch(text, 3, limits);
    const auto *items = std::get_if<BatchItems>(&batch);
    return items != nullptr && items->size() != 3 ? "a batch of another size" : broken;
}

struct Target
{
    std::string_view name;  // its seeds are in corpus/<name>/
    Broken (*check)(core::ByteView);
};

inline constexpr std::array<Target, 24> kTargets = {{
    {"rlp", checkRlp},
    {"transaction", checkTransaction},
    {"hex", checkHex},
    {"der", checkDer},
    {"event", checkEvent},
    {"abi", checkAbi},
    {"revert", checkRevert},
    {"json", checkJson},
    {"strict_json", checkStrictJson},
    {"input_proof_body", checkInputProofBody},
    {"public_decrypt_body", checkPublicDecryptBody},
    {"user_decrypt_body", checkUserDecryptBody},
    {"delegated_user_decrypt_body", checkDelegatedUserDecryptBody},
    {"unified_user_decrypt_body", checkUnifiedUserDecryptBody},
    {"kept", checkKept},
    {"share_body", checkShareBody},
    {"join_body", checkJoinBody},
    {"header", checkHeader},
    {"read_back", checkReadBack},
    {"admin_body", checkAdminBody},
    {"url", checkUrl},
    {"config", checkConfig},
    {"yaml", checkYaml},
    {"key_views", checkKeyViews},
}};
}  // namespace relayer::fuzz
