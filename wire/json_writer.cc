#include "wire/json_writer.h"

#include <utility>

namespace relayer::wire
{
JsonWriter &JsonWriter::key(std::string_view name)
{
    separate();
    quoted(name);
    out_.push_back(':');
    first_ = true;
    return *this;
}

JsonWriter &JsonWriter::text(std::string_view value)
{
    separate();
    quoted(value);
    return *this;
}

JsonWriter &JsonWriter::hex(core::ByteView bytes, std::string_view prefix)
{
    separate();
    out_.push_back('"');
    out_ += prefix;
    out_ += core::toHex(bytes);
    out_.push_back('"');
    return *this;
}

JsonWriter &JsonWriter::number(std::int64_t value)
{
    return json(std::to_string(value));
}

JsonWriter &JsonWriter::boolean(bool value)
{
    return json(value ? "true" : "false");
}

JsonWriter &JsonWriter::json(std::string_view value)
{
    separate();
    out_ += value;
    return *this;
}

JsonWriter &JsonWriter::open(char bracket)
{
    separate();
    out_.push_back(bracket);
    first_ = true;
    return *this;
}

JsonWriter &JsonWriter::close(char bracket)
{
    out_.push_back(bracket);
    first_ = false;
    return *this;
}

void JsonWriter::separate()
{
    if (!std::exchange(first_, false))
    {
        out_.push_back(',');
    }
}

void JsonWriter::quoted(std::string_view value)
{
    constexpr std::string_view kDigits = "0123456789abcdef";
    out_.push_back('"');
    for (const char c : value)
    {
        const auto octet = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\')
        {
            out_.push_back('\\');
            out_.push_back(c);
        }
        else if (octet < 0x20)
        {
            out_ += "\\u00";
            out_.push_back(kDigits[octet >> 4U]);
            out_.push_back(kDigits[octet & 0xFU]);
        }
        else
        {
            out_.push_back(c);
        }
    }
    out_.push_back('"');
}

std::string jsonText(std::string_view text)
{
    return std::move(JsonWriter().text(text)).take();
}
}  // namespace relayer::wire
