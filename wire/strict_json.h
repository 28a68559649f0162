// JSON as a client must write it: RFC 8259 and nothing beside it. Refused are duplicate keys, text
// behind the value, invalid UTF-8, raw control characters (NUL too), lone surrogates, and what is
// deeper or has more values than the limits say.
//
// A reader of our own, since jsoncpp (1.9.5) takes raw control characters in strings, numbers such
// as 01 and lone surrogates, checks no UTF-8, throws at its depth limit, and forgets how a number
// was written: 8009 and 8009.0 must be told apart here. A string without escapes is a view into the
// text that was read, which must outlive the value; a ciphertext is thus never copied.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace relayer::wire
{
struct JsonMember;

class Json
{
  public:
    enum class Type : std::uint8_t
    {
        Null,
        Boolean,
        Number,
        Text,
        List,
        Object,
    };

    Json() = default;

    [[nodiscard]] Type type() const { return type_; }
    // Of a text: what it says. Of a number, a boolean or null: as it was written.
    [[nodiscard]] std::string_view text() const { return unescaped_ ? *unescaped_ : written_; }
    [[nodiscard]] std::span<const Json> items() const { return items_; }
    // In the order of the document.
    [[nodiscard]] std::span<const JsonMember> members() const;
    [[nodiscard]] const Json *find(std::string_view name) const;

  private:
    friend class JsonReader;
    Type type_ = Type::Null;
    std::string_view written_;
    std::optional<std::string> unescaped_;
    std::vector<Json> items_;
    std::vector<JsonMember> members_;
};

struct JsonMember
{
    std::string name;
    Json value;
};

struct JsonLimits
{
    std::size_t depth = 128;  // as the reference's parser
    std::size_t values = 65536;
};

struct JsonDocument
{
    std::optional<Json> root;
    std::string problem;  // when there is no root; repeats nothing of the text
};

[[nodiscard]] JsonDocument readJson(std::string_view text, JsonLimits limits = {});
}  // namespace relayer::wire
