#include "core/decrypt.h"

#include "core/payload_codec.h"

#include <tuple>
#include <utility>

namespace relayer::core
{
namespace
{
constexpr std::uint8_t kFormat = 1;
constexpr std::size_t kHashWidth = std::tuple_size_v<Hash32>;
constexpr std::size_t kAddressWidth = std::tuple_size_v<Address>;

// Which of the three a user decryption is; stands after the format.
enum class Sort : std::uint8_t
{
    Direct = 1,
    Delegated = 2,
    Unified = 3,
};

ContentHasher &hash(ContentHasher &hasher, const std::vector<Address> &addresses)
{
    for (const Address &address : addresses)
    {
        hasher.bytes(address);
    }
    return hasher;
}

ContentHasher &hash(ContentHasher &hasher, const std::vector<HandleOfContract> &handles)
{
    for (const HandleOfContract &pair : handles)
    {
        hasher.bytes(pair.handle).bytes(pair.contract);
    }
    return hasher;
}

// What the two older sorts have in common; they differ in who asks.
template <typename Request>
void hashShared(ContentHasher &hasher, const Request &request)
{
    hash(hasher.text("contract_addresses:"), request.contracts)
        .text("contracts_chain_id:")
        .bigEndian(request.contractsChainId)
        .text("ct_handle_contract_pairs:");
    hash(hasher, request.handles)
        .text("extra_data:")
        .bytes(request.extraData)
        .text("public_key:")
        .bytes(request.publicKey);
}

ContentHash hashOf(const DirectUserDecrypt &request)
{
    ContentHasher hasher;
    hashShared(hasher, request);
    return hasher.text("user_address:").bytes(request.user).finish();
}

ContentHash hashOf(const DelegatedUserDecrypt &request)
{
    ContentHasher hasher;
    hashShared(hasher, request);
    return hasher.text("delegator_address:")
        .bytes(request.delegator)
        .text("delegate_address:")
        .bytes(request.delegate)
        .finish();
}

ContentHash hashOf(const UnifiedUserDecrypt &request)
{
    ContentHasher hasher;
    hash(hasher.text("variant:eip712_unified_v1:").text("allowed_contracts:"),
         request.allowedContracts)
        .text("handles:");
    for (const HandleOfOwner &entry : request.handles)
    {
        hasher.bytes(entry.handle).bytes(entry.contract).bytes(entry.owner);
    }
    return hasher.text("extra_data:")
        .bytes(request.extraData)
        .text("public_key:")
        .bytes(request.publicKey)
        .text("user_address:")
        .bytes(request.user)
        .finish();
}

void write(Bytes &out, const std::vector<Hash32> &hashes)
{
    appendBigEndian(out, hashes.size(), 4);
    for (const Hash32 &each : hashes)
    {
        append(out, each);
    }
}

void write(Bytes &out, const std::vector<Address> &addresses)
{
    appendBigEndian(out, addresses.size(), 4);
    for (const Address &address : addresses)
    {
        append(out, address);
    }
}

void write(Bytes &out, const std::vector<HandleOfContract> &handles)
{
    appendBigEndian(out, handles.size(), 4);
    for (const HandleOfContract &pair : handles)
    {
        append(out, pair.handle);
        append(out, pair.contract);
    }
}

void write(Bytes &out, const std::vector<HandleOfOwner> &handles)
{
    appendBigEndian(out, handles.size(), 4);
    for (const HandleOfOwner &entry : handles)
    {
        append(out, entry.handle);
        append(out, entry.contract);
        append(out, entry.owner);
    }
}

std::vector<Address> readAddresses(PayloadReader &reader)
{
    return reader.list<Address>(kAddressWidth, [&reader] { return reader.address(); });
}

std::vector<HandleOfContract> readPairs(PayloadReader &reader)
{
    return reader.list<HandleOfContract>(kHashWidth + kAddressWidth, [&reader] {
        HandleOfContract pair;
        pair.handle = reader.hash();
        pair.contract = reader.address();
        return pair;
    });
}

std::vector<HandleOfOwner> readOwned(PayloadReader &reader)
{
    return reader.list<HandleOfOwner>(kHashWidth + 2 * kAddressWidth, [&reader] {
        HandleOfOwner entry;
        entry.handle = reader.hash();
        entry.contract = reader.address();
        entry.owner = reader.address();
        return entry;
    });
}

Bytes startOf(Sort sort)
{
    return {kFormat, static_cast<std::uint8_t>(sort)};
}

Bytes payloadOf(const DirectUserDecrypt &request)
{
    Bytes out = startOf(Sort::Direct);
    write(out, request.handles);
    appendBigEndian(out, request.startTimestamp, 8);
    appendBigEndian(out, request.durationDays, 4);
    appendBigEndian(out, request.contractsChainId, 8);
    write(out, request.contracts);
    append(out, request.user);
    appendWithLength(out, request.publicKey);
    appendWithLength(out, request.signature);
    appendWithLength(out, request.extraData);
    return out;
}

Bytes payloadOf(const DelegatedUserDecrypt &request)
{
    Bytes out = startOf(Sort::Delegated);
    write(out, request.handles);
    appendBigEndian(out, request.startTimestamp, 8);
    appendBigEndian(out, request.durationDays, 4);
    append(out, request.delegator);
    append(out, request.delegate);
    appendBigEndian(out, request.contractsChainId, 8);
    write(out, request.contracts);
    appendWithLength(out, request.publicKey);
    appendWithLength(out, request.signature);
    appendWithLength(out, request.extraData);
    return out;
}

Bytes payloadOf(const UnifiedUserDecrypt &request)
{
    Bytes out = startOf(Sort::Unified);
    write(out, request.handles);
    append(out, request.user);
    appendWithLength(out, request.publicKey);
    write(out, request.allowedContracts);
    appendBigEndian(out, request.startTimestamp, 8);
    appendBigEndian(out, request.durationSeconds, 8);
    appendWithLength(out, request.signature);
    appendWithLength(out, request.extraData);
    return out;
}

DirectUserDecrypt readDirect(PayloadReader &reader)
{
    DirectUserDecrypt request;
    request.handles = readPairs(reader);
    request.startTimestamp = reader.bigEndian(8);
    request.durationDays = static_cast<std::uint32_t>(reader.bigEndian(4));
    request.contractsChainId = reader.bigEndian(8);
    request.contracts = readAddresses(reader);
    request.user = reader.address();
    request.publicKey = reader.withLength();
    request.signature = reader.withLength();
    request.extraData = reader.withLength();
    return request;
}

DelegatedUserDecrypt readDelegated(PayloadReader &reader)
{
    DelegatedUserDecrypt request;
    request.handles = readPairs(reader);
    request.startTimestamp = reader.bigEndian(8);
    request.durationDays = static_cast<std::uint32_t>(reader.bigEndian(4));
    request.delegator = reader.address();
    request.delegate = reader.address();
    request.contractsChainId = reader.bigEndian(8);
    request.contracts = readAddresses(reader);
    request.publicKey = reader.withLength();
    request.signature = reader.withLength();
    request.extraData = reader.withLength();
    return request;
}

UnifiedUserDecrypt readUnified(PayloadReader &reader)
{
    UnifiedUserDecrypt request;
    request.handles = readOwned(reader);
    request.user = reader.address();
    request.publicKey = reader.withLength();
    request.allowedContracts = readAddresses(reader);
    request.startTimestamp = reader.bigEndian(8);
    request.durationSeconds = reader.bigEndian(8);
    request.signature = reader.withLength();
    request.extraData = reader.withLength();
    return request;
}

std::optional<UserDecrypt> readUserDecrypt(PayloadReader &reader)
{
    switch (static_cast<Sort>(reader.bigEndian(1)))
    {
        case Sort::Direct: return readDirect(reader);
        case Sort::Delegated: return readDelegated(reader);
        case Sort::Unified: return readUnified(reader);
    }
    return std::nullopt;
}
}  // namespace

ContentHash contentHash(const PublicDecrypt &request)
{
    ContentHasher hasher;
    hasher.text("ct_handles:");
    for (const Hash32 &handle : request.handles)
    {
        hasher.bytes(handle);
    }
    return hasher.text("extra_data:").bytes(request.extraData).finish();
}

ContentHash contentHash(const UserDecrypt &request)
{
    return std::visit([](const auto &sort) { return hashOf(sort); }, request);
}

ContentHash contentHash(const UserDecrypt &request, Signer signer)
{
    const ContentHash canonical = contentHash(request);
    if (signer == Signer::Proven)
    {
        return canonical;
    }
    return std::visit(
        [&canonical](const auto &sort) {
            return ContentHasher()
                .text("unproven_signature:")
                .bytes(canonical)
                .bytes(sort.signature)
                .finish();
        },
        request);
}

Bytes encodePayload(const PublicDecrypt &request)
{
    Bytes out{kFormat};
    write(out, request.handles);
    appendWithLength(out, request.extraData);
    return out;
}

Bytes encodePayload(const UserDecrypt &request)
{
    return std::visit([](const auto &sort) { return payloadOf(sort); }, request);
}

std::optional<PublicDecrypt> decodePublicDecrypt(ByteView payload)
{
    PayloadReader reader(payload);
    if (reader.bigEndian(1) != kFormat)
    {
        return std::nullopt;
    }
    PublicDecrypt request;
    request.handles = reader.list<Hash32>(kHashWidth, [&reader] { return reader.hash(); });
    request.extraData = reader.withLength();
    if (!reader.allReadAndNothingLeft())
    {
        return std::nullopt;
    }
    return request;
}

std::optional<UserDecrypt> decodeUserDecrypt(ByteView payload)
{
    PayloadReader reader(payload);
    if (reader.bigEndian(1) != kFormat)
    {
        return std::nullopt;
    }
    auto request = readUserDecrypt(reader);
    return reader.allReadAndNothingLeft() ? std::move(request) : std::nullopt;
}
}  // namespace relayer::core
