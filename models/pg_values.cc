#include "models/pg_values.h"

#include "models/store_error.h"

#include <algorithm>
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
}  // namespace relayer::models
