#include "support/schema_samples.h"

#include <stdexcept>
#include <string_view>
#include <vector>

namespace relayer::test
{
namespace
{
// The part of regular expressions that our patterns are written in: | ( ) [ ] * + ? {n} {n,m} \.
class PatternWriter
{
  public:
    PatternWriter(std::string_view pattern, SchemaSampler &sampler)
        : rest_(pattern), sampler_(sampler)
    {}

    std::string alternatives()
    {
        std::vector<std::string> all = {sequence()};
        while (take('|'))
        {
            all.push_back(sequence());
        }
        return all[sampler_.below(all.size())];
    }

  private:
    bool take(char c)
    {
        const bool here = rest_.starts_with(c);
        rest_.remove_prefix(here ? 1 : 0);
        return here;
    }

    char next()
    {
        const char c = rest_.front();
        rest_.remove_prefix(1);
        return c;
    }

    std::string sequence()
    {
        std::string text;
        while (!rest_.empty() && rest_.front() != '|' && rest_.front() != ')')
        {
            if (take('^') || take('$'))
            {
                continue;
            }
            text += repeated();
        }
        return text;
    }

    // What stands here is read anew for each time that it is to be there.
    std::string repeated()
    {
        const std::string_view from = rest_;
        std::string text = atom();
        const std::string_view behindAtom = rest_;
        const std::size_t times = count();
        const std::string_view behind = rest_;
        std::string all;
        for (std::size_t i = 0; i < times; ++i)
        {
            rest_ = from;
            all += atom();
        }
        rest_ = behind;
        return behindAtom == behind ? text : all;
    }

    std::string atom()
    {
        if (take('('))
        {
            std::string inside = alternatives();
            take(')');
            return inside;
        }
        if (take('['))
        {
            return std::string(1, oneOfClass());
        }
        take('\\');
        return std::string(1, next());
    }

    char oneOfClass()
    {
        std::vector<char> choices;
        while (!take(']'))
        {
            const char first = next();
            if (rest_.size() > 1 && rest_[0] == '-' && rest_[1] != ']')
            {
                take('-');
                const char last = next();
                for (char c = first; c < last; ++c)
                {
                    choices.push_back(c);
                }
                choices.push_back(last);
            }
            else
            {
                choices.push_back(first);
            }
        }
        return choices[sampler_.below(choices.size())];
    }

    std::size_t number()
    {
        std::size_t value = 0;
        while (!rest_.empty() && rest_.front() >= '0' && rest_.front() <= '9')
        {
            value = value * 10 + static_cast<std::size_t>(next() - '0');
        }
        return value;
    }

    std::size_t count()
    {
        constexpr std::size_t kFew = 12;
        if (take('*'))
        {
            return sampler_.below(kFew);
        }
        if (take('+'))
        {
            return 1 + sampler_.below(kFew);
        }
        if (take('?'))
        {
            return sampler_.below(2);
        }
        if (!take('{'))
        {
            return 1;
        }
        const std::size_t least = number();
        const std::size_t most = take(',') ? number() : least;
        take('}');
        return least + sampler_.below(most - least + 1);
    }

    std::string_view rest_;
    SchemaSampler &sampler_;
};
}  // namespace

std::size_t SchemaSampler::below(std::size_t limit)
{
    return random_() % limit;
}

std::string SchemaSampler::matching(const std::string &pattern)
{
    return PatternWriter(pattern, *this).alternatives();
}

std::string SchemaSampler::noise(std::size_t most)
{
    std::string text;
    for (std::size_t i = below(most + 1); i > 0; --i)
    {
        text.push_back(static_cast<char>(below(256)));
    }
    return text;
}

std::string SchemaSampler::text(const Json::Value &schema)
{
    std::string text = schema.isMember("pattern") ? matching(schema["pattern"].asString())
                                                  : matching("[0-9a-f]{1,20}");
    const std::size_t least = schema.get("minLength", 0).asUInt64();
    while (text.size() < least)
    {
        text += matching("[0-9a-f]{2}");
    }
    if (schema.isMember("maxLength") && text.size() > schema["maxLength"].asUInt64())
    {
        text.resize(schema["maxLength"].asUInt64());
    }
    return text;
}

Json::Value SchemaSampler::valid(const Json::Value &written)
{
    const Json::Value &schema = schemas_.resolved(written);
    if (schema.isMember("allOf"))
    {
        return valid(schema["allOf"][0]);
    }
    if (schema.isMember("oneOf"))
    {
        return valid(schema["oneOf"][static_cast<Json::ArrayIndex>(below(schema["oneOf"].size()))]);
    }
    const std::string type = schema["type"].asString();
    Json::Value value;
    if (type == "object")
    {
        value = Json::objectValue;
        for (const std::string &name : schema["properties"].getMemberNames())
        {
            value[name] = valid(schema["properties"][name]);
        }
    }
    else if (type == "array")
    {
        value = Json::arrayValue;
        for (std::size_t i = schema["minItems"].asUInt64() + below(3); i > 0; --i)
        {
            value.append(valid(schema["items"]));
        }
    }
    else if (type == "integer")
    {
        value = static_cast<Json::UInt64>(below(100000));
    }
    else
    {
        value = text(schema);
    }
    return value;
}

Json::Value SchemaSampler::junk()
{
    switch (below(8))
    {
        case 0: return {};
        case 1: return true;
        case 2: return static_cast<Json::Int64>(below(1000)) - 500;
        case 3: return 1.5;
        case 4: return Json::Value(Json::arrayValue);
        case 5: return Json::Value(Json::objectValue);
        case 6: return "";
        default: return matching("[ -~]{1,30}");
    }
}

void SchemaSampler::spoilInside(Json::Value &value, int depth)
{
    const bool container = (value.isObject() || value.isArray()) && !value.empty();
    if (!container || (depth > 0 && below(4) == 0))
    {
        if (value.isString() && below(2) == 0)
        {
            const std::string text = value.asString();
            value = text.substr(0, below(text.size() + 1)) + matching("[ -~]{0,3}");
            return;
        }
        value = junk();
        return;
    }
    if (value.isArray())
    {
        spoilInside(value[static_cast<Json::ArrayIndex>(below(value.size()))], depth + 1);
        return;
    }
    const auto names = value.getMemberNames();
    const std::string &name = names[below(names.size())];
    switch (below(5))
    {
        case 0: value.removeMember(name); break;
        case 1: value[matching("[a-z]{1,9}")] = junk(); break;
        default: spoilInside(value[name], depth + 1); break;
    }
}

Json::Value SchemaSampler::spoiled(Json::Value value)
{
    spoilInside(value, 0);
    return value;
}
}  // namespace relayer::test
