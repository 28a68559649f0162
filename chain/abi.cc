#include "chain/abi.h"

#include <algorithm>
#include <limits>

namespace relayer::chain::abi
{
namespace
{
constexpr std::size_t kAddressAt = kWord - 20;

core::Hash32 wordOf(std::uint64_t number)
{
    core::Hash32 word{};
    for (std::size_t i = 0; i < sizeof(number); ++i)
    {
        word.at(kWord - 1 - i) = static_cast<std::uint8_t>(number >> (8 * i));
    }
    return word;
}

void appendWord(core::Bytes &out, const core::Hash32 &word)
{
    out.insert(out.end(), word.begin(), word.end());
}

constexpr std::size_t padded(std::size_t size)
{
    return (size + kWord - 1) / kWord * kWord;
}

// Nothing is wider than 64 bits that is narrower in the house.
bool fitsIn64(const core::Hash32 &word)
{
    return std::all_of(word.begin(), word.end() - 8, [](std::uint8_t octet) { return octet == 0; });
}

std::uint64_t low64(const core::Hash32 &word)
{
    std::uint64_t number = 0;
    for (std::size_t i = kWord - 8; i < kWord; ++i)
    {
        number = (number << 8U) | word.at(i);
    }
    return number;
}
}  // namespace

TupleWriter &TupleWriter::reserve(std::size_t bytes)
{
    tails_.reserve(bytes);
    return *this;
}

TupleWriter &TupleWriter::word(const core::Hash32 &word)
{
    appendWord(heads_, word);
    return *this;
}

TupleWriter &TupleWriter::number(std::uint64_t number)
{
    return word(wordOf(number));
}

TupleWriter &TupleWriter::address(const core::Address &address)
{
    heads_.resize(heads_.size() + kAddressAt);
    heads_.insert(heads_.end(), address.begin(), address.end());
    return *this;
}

TupleWriter &TupleWriter::bytes(core::ByteView bytes)
{
    offset();
    appendWord(tails_, wordOf(bytes.size()));
    tails_.insert(tails_.end(), bytes.begin(), bytes.end());
    tails_.resize(padded(tails_.size()));
    return *this;
}

TupleWriter &TupleWriter::tuple(const TupleWriter &inner)
{
    offset();
    inner.appendTo(tails_);
    return *this;
}

TupleWriter &TupleWriter::array(std::size_t count, const TupleWriter &elements)
{
    offset();
    appendWord(tails_, wordOf(count));
    elements.appendTo(tails_);
    return *this;
}

core::Bytes TupleWriter::finish() const
{
    core::Bytes out;
    out.reserve(size());
    appendTo(out);
    return out;
}

core::Bytes TupleWriter::call(std::uint32_t selector) const
{
    core::Bytes out;
    out.reserve(sizeof(selector) + size());
    for (const unsigned shift : {24U, 16U, 8U, 0U})
    {
        out.push_back(static_cast<std::uint8_t>(selector >> shift));
    }
    appendTo(out);
    return out;
}

void TupleWriter::offset()
{
    offsets_.push_back(heads_.size());
    number(tails_.size());
}

void TupleWriter::appendTo(core::Bytes &out) const
{
    const std::size_t start = out.size();
    out.insert(out.end(), heads_.begin(), heads_.end());
    for (const std::size_t at : offsets_)
    {
        core::Hash32 word{};
        const auto head = heads_.begin() + static_cast<std::ptrdiff_t>(at);
        std::copy(head, head + kWord, word.begin());
        word = wordOf(low64(word) + heads_.size());
        std::copy(word.begin(), word.end(), out.begin() + static_cast<std::ptrdiff_t>(start + at));
    }
    out.insert(out.end(), tails_.begin(), tails_.end());
}

TupleReader Input::tuple()
{
    return {*this, 0};
}

core::ByteView Input::take(std::size_t at, std::size_t size)
{
    if (!good_ || at > data_.size() || size > data_.size() - at || size > allowance_)
    {
        fail();
        return {};
    }
    allowance_ -= size;
    return data_.subspan(at, size);
}

core::Hash32 TupleReader::word()
{
    core::Hash32 word{};
    const core::ByteView bytes = input_->take(next_, kWord);
    std::copy(bytes.begin(), bytes.end(), word.begin());
    next_ += bytes.size();
    return word;
}

Uint256 TupleReader::number()
{
    return fromBigEndian(word()).value_or(0);
}

std::uint64_t TupleReader::numberUpTo(std::uint64_t most)
{
    const core::Hash32 read = word();
    if (!fitsIn64(read) || low64(read) > most)
    {
        input_->fail();
        return 0;
    }
    return low64(read);
}

bool TupleReader::boolean()
{
    return numberUpTo(1) == 1;
}

core::Address TupleReader::address()
{
    const core::Hash32 read = word();
    core::Address address{};
    if (std::any_of(read.begin(), read.begin() + kAddressAt,
                    [](std::uint8_t octet) { return octet != 0; }))
    {
        input_->fail();
        return address;
    }
    std::copy(read.begin() + kAddressAt, read.end(), address.begin());
    return address;
}

std::size_t TupleReader::dynamic()
{
    // No further than the input is long; the sum with the start can not wrap around then.
    return start_ + static_cast<std::size_t>(numberUpTo(input_->data_.size()));
}

std::size_t TupleReader::sizeAt(std::size_t at)
{
    TupleReader reader(*input_, at);
    return static_cast<std::size_t>(reader.numberUpTo(input_->data_.size()));
}

core::Bytes TupleReader::bytes()
{
    const std::size_t at = dynamic();
    const std::size_t size = sizeAt(at);
    const core::ByteView with = input_->take(at + kWord, padded(size));
    const core::ByteView taken = with.first(std::min(size, with.size()));
    return {taken.begin(), taken.end()};
}

TupleReader TupleReader::tuple()
{
    return {*input_, dynamic()};
}

TupleReader TupleReader::array(std::size_t headWords, std::size_t &count)
{
    const std::size_t at = dynamic();
    count = sizeAt(at);
    const std::size_t elements = at + kWord;
    const std::size_t there =
        elements <= input_->data_.size() ? input_->data_.size() - elements : 0;
    if (!input_->good() || headWords == 0 || count > there / kWord / headWords)
    {
        input_->fail();
        count = 0;
    }
    return {*input_, elements};
}

std::vector<core::Bytes> bytesArray(TupleReader &reader)
{
    std::size_t count = 0;
    TupleReader elements = reader.array(1, count);
    std::vector<core::Bytes> all;
    all.reserve(count);
    for (std::size_t i = 0; i < count; ++i)
    {
        all.push_back(elements.bytes());
    }
    return all;
}

std::vector<core::Hash32> wordArray(TupleReader &reader)
{
    std::size_t count = 0;
    TupleReader elements = reader.array(1, count);
    std::vector<core::Hash32> all;
    all.reserve(count);
    for (std::size_t i = 0; i < count; ++i)
    {
        all.push_back(elements.word());
    }
    return all;
}
}  // namespace relayer::chain::abi
