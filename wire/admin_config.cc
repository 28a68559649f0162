#include "wire/admin_config.h"

#include "core/decimal.h"
#include "wire/json_writer.h"
#include "wire/strict_json.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <limits>

namespace relayer::wire
{
using core::GivenValue;
using core::RuntimeParameter;

namespace
{
using Type = RuntimeParameter::Type;

// As the reference orders the values; all others stand behind these.
constexpr std::array<std::string_view, 8> kFirst = {"retry_after_min_seconds",
                                                    "retry_after_max_seconds",
                                                    "retry_after_safety_margin",
                                                    "nominal_readiness_check_seconds",
                                                    "nominal_input_proof_processing_seconds",
                                                    "nominal_user_decrypt_processing_seconds",
                                                    "nominal_public_decrypt_processing_seconds",
                                                    "nominal_tx_confirmation_ms"};

std::string_view nameOf(Type type)
{
    return type == Type::Integer ? "u32" : type == Type::Fraction ? "f32" : "text";
}

// 1.0, as Rust writes such a number.
std::string withPoint(std::string text)
{
    return text.find('.') == std::string::npos ? text + ".0" : text;
}

void writeValue(JsonWriter &json, const RuntimeParameter &parameter, std::string_view value)
{
    switch (parameter.type)
    {
        case Type::Integer: json.json(value); break;
        case Type::Fraction: json.json(withPoint(std::string(value))); break;
        case Type::Text: json.text(value); break;
    }
}

void writeBound(JsonWriter &json, const RuntimeParameter &parameter, std::uint64_t bound)
{
    parameter.type == Type::Fraction ? json.json(withPoint(core::formatDecimal(bound)))
                                     : json.json(std::to_string(bound));
}

void writeConstraints(JsonWriter &json, const RuntimeParameter &parameter)
{
    json.key("constraints").beginObject().key("type").text(nameOf(parameter.type));
    if (parameter.type == Type::Text)
    {
        json.key("allowed").text(parameter.allowed);
    }
    else
    {
        writeBound(json.key("min"), parameter, parameter.min);
        writeBound(json.key("max"), parameter, parameter.max);
    }
    json.endObject();
}

std::string lowerCase(std::string_view text)
{
    std::string out(text);
    std::ranges::transform(out, out.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return out;
}

bool isJson(std::string_view contentType)
{
    std::string type = lowerCase(contentType.substr(0, contentType.find(';')));
    type.erase(std::remove(type.begin(), type.end(), ' '), type.end());
    return type == "application/json" ||
           (type.starts_with("application/") && type.ends_with("+json"));
}

bool isWholeNumber(std::string_view text)
{
    std::uint64_t number = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
    return read.ec == std::errc() && read.ptr == text.data() + text.size() &&
           number <= std::numeric_limits<std::uint32_t>::max();
}

// Nothing: it is neither a number nor a text.
std::optional<GivenValue> givenValue(const Json &value)
{
    if (value.type() == Json::Type::Text)
    {
        return GivenValue{GivenValue::Kind::Text, std::string(value.text())};
    }
    if (value.type() != Json::Type::Number)
    {
        return std::nullopt;
    }
    const auto kind =
        isWholeNumber(value.text()) ? GivenValue::Kind::Integer : GivenValue::Kind::Float;
    return GivenValue{kind, std::string(value.text())};
}

std::variant<ParametersPost, Refused> changesOf(const Json &changes)
{
    ParametersPost post;
    for (const JsonMember &member : changes.members())
    {
        const bool reset = member.value.type() == Json::Type::Null;
        auto value = givenValue(member.value);
        if (!value && !reset)
        {
            return Refused{400, member.name + " must be a number, a text or null"};
        }
        post.changes.emplace(member.name, std::move(value));
    }
    if (post.changes.empty())
    {
        return Refused{400, "changes must name at least one parameter"};
    }
    return post;
}
}  // namespace

Refused wrongShape(const std::string &why)
{
    return {422, "Failed to deserialize the JSON body into the target type: " + why};
}

std::string configOf(std::span<const ParameterState> parameters)
{
    JsonWriter json;
    json.beginObject().key("values").beginObject();
    const auto write = [&json](const ParameterState &each) {
        writeValue(json.key(core::pascalCase(each.parameter->name)), *each.parameter, each.value);
    };
    const auto isFirst = [](const ParameterState &each) {
        return std::ranges::find(kFirst, each.parameter->name) != kFirst.end();
    };
    for (const std::string_view name : kFirst)
    {
        const auto found = std::ranges::find_if(
            parameters, [name](const auto &each) { return each.parameter->name == name; });
        if (found != parameters.end())
        {
            write(*found);
        }
    }
    for (const ParameterState &each : parameters)
    {
        if (!isFirst(each))
        {
            write(each);
        }
    }
    json.endObject().key("available_params").beginList();
    for (const ParameterState &each : parameters)
    {
        json.beginObject().key("name").text(core::pascalCase(each.parameter->name));
        json.key("description").text(each.parameter->description);
        writeConstraints(json, *each.parameter);
        json.endObject();
    }
    json.endList().endObject();
    return std::move(json).take();
}

std::string configUpdated(const RuntimeParameter &parameter, std::string_view value)
{
    JsonWriter json;
    json.beginObject().key("name").text(parameter.name);
    writeValue(json.key("value"), parameter, value);
    json.key("message").text("Configuration updated successfully").endObject();
    return std::move(json).take();
}

std::string parameterList(std::int64_t revision, std::span<const ParameterState> parameters)
{
    JsonWriter json;
    json.beginObject().key("revision").number(revision).key("parameters").beginList();
    for (const ParameterState &each : parameters)
    {
        const RuntimeParameter &parameter = *each.parameter;
        json.beginObject().key("name").text(parameter.name);
        json.key("description").text(parameter.description);
        writeConstraints(json, parameter);
        writeValue(json.key("value"), parameter, each.value);
        writeValue(json.key("configured"), parameter, each.configured);
        json.key("origin").text(each.changedBy.empty() ? "configuration" : "admin");
        if (!each.changedBy.empty())
        {
            json.key("changed_by").text(each.changedBy);
            json.key("changed_at_ms").number(each.changedAtMs);
        }
        json.endObject();
    }
    json.endList().endObject();
    return std::move(json).take();
}

std::variant<ConfigPost, Refused> readConfigPost(std::string_view contentType,
                                                 std::string_view body)
{
    if (!isJson(contentType))
    {
        return Refused{415, "Expected request with `Content-Type: application/json`"};
    }
    const JsonDocument document = readJson(body);
    if (!document.root)
    {
        return Refused{400, "Failed to parse the request body as JSON: " + document.problem};
    }
    if (document.root->type() != Json::Type::Object)
    {
        return wrongShape("expected an object");
    }
    const Json *param = document.root->find("param");
    const Json *name = document.root->find("name");
    const Json *value = document.root->find("value");
    if (param != nullptr && name != nullptr)
    {
        return wrongShape("duplicate field `param`");
    }
    const Json *given = param != nullptr ? param : name;
    if (given == nullptr || value == nullptr)
    {
        return wrongShape(given == nullptr ? "missing field `param`" : "missing field `value`");
    }
    auto parsed = givenValue(*value);
    if (given->type() != Json::Type::Text || !parsed)
    {
        return wrongShape(parsed ? "param: expected a string" : "value: expected a number");
    }
    return ConfigPost{std::string(given->text()), std::move(*parsed)};
}

std::variant<ParametersPost, Refused> readParametersPost(std::string_view body)
{
    const JsonDocument document = readJson(body);
    if (!document.root || document.root->type() != Json::Type::Object)
    {
        return Refused{400, document.root ? "The body must be an object" : document.problem};
    }
    const Json *changes = document.root->find("changes");
    if (changes == nullptr || changes->type() != Json::Type::Object)
    {
        return Refused{400, "changes must be an object: names of parameters and values"};
    }
    auto read = changesOf(*changes);
    const Json *revision = document.root->find("revision");
    if (revision != nullptr && std::holds_alternative<ParametersPost>(read))
    {
        if (revision->type() != Json::Type::Number || !isWholeNumber(revision->text()))
        {
            return Refused{400, "revision must be a whole number"};
        }
        std::int64_t number = 0;
        std::from_chars(revision->text().data(), revision->text().data() + revision->text().size(),
                        number);
        std::get<ParametersPost>(read).revision = number;
    }
    return read;
}
}  // namespace relayer::wire
