#include "models/pg_values.h"

#include "models/store_error.h"

#include <algorithm>
#include <charconv>
#include <memory>
#include <string_view>
#include <utility>

namespace relayer::models
{
drogon::orm::RawParameter binaryParameter(std::string bytes)
{
    auto owned = std::make_shared<std::string>(std::move(bytes));
    const char *data = owned->data();
    const auto length = static_cast<int>(owned->size());
    constexpr int kBinary = 1;
    return {std::move(owned), data, length, kBinary};
}

drogon::orm::RawParameter binaryParameter(core::ByteView bytes)
{
    return binaryParameter(std::string(bytes.begin(), bytes.end()));
}

drogon::orm::RawParameter nullParameter()
{
    // libpq takes a null pointer for NULL, whatever the length and the format.
    return {nullptr, nullptr, 0, 0};
}

drogon::orm::RawParameter binaryOrNull(const std::optional<core::Hash32> &hash)
{
    return hash ? binaryParameter(core::ByteView(*hash)) : nullParameter();
}

core::Bytes bytesOf(const drogon::orm::Field &field)
{
    // "\x" and digits, as the database prints bytea
    const auto text = field.as<std::string_view>();
    auto bytes = text.starts_with("\\x") ? core::fromHex(text.substr(2)) : std::nullopt;
    if (!bytes)
    {
        throw StoreError(StoreError::Code::Refused, "the database returned malformed bytes");
    }
    return *std::move(bytes);
}

core::Hash32 hashOf(const drogon::orm::Field &field)
{
    const core::Bytes bytes = bytesOf(field);
    core::Hash32 hash{};
    if (bytes.size() != hash.size())
    {
        throw StoreError(StoreError::Code::Refused, "the database returned a malformed id");
    }
    std::copy(bytes.begin(), bytes.end(), hash.begin());
    return hash;
}

std::uint64_t unsignedOf(const drogon::orm::Field &field)
{
    const auto text = field.as<std::string_view>();
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size())
    {
        throw StoreError(StoreError::Code::Refused, "the database returned a malformed number");
    }
    return number;
}

std::chrono::milliseconds millisFrom(const drogon::orm::Field &field)
{
    return std::chrono::milliseconds(std::max<std::int64_t>(0, field.as<std::int64_t>()));
}
}  // namespace relayer::models
