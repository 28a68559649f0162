#include "wire/input_proof_result.h"

#include "wire/json_writer.h"

#include <algorithm>
#include <utility>

namespace relayer::wire
{
namespace
{
constexpr std::uint8_t kFormat = 1;
constexpr std::size_t kNumberOctets = 4;
// Always this, whatever the request said: the reference answers so, and clients hash it.
constexpr std::string_view kExtraData = "0x00";
constexpr std::string_view kPrefix = "0x";

void appendNumber(core::Bytes &out, std::size_t number)
{
    for (std::size_t i = kNumberOctets; i > 0; --i)
    {
        out.push_back(static_cast<std::uint8_t>(number >> (8 * (i - 1))));
    }
}

// Takes from the front of what is left; nothing when that much is not there.
std::optional<core::ByteView> take(core::ByteView &rest, std::size_t count)
{
    if (count > rest.size())
    {
        return std::nullopt;
    }
    const core::ByteView taken = rest.first(count);
    rest = rest.subspan(count);
    return taken;
}

std::optional<std::size_t> takeNumber(core::ByteView &rest)
{
    const auto octets = take(rest, kNumberOctets);
    if (!octets)
    {
        return std::nullopt;
    }
    std::size_t number = 0;
    for (const std::uint8_t octet : *octets)
    {
        number = (number << 8U) | octet;
    }
    return number;
}

// A count that the bytes behind it can not hold is refused before anything is reserved for it.
std::optional<std::size_t> takeCount(core::ByteView &rest, std::size_t octetsEach)
{
    const auto count = takeNumber(rest);
    return count && *count <= rest.size() / octetsEach ? count : std::nullopt;
}
}  // namespace

core::Bytes encodeResult(const InputProofResult &result)
{
    core::Bytes out{kFormat};
    appendNumber(out, result.handles.size());
    for (const core::Hash32 &handle : result.handles)
    {
        out.insert(out.end(), handle.begin(), handle.end());
    }
    appendNumber(out, result.signatures.size());
    for (const core::Bytes &signature : result.signatures)
    {
        appendNumber(out, signature.size());
        out.insert(out.end(), signature.begin(), signature.end());
    }
    return out;
}

std::optional<InputProofResult> decodeInputProofResult(core::ByteView bytes)
{
    core::ByteView rest = bytes;
    const auto format = take(rest, 1);
    if (!format || format->front() != kFormat)
    {
        return std::nullopt;
    }
    InputProofResult result;
    const auto handles = takeCount(rest, sizeof(core::Hash32));
    for (std::size_t i = 0; handles && i < *handles; ++i)
    {
        const auto handle = take(rest, sizeof(core::Hash32));
        std::copy(handle->begin(), handle->end(), result.handles.emplace_back().begin());
    }
    const auto signatures = handles ? takeCount(rest, kNumberOctets) : std::nullopt;
    if (!signatures)
    {
        return std::nullopt;
    }
    for (std::size_t i = 0; i < *signatures; ++i)
    {
        const auto length = takeNumber(rest);
        const auto signature = length ? take(rest, *length) : std::nullopt;
        if (!signature)
        {
            return std::nullopt;
        }
        result.signatures.emplace_back(signature->begin(), signature->end());
    }
    return rest.empty() ? std::optional(std::move(result)) : std::nullopt;
}

std::string acceptedProof(const InputProofResult &result)
{
    if (result.handles.empty() || result.signatures.empty())
    {
        return rejectedProof();
    }
    JsonWriter json;
    json.beginObject().key("accepted").boolean(true).key("extraData").text(kExtraData);
    json.key("handles").beginList();
    for (const core::Hash32 &handle : result.handles)
    {
        json.hex(handle, kPrefix);
    }
    json.endList().key("signatures").beginList();
    for (const core::Bytes &signature : result.signatures)
    {
        json.hex(signature, kPrefix);
    }
    json.endList().endObject();
    return std::move(json).take();
}

std::string rejectedProof()
{
    JsonWriter json;
    json.beginObject().key("accepted").boolean(false);
    json.key("extraData").text(kExtraData).endObject();
    return std::move(json).take();
}
}  // namespace relayer::wire
