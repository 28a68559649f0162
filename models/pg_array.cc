#include "models/pg_array.h"

#include "models/pg_values.h"

#include <cassert>
#include <utility>

namespace relayer::models
{
namespace
{
// number of dimensions, null flag, element type, then length and lower bound of the one dimension
constexpr std::size_t kHeader = 5 * sizeof(std::uint32_t);

void store32(std::string &bytes, std::size_t at, std::uint32_t number)
{
    for (std::size_t i = 0; i < 4; ++i)
    {
        bytes[at + i] = static_cast<char>(static_cast<std::uint8_t>(number >> (24U - 8U * i)));
    }
}
}  // namespace

PgArray::PgArray(PgType type) : bytes_(kHeader, '\0'), type_(type) {}

void PgArray::append32(std::uint32_t number)
{
    bytes_.resize(bytes_.size() + 4);
    store32(bytes_, bytes_.size() - 4, number);
}

void PgArray::add(core::ByteView bytes)
{
    assert(type_ == PgType::Bytea || type_ == PgType::Text ||
           (type_ == PgType::Uuid && bytes.size() == 16));
    append32(static_cast<std::uint32_t>(bytes.size()));
    bytes_.append(reinterpret_cast<const char *>(bytes.data()), bytes.size());
    ++count_;
}

void PgArray::add(std::string_view text)
{
    add(core::ByteView(reinterpret_cast<const std::uint8_t *>(text.data()), text.size()));
}

void PgArray::add(std::int64_t number)
{
    assert(type_ == PgType::Int8);
    append32(sizeof(number));
    const auto bits = static_cast<std::uint64_t>(number);
    append32(static_cast<std::uint32_t>(bits >> 32U));
    append32(static_cast<std::uint32_t>(bits));
    ++count_;
}

void PgArray::add(std::int32_t number)
{
    assert(type_ == PgType::Int4);
    append32(sizeof(number));
    append32(static_cast<std::uint32_t>(number));
    ++count_;
}

void PgArray::add(bool flag)
{
    assert(type_ == PgType::Bool);
    append32(1);
    bytes_.push_back(flag ? '\1' : '\0');
    ++count_;
}

void PgArray::addNull()
{
    append32(UINT32_MAX);
    hasNull_ = true;
    ++count_;
}

drogon::orm::RawParameter PgArray::finish() &&
{
    // An empty array has no dimension at all.
    if (count_ == 0)
    {
        bytes_.resize(3 * sizeof(std::uint32_t));
    }
    else
    {
        store32(bytes_, 12, count_);
        store32(bytes_, 16, 1);
    }
    store32(bytes_, 0, count_ == 0 ? 0 : 1);
    store32(bytes_, 4, hasNull_ ? 1 : 0);
    store32(bytes_, 8, static_cast<std::uint32_t>(type_));

    return binaryParameter(std::move(bytes_));
}
}  // namespace relayer::models
