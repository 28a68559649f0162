#include "support/json_schema.h"

#include "core/job_id.h"
#include "support/json_text.h"

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <regex.h>
#include <sstream>

namespace relayer::test
{
namespace
{
std::string shown(const Json::Value &value)
{
    std::string text = jsonText(value);
    return text.size() > 200 ? text.substr(0, 200) + "..." : text;
}

std::size_t charactersOf(const std::string &text)
{
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
        return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
    }));
}

bool hasType(const Json::Value &value, const std::string &type)
{
    static const std::map<std::string, bool (*)(const Json::Value &)> kTypes = {
        {"object", [](const Json::Value &v) { return v.isObject(); }},
        {"array", [](const Json::Value &v) { return v.isArray(); }},
        {"string", [](const Json::Value &v) { return v.isString(); }},
        {"boolean", [](const Json::Value &v) { return v.isBool(); }},
        {"integer",
         [](const Json::Value &v) {
             return v.type() == Json::intValue || v.type() == Json::uintValue;
         }},
    };
    const auto known = kTypes.find(type);
    return known != kTypes.end() && known->second(value);
}

class Checker
{
  public:
    explicit Checker(const JsonSchemas &schemas) : schemas_(schemas) {}

    void check(const Json::Value &schema, const Json::Value &value, const std::string &at)
    {
        if (!schema.isObject())
        {
            problems_.push_back(at + ": the schema is no object: " + shown(schema));
            return;
        }
        for (const std::string &keyword : schema.getMemberNames())
        {
            const auto &checks = keywords();
            const auto known = checks.find(keyword);
            known == checks.end()
                ? problems_.push_back(at + ": an unknown keyword in the schema: " + keyword)
                : (this->*known->second)(schema, value, at);
        }
    }

    std::vector<std::string> take() && { return std::move(problems_); }

  private:
    using Check = void (Checker::*)(const Json::Value &, const Json::Value &, const std::string &);

    static const std::map<std::string, Check> &keywords()
    {
        static const std::map<std::string, Check> checks = {
            {"$ref", &Checker::reference},      {"type", &Checker::type},
            {"const", &Checker::constant},      {"enum", &Checker::enumeration},
            {"pattern", &Checker::pattern},     {"format", &Checker::format},
            {"minLength", &Checker::length},    {"maxLength", &Checker::length},
            {"minimum", &Checker::range},       {"maximum", &Checker::range},
            {"items", &Checker::items},         {"minItems", &Checker::count},
            {"maxItems", &Checker::count},      {"properties", &Checker::properties},
            {"required", &Checker::required},   {"additionalProperties", &Checker::additional},
            {"allOf", &Checker::allOf},         {"oneOf", &Checker::oneOf},
            {"description", &Checker::nothing},
        };
        return checks;
    }

    void unless(bool good, const std::string &at, const std::string &what, const Json::Value &value)
    {
        if (!good)
        {
            problems_.push_back(at + ": " + what + ", not " + shown(value));
        }
    }

    void nothing(const Json::Value &, const Json::Value &, const std::string &) {}

    void reference(const Json::Value &schema, const Json::Value &value, const std::string &at)
    {
        check(schemas_.resolved(schema), value, at);
    }

    void type(const Json::Value &schema, const Json::Value &value, const std::string &at)
    {
        const std::string wanted = schema["type"].asString();
        unless(hasType(value, wanted), at, "must be of type " + wanted, value);
    }

    void constant(const Json::Value &schema, const Json::Value &value, const std::string &at)
    {
        unless(schema["const"] == value, at, "must be " + shown(schema["const"]), value);
    }

    void enumeration(const Json::Value &schema, const Json::Value &value, const std::string &at)
    {
        const auto &choices = schema["enum"];
        unless(std::find(choices.begin(), choices.end(), value) != choices.end(), at,
               "must be one of " + shown(choices), value);
    }

    void pattern(const Json::Value &schema, const Json::Value &value, const std::string &at)
    {
        const std::string wanted = schema["pattern"].asString();
        unless(!value.isString() || matchesPattern(value.asString(), wanted), at,
               "must match " + wanted, value);
    }

    void format(const Json::Value &schema, const Json::Value &value, const std::string &at)
    {
        unless(schema["format"] == "uuid", at, "knows no format but uuid", schema["format"]);
        unless(!value.isString() || core::JobId::parse(value.asString()).has_value(), at,
               "must be a UUID", value);
    }

    void length(const Json::Value &schema, const Json::Value &value, const std::string &at)
    {
        const std::size_t characters = value.isString() ? charactersOf(value.asString()) : 0;
        unless(!value.isString() || characters >= schema.get("minLength", 0).asUInt64(), at,
               "is too short", value);
        unless(!value.isString() || !schema.isMember("maxLength") ||
                   characters <= schema["maxLength"].asUInt64(),
               at, "is too long", value);
    }

    void range(const Json::Value &schema, const Json::Value &value, const std::string &at)
    {
        unless(!value.isNumeric() || !schema.isMember("minimum") || value >= schema["minimum"], at,
               "is too small", value);
        unless(!value.isNumeric() || !schema.isMember("maximum") || value <= schema["maximum"], at,
               "is too large", value);
    }

    void items(const Json::Value &schema, const Json::Value &value, const std::string &at)
    {
        for (Json::ArrayIndex i = 0; value.isArray() && i < value.size(); ++i)
        {
            check(schema["items"], value[i], at + "[" + std::to_string(i) + "]");
        }
    }

    void count(const Json::Value &schema, const Json::Value &value, const std::string &at)
    {
        unless(!value.isArray() || value.size() >= schema.get("minItems", 0).asUInt64(), at,
               "has too few elements", value);
        unless(!value.isArray() || !schema.isMember("maxItems") ||
                   value.size() <= schema["maxItems"].asUInt64(),
               at, "has too many elements", value);
    }

    void properties(const Json::Value &schema, const Json::Value &value, const std::string &at)
    {
        const Json::Value &known = schema["properties"];
        for (const std::string &name : known.getMemberNames())
        {
            if (value.isObject() && value.isMember(name))
            {
                check(known[name], value[name], at + "." + name);
            }
        }
    }

    void required(const Json::Value &schema, const Json::Value &value, const std::string &at)
    {
        for (const Json::Value &name : schema["required"])
        {
            unless(!value.isObject() || value.isMember(name.asString()), at,
                   "must have " + name.asString(), value);
        }
    }

    void additional(const Json::Value &schema, const Json::Value &value, const std::string &at)
    {
        if (!value.isObject())
        {
            return;
        }
        for (const std::string &name : value.getMemberNames())
        {
            if (schema["properties"].isMember(name))
            {
                continue;
            }
            if (schema["additionalProperties"].isBool())
            {
                unless(schema["additionalProperties"].asBool(), at, "must not have " + name, value);
            }
            else
            {
                check(schema["additionalProperties"], value[name], at + "." + name);
            }
        }
    }

    void allOf(const Json::Value &schema, const Json::Value &value, const std::string &at)
    {
        for (const Json::Value &each : schema["allOf"])
        {
            check(each, value, at);
        }
    }

    void oneOf(const Json::Value &schema, const Json::Value &value, const std::string &at)
    {
        std::string why;
        int right = 0;
        for (const Json::Value &each : schema["oneOf"])
        {
            const auto wrong = schemas_.problems(each, value);
            right += wrong.empty() ? 1 : 0;
            why += wrong.empty() ? "" : " (" + wrong.front() + ")";
        }
        unless(right == 1, at, "must be one of its forms" + why, value);
    }

    const JsonSchemas &schemas_;
    std::vector<std::string> problems_;
};
}  // namespace

Json::Value parsedJson(std::string_view text)
{
    Json::CharReaderBuilder builder;
    Json::CharReaderBuilder::strictMode(&builder.settings_);
    builder["strictRoot"] = false;
    const std::unique_ptr<Json::CharReader> reader(builder.newCharReader());
    Json::Value value;
    std::string wrong;
    return reader->parse(text.data(), text.data() + text.size(), &value, &wrong) ? value
                                                                                 : Json::Value();
}

const Json::Value *JsonSchemas::below(const std::string &path) const
{
    const Json::Value *at = &document_;
    std::istringstream parts(path.starts_with("#/") ? path.substr(2) : "?");
    for (std::string part; std::getline(parts, part, '/');)
    {
        if (!at->isObject() || !at->isMember(part))
        {
            return nullptr;
        }
        at = &(*at)[part];
    }
    return at;
}

const Json::Value &JsonSchemas::resolved(const Json::Value &schema) const
{
    static const Json::Value kNothing;
    const Json::Value *found = &schema;
    if (schema.isObject() && schema.isMember("$ref"))
    {
        found = below(schema["$ref"].asString());
    }
    return found == nullptr ? kNothing : *found;
}

std::vector<std::string> JsonSchemas::problems(const Json::Value &schema,
                                               const Json::Value &value) const
{
    Checker checker(*this);
    checker.check(schema, value, "$");
    return std::move(checker).take();
}

// POSIX, since GCC 12 with sanitizers warns of what std::regex does inside.
bool matchesPattern(const std::string &text, const std::string &pattern)
{
    using Compiled = std::unique_ptr<regex_t, void (*)(regex_t *)>;
    static std::map<std::string, Compiled> compiled;
    auto known = compiled.find(pattern);
    if (known == compiled.end())
    {
        Compiled fresh(new regex_t, [](regex_t *expression) {
            regfree(expression);
            delete expression;
        });
        if (regcomp(fresh.get(), pattern.c_str(), REG_EXTENDED | REG_NOSUB) != 0)
        {
            return false;
        }
        known = compiled.emplace(pattern, std::move(fresh)).first;
    }
    return text.find('\0') == std::string::npos &&
           regexec(known->second.get(), text.c_str(), 0, nullptr, 0) == 0;
}
}  // namespace relayer::test
