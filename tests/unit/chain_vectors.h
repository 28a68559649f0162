// The vectors that ethers made (tests/vectors/generate.mjs): lines of fields between tabs.
#pragma once

#include "chain/address.h"
#include "chain/hex.h"
#include "chain/uint256.h"
#include "support/source_dir.h"

#include <gtest/gtest.h>
#include <json/json.h>

#include <array>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

namespace relayer::chain::vectors
{
using Row = std::vector<std::string>;

inline std::string unpacked(const std::string &name)
{
    const std::string command =
        "xz -dc '" + test::sourceDir().string() + "/tests/vectors/" + name + ".txt.xz'";
    const std::unique_ptr<FILE, int (*)(FILE *)> pipe(popen(command.c_str(), "r"), pclose);
    std::string text;
    std::array<char, 65536> buffer{};
    while (const std::size_t count =
               pipe ? fread(buffer.data(), 1, buffer.size(), pipe.get()) : std::size_t{0})
    {
        text.append(buffer.data(), count);
    }
    return text;
}

// All rows; fails the test where there are fewer than `least`, or one of them has other fields.
inline std::vector<Row> read(const std::string &name, std::size_t fields, std::size_t least)
{
    const std::string text = unpacked(name);
    std::vector<Row> rows;
    for (std::size_t at = 0; at < text.size();)
    {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        Row row(1);
        for (const char c : text.substr(at, end - at))
        {
            if (c == '\t')
            {
                row.emplace_back();
            }
            else
            {
                row.back().push_back(c);
            }
        }
        EXPECT_EQ(row.size(), fields) << name << ", line " << rows.size() + 1;
        row.resize(fields);
        rows.push_back(std::move(row));
        at = end + 1;
    }
    EXPECT_GE(rows.size(), least) << name;
    return rows;
}

inline Json::Value json(const std::string &text)
{
    Json::Value value;
    const std::unique_ptr<Json::CharReader> reader(Json::CharReaderBuilder().newCharReader());
    EXPECT_TRUE(reader->parse(text.data(), text.data() + text.size(), &value, nullptr)) << text;
    return value;
}

inline core::Bytes bytes(const std::string &text)
{
    const auto read = fromHexData(text);
    EXPECT_TRUE(read) << text;
    return read.value_or(core::Bytes());
}
inline core::Bytes bytes(const Json::Value &value)
{
    return bytes(value.asString());
}

inline core::Hash32 hash(const std::string &text)
{
    const auto read = fixedFromHexData<32>(text);
    EXPECT_TRUE(read) << text;
    return read.value_or(core::Hash32());
}
inline core::Hash32 hash(const Json::Value &value)
{
    return hash(value.asString());
}

inline core::Address address(const Json::Value &value)
{
    const auto read = parseCheckedAddress(value.asString());
    EXPECT_TRUE(read) << value.asString();
    return read.value_or(core::Address());
}

inline Uint256 number(const Json::Value &value)
{
    return Uint256(value.asString());
}

template <typename Integer = std::uint64_t>
Integer integer(const Json::Value &value)
{
    return static_cast<Integer>(number(value));
}

template <typename Read>
auto list(const Json::Value &values, Read read)
{
    std::vector<decltype(read(values))> all;
    for (const Json::Value &value : values)
    {
        all.push_back(read(value));
    }
    return all;
}

inline std::vector<core::Hash32> hashes(const Json::Value &values)
{
    return list(values, [](const Json::Value &value) { return hash(value); });
}
inline std::vector<core::Bytes> byteStrings(const Json::Value &values)
{
    return list(values, [](const Json::Value &value) { return bytes(value); });
}
inline std::vector<core::Address> addresses(const Json::Value &values)
{
    return list(values, [](const Json::Value &value) { return address(value); });
}
}  // namespace relayer::chain::vectors
