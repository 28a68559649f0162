// Writes JSON into a string, front to back, without a tree: what is written first stands first.
//
//     JsonWriter json;
//     json.beginObject().key("status").text("queued").endObject();
//     return std::move(json).take();
//
// Who calls it sees to the nesting; commas and escapes are its own business. Texts must be UTF-8.
#pragma once

#include "core/bytes.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace relayer::wire
{
class JsonWriter
{
  public:
    JsonWriter &beginObject() { return open('{'); }
    JsonWriter &endObject() { return close('}'); }
    JsonWriter &beginList() { return open('['); }
    JsonWriter &endList() { return close(']'); }
    JsonWriter &key(std::string_view name);
    JsonWriter &text(std::string_view value);
    // Bytes as a text: the prefix, which needs no escapes, and lower case digits.
    JsonWriter &hex(core::ByteView bytes, std::string_view prefix = {});
    JsonWriter &number(std::int64_t value);
    JsonWriter &boolean(bool value);
    // A value that is JSON already.
    JsonWriter &json(std::string_view value);

    [[nodiscard]] std::string take() && { return std::move(out_); }

  private:
    JsonWriter &open(char bracket);
    JsonWriter &close(char bracket);
    void separate();
    void quoted(std::string_view value);

    std::string out_;
    bool first_ = true;  // nothing stands before it in its object, in its list, or behind its key
};

// A text as a JSON value, which stands alone.
[[nodiscard]] std::string jsonText(std::string_view text);
}  // namespace relayer::wire
