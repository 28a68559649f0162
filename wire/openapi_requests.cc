#include "wire/openapi_parts.h"
#include "wire/request_tables.h"

#include <limits>
#include <set>

namespace relayer::wire
{
namespace
{
// The keywords that a field's rules amount to.
void writeRules(JsonWriter &json, const FieldRule &field)
{
    for (const Rule *rule : field.rules)
    {
        if (rule == nullptr)
        {
            continue;
        }
        if (!rule->pattern.empty())
        {
            json.key("pattern").text(rule->pattern);
        }
        if (rule->lengthMin != 0)
        {
            json.key("minLength").number(static_cast<std::int64_t>(rule->lengthMin));
        }
        if (rule->lengthMax != 0)
        {
            json.key("maxLength").number(static_cast<std::int64_t>(rule->lengthMax));
        }
    }
}

std::string wordsOf(const FieldRule &field)
{
    std::string words;
    for (const Rule *rule : field.rules)
    {
        if (rule != nullptr)
        {
            words.append(words.empty() ? "" : "; ").append(rule->words);
        }
    }
    return words;
}

std::string textSchema(const FieldRule &field)
{
    JsonWriter json;
    json.beginObject().key("type").text("string");
    writeRules(json, field);
    json.key("description").text(wordsOf(field)).endObject();
    return std::move(json).take();
}

std::string chainIdSchema(const FieldRule &field)
{
    return oneOf(textSchema(field), R"({"type":"integer","minimum":0,"maximum":)" +
                                        std::to_string(std::numeric_limits<std::uint64_t>::max()) +
                                        "}");
}

void writeField(JsonWriter &json, const FieldRule &field, const RequestLimits &limits)
{
    json.beginObject().key("description");
    const std::string words = wordsOf(field);
    json.text(std::string(field.description) + (words.empty() ? "." : ": " + words + "."));
    switch (field.type)
    {
        case FieldType::Text:
            json.key("type").text("string");
            writeRules(json, field);
            break;
        case FieldType::ChainId:
            json.key("allOf").beginList().json(chainIdSchema(field)).endList();
            break;
        case FieldType::Object:
            json.key("allOf").beginList().json(reference("schemas", field.members->name)).endList();
            break;
        case FieldType::TextList:
        case FieldType::ObjectList:
            json.key("type").text("array").key("items");
            json.json(field.members == nullptr ? textSchema(field)
                                               : reference("schemas", field.members->name));
            json.key("minItems").number(static_cast<std::int64_t>(field.atLeast));
            if (field.limit != ListLimit::None)
            {
                json.key("maxItems").number(static_cast<std::int64_t>(limits.of(field.limit)));
            }
            break;
    }
    json.endObject();
}

void writeRequest(JsonWriter &json, const RequestTable &table, const RequestLimits &limits)
{
    json.key(table.name).beginObject().key("type").text("object");
    std::string description(table.description);
    description += ".";
    if (table.whole != nullptr)
    {
        description.append(" ").append(table.whole->words).append(".");
    }
    json.key("description").text(description);
    json.key("properties").beginObject();
    for (const FieldRule &field : table.fields)
    {
        json.key(field.name);
        writeField(json, field, limits);
    }
    json.endObject().key("required").beginList();
    for (const FieldRule &field : table.fields)
    {
        if (field.required)
        {
            json.text(field.name);
        }
    }
    json.endList();
    if (table.unknownFieldsDenied)
    {
        json.key("additionalProperties").boolean(false);
    }
    json.endObject();
}

void writeRequests(JsonWriter &json, const RequestTable &table, const RequestLimits &limits,
                   std::set<std::string_view> &written)
{
    if (!written.insert(table.name).second)
    {
        return;
    }
    writeRequest(json, table, limits);
    for (const FieldRule &field : table.fields)
    {
        if (field.members != nullptr)
        {
            writeRequests(json, *field.members, limits, written);
        }
    }
}
}  // namespace

void writeRequestSchemas(JsonWriter &json, const RequestLimits &limits)
{
    std::set<std::string_view> written;
    for (const RequestRoute &route : requestRoutes())
    {
        writeRequests(json, *route.table, limits, written);
    }
}
}  // namespace relayer::wire
