#include "wire/strict_json.h"

#include "core/bytes.h"
#include "wire/utf8.h"

#include <algorithm>
#include <utility>

namespace relayer::wire
{
namespace
{
bool isDigit(char c)
{
    return c >= '0' && c <= '9';
}

bool isControl(char c)
{
    return static_cast<unsigned char>(c) < 0x20;
}

std::optional<char> simpleEscape(char c)
{
    switch (c)
    {
        case '"':
        case '\\':
        case '/': return c;
        case 'b': return '\b';
        case 'f': return '\f';
        case 'n': return '\n';
        case 'r': return '\r';
        case 't': return '\t';
        default: return std::nullopt;
    }
}

bool isHighSurrogate(std::uint32_t unit)
{
    return unit >= 0xD800 && unit <= 0xDBFF;
}

bool isLowSurrogate(std::uint32_t unit)
{
    return unit >= 0xDC00 && unit <= 0xDFFF;
}
}  // namespace

std::span<const JsonMember> Json::members() const
{
    return members_;
}

const Json *Json::find(std::string_view name) const
{
    const auto found = std::find_if(members_.begin(), members_.end(),
                                    [name](const JsonMember &m) { return m.name == name; });
    return found == members_.end() ? nullptr : &found->value;
}

// Each method reads one thing from `at_` on; false means that problem_ says why not.
class JsonReader
{
  public:
    JsonReader(std::string_view text, JsonLimits limits) : text_(text), limits_(limits) {}

    JsonDocument document()
    {
        JsonDocument read;
        Json root;
        if (value(root, 0) && end())
        {
            read.root = std::move(root);
        }
        else
        {
            read.problem = problem_ + " at byte " + std::to_string(at_);
        }
        return read;
    }

  private:
    // Of a request as clients write it.
    static constexpr std::size_t kUsualMembers = 12;

    bool fail(std::string_view why)
    {
        problem_ = why;
        return false;
    }

    [[nodiscard]] char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }

    bool take(char c)
    {
        if (at_ >= text_.size() || text_[at_] != c)
        {
            return false;
        }
        ++at_;
        return true;
    }

    void skipSpace()
    {
        while (at_ < text_.size() &&
               std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos)
        {
            ++at_;
        }
    }

    bool end()
    {
        skipSpace();
        return at_ == text_.size() || fail("text behind the value");
    }

    bool value(Json &out, std::size_t depth)
    {
        skipSpace();
        if (depth > limits_.depth)
        {
            return fail("too deeply nested");
        }
        if (++values_ > limits_.values)
        {
            return fail("too many values");
        }
        switch (peek())
        {
            case '{': return object(out, depth);
            case '[': return list(out, depth);
            case '"': return text(out);
            case 't': return word(out, "true", Json::Type::Boolean);
            case 'f': return word(out, "false", Json::Type::Boolean);
            case 'n': return word(out, "null", Json::Type::Null);
            default: return number(out);
        }
    }

    bool word(Json &out, std::string_view expected, Json::Type type)
    {
        if (!text_.substr(at_).starts_with(expected))
        {
            return fail("not a value");
        }
        out.type_ = type;
        out.written_ = text_.substr(at_, expected.size());
        at_ += expected.size();
        return true;
    }

    bool digits()
    {
        const std::size_t start = at_;
        while (isDigit(peek()))
        {
            ++at_;
        }
        return at_ > start;
    }

    bool number(Json &out)
    {
        const std::size_t start = at_;
        take('-');
        if (!take('0') && !digits())
        {
            return fail("not a value");
        }
        if (take('.') && !digits())
        {
            return fail("not a number");
        }
        if (take('e') || take('E'))
        {
            if (!take('+'))
            {
                take('-');
            }
            if (!digits())
            {
                return fail("not a number");
            }
        }
        out.type_ = Json::Type::Number;
        out.written_ = text_.substr(start, at_ - start);
        return true;
    }

    bool text(Json &out)
    {
        out.type_ = Json::Type::Text;
        return string(out.written_, out.unescaped_);
    }

    bool string(std::string_view &written, std::optional<std::string> &unescaped)
    {
        ++at_;
        const std::size_t start = at_;
        while (at_ < text_.size() && text_[at_] != '"' && text_[at_] != '\\')
        {
            if (isControl(text_[at_]))
            {
                return fail("a raw control character in a string");
            }
            ++at_;
        }
        written = text_.substr(start, at_ - start);
        if (peek() == '\\' && !unescape(written, unescaped))
        {
            return false;
        }
        if (!take('"'))
        {
            return fail("a string without end");
        }
        return isUtf8(unescaped ? std::string_view(*unescaped) : written) ||
               fail("invalid UTF-8 in a string");
    }

    bool unescape(std::string_view head, std::optional<std::string> &unescaped)
    {
        std::string &out = unescaped.emplace(head);
        while (at_ < text_.size() && text_[at_] != '"')
        {
            const char c = text_[at_++];
            if (isControl(c))
            {
                return fail("a raw control character in a string");
            }
            if (c != '\\')
            {
                out.push_back(c);
            }
            else if (!escape(out))
            {
                return false;
            }
        }
        return true;
    }

    bool escape(std::string &out)
    {
        const char c = peek();
        ++at_;
        if (c != 'u')
        {
            const auto plain = simpleEscape(c);
            if (!plain)
            {
                return fail("an unknown escape in a string");
            }
            out.push_back(*plain);
            return true;
        }
        auto unit = fourHexDigits();
        if (unit && isHighSurrogate(*unit))
        {
            const auto low = take('\\') && take('u') ? fourHexDigits() : std::nullopt;
            unit = low && isLowSurrogate(*low)
                       ? std::optional(0x10000 + ((*unit - 0xD800) << 10U) + (*low - 0xDC00))
                       : std::nullopt;
        }
        if (!unit || isLowSurrogate(*unit))
        {
            return fail("a broken \\u escape in a string");
        }
        appendUtf8(out, *unit);
        return true;
    }

    std::optional<std::uint32_t> fourHexDigits()
    {
        std::uint32_t unit = 0;
        for (int i = 0; i < 4; ++i)
        {
            const auto digit = core::hexDigit(peek());
            if (!digit)
            {
                return std::nullopt;
            }
            unit = (unit << 4U) | *digit;
            ++at_;
        }
        return unit;
    }

    bool list(Json &out, std::size_t depth)
    {
        out.type_ = Json::Type::List;
        ++at_;
        skipSpace();
        if (take(']'))
        {
            return true;
        }
        do
        {
            if (!value(out.items_.emplace_back(), depth + 1))
            {
                return false;
            }
            skipSpace();
        }
        while (take(','));
        return take(']') || fail("a list without end");
    }

    bool object(Json &out, std::size_t depth)
    {
        out.type_ = Json::Type::Object;
        ++at_;
        skipSpace();
        if (take('}'))
        {
            return true;
        }
        if (depth == 0)
        {
            // Not of those within: thousands of them may be small.
            out.members_.reserve(kUsualMembers);
        }
        do
        {
            if (!member(out.members_.emplace_back(), depth))
            {
                return false;
            }
            skipSpace();
        }
        while (take(','));
        if (!take('}'))
        {
            return fail("an object without end");
        }
        return !hasDuplicates(out.members_) || fail("a key that stands there twice");
    }

    bool member(JsonMember &out, std::size_t depth)
    {
        skipSpace();
        if (peek() != '"')
        {
            return fail("a key was expected");
        }
        std::string_view written;
        std::optional<std::string> unescaped;
        if (!string(written, unescaped))
        {
            return false;
        }
        out.name = unescaped ? std::move(*unescaped) : std::string(written);
        skipSpace();
        if (!take(':'))
        {
            return fail("a colon was expected");
        }
        return value(out.value, depth + 1);
    }

    static bool hasDuplicates(const std::vector<JsonMember> &members)
    {
        std::vector<std::string_view> names;
        names.reserve(members.size());
        for (const JsonMember &member : members)
        {
            names.emplace_back(member.name);
        }
        std::sort(names.begin(), names.end());
        return std::adjacent_find(names.begin(), names.end()) != names.end();
    }

    const std::string_view text_;
    const JsonLimits limits_;
    std::size_t at_ = 0;
    std::size_t values_ = 0;
    std::string problem_;
};

JsonDocument readJson(std::string_view text, JsonLimits limits)
{
    return JsonReader(text, limits).document();
}
}  // namespace relayer::wire
