// The contract ABI, as far as tuples of numbers, addresses, bytes, and arrays and tuples of them.
//
// A tuple is its heads, then its tails: what is dynamic has only an offset among the heads, counted
// from the start of the tuple. A contract's arguments and an event's data are each one tuple.
#pragma once

#include "chain/uint256.h"
#include "core/address.h"
#include "core/bytes.h"
#include "core/content_hash.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace relayer::chain::abi
{
inline constexpr std::size_t kWord = 32;

// Fields are added in the order of the declaration. A static tuple within is its fields, in place.
class TupleWriter
{
  public:
    // Room for the dynamic fields, where they are known to be large.
    TupleWriter &reserve(std::size_t bytes);
    TupleWriter &word(const core::Hash32 &word);
    TupleWriter &number(std::uint64_t number);
    TupleWriter &address(const core::Address &address);
    TupleWriter &bytes(core::ByteView bytes);
    // A dynamic tuple.
    TupleWriter &tuple(const TupleWriter &inner);
    // The elements are written as the fields of one tuple.
    TupleWriter &array(std::size_t count, const TupleWriter &elements);

    [[nodiscard]] core::Bytes finish() const;
    // With the function's selector before it.
    [[nodiscard]] core::Bytes call(std::uint32_t selector) const;

  private:
    void offset();
    void appendTo(core::Bytes &out) const;
    [[nodiscard]] std::size_t size() const { return heads_.size() + tails_.size(); }

    core::Bytes heads_;
    core::Bytes tails_;
    std::vector<std::size_t> offsets_;  // where in the heads; they count from the start of tails
};

class TupleReader;

// The bytes to read from, and what is wrong with them. Total: whatever they say, nothing behind
// their end is read. All readers of one input share an allowance: what they take out is never more
// than the input is long. Offsets that lead several fields to the same bytes exceed it, which no
// encoder does, and which would make gigabytes of a megabyte.
class Input
{
  public:
    explicit Input(core::ByteView data) : data_(data), allowance_(data.size()) {}

    // The outermost tuple.
    [[nodiscard]] TupleReader tuple();
    // Once something is wrong, everything read is zero or empty.
    [[nodiscard]] bool good() const { return good_; }

  private:
    friend class TupleReader;
    void fail() { good_ = false; }
    core::ByteView take(std::size_t at, std::size_t size);

    core::ByteView data_;
    std::size_t allowance_;
    bool good_ = true;
};

// Fields are read in the order of the declaration.
class TupleReader
{
  public:
    [[nodiscard]] core::Hash32 word();
    [[nodiscard]] Uint256 number();
    // Of a number type that is narrower in the house than on the chain; above `most` is wrong.
    [[nodiscard]] std::uint64_t numberUpTo(std::uint64_t most);
    [[nodiscard]] bool boolean();
    [[nodiscard]] core::Address address();
    [[nodiscard]] core::Bytes bytes();
    // A dynamic tuple.
    [[nodiscard]] TupleReader tuple();
    // The elements are read as the fields of one tuple. Each has so many words among the heads,
    // which bounds the count by the bytes that are there.
    [[nodiscard]] TupleReader array(std::size_t headWords, std::size_t &count);

  private:
    friend class Input;
    TupleReader(Input &input, std::size_t start) : input_(&input), start_(start), next_(start) {}
    // Where the dynamic field begins whose offset is next.
    std::size_t dynamic();
    // A length or count that stands at this place.
    std::size_t sizeAt(std::size_t at);

    Input *input_;
    std::size_t start_;
    std::size_t next_;
};

// An array of bytes.
[[nodiscard]] std::vector<core::Bytes> bytesArray(TupleReader &reader);
// An array of bytes32.
[[nodiscard]] std::vector<core::Hash32> wordArray(TupleReader &reader);
}  // namespace relayer::chain::abi
