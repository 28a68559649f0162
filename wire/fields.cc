#include "wire/fields.h"

#include "wire/strict_json.h"

#include <algorithm>

namespace relayer::wire
{
namespace
{
// What the reference says of a wrong type: it does not know the field, and names the request.
constexpr std::string_view kRequest = "request";
constexpr std::string_view kMissing = "Required but missing";
constexpr std::string_view kNoText = "Value must be a string";
constexpr std::string_view kWrongType = "Invalid data type";

// A member of the document that the table knows.
struct Found
{
    std::size_t field;
    const Json *value;
};

// In the order of the document, which decides what the reference complains of.
std::optional<std::vector<Found>> knownMembers(const Json &root, std::span<const FieldRule> table)
{
    std::vector<Found> found;
    if (root.type() == Json::Type::List)
    {
        if (root.items().size() != table.size())
        {
            return std::nullopt;
        }
        for (std::size_t i = 0; i < table.size(); ++i)
        {
            found.push_back({i, &root.items()[i]});
        }
        return found;
    }
    for (const JsonMember &member : root.members())
    {
        const auto rule = std::find_if(table.begin(), table.end(), [&member](const FieldRule &r) {
            return r.name == member.name;
        });
        if (rule != table.end())
        {
            found.push_back({static_cast<std::size_t>(rule - table.begin()), &member.value});
        }
    }
    return found;
}

bool hasType(const Json &value, FieldType type)
{
    return value.type() == Json::Type::Text ||
           (type == FieldType::ChainId && value.type() == Json::Type::Number);
}

// Entries for one field stand side by side.
std::string listed(const std::vector<Detail> &details)
{
    std::string names;
    std::string_view last;
    for (const Detail &detail : details)
    {
        if (detail.field != last)
        {
            names += (names.empty() ? "" : ", ") + detail.field;
        }
        last = detail.field;
    }
    return names;
}

Problem validationFailed(std::vector<Detail> details)
{
    std::string message = "Validation failed for: " + listed(details);
    return {Label::ValidationFailed, std::move(message), std::move(details)};
}

Problem wrongRoot()
{
    return validationFailed({{std::string(kRequest), std::string(kWrongType)}});
}

std::vector<Detail> missingFields(const std::vector<const Json *> &values,
                                  std::span<const FieldRule> table)
{
    std::vector<Detail> missing;
    for (std::size_t i = 0; i < table.size(); ++i)
    {
        if (values[i] == nullptr)
        {
            missing.push_back({std::string(table[i].name), std::string(kMissing)});
        }
    }
    return missing;
}

// The stage of shapes. The first wrong type in the document decides the label, then missing fields.
std::optional<Problem> shapeProblem(const std::vector<Found> &found, std::vector<Detail> missing,
                                    std::span<const FieldRule> table)
{
    std::vector<Detail> wrong;
    for (const Found &member : found)
    {
        const FieldRule &rule = table[member.field];
        if (hasType(*member.value, rule.type))
        {
            continue;
        }
        if (wrong.empty() && rule.type == FieldType::ChainId)
        {
            return malformedJson(std::string(rule.name) + " must be a string or an integer");
        }
        if (wrong.empty())
        {
            wrong.push_back({std::string(kRequest), std::string(kNoText)});
        }
        wrong.push_back({std::string(rule.name), std::string(kNoText)});
    }
    if (!wrong.empty())
    {
        wrong.insert(wrong.end(), missing.begin(), missing.end());
        return validationFailed(std::move(wrong));
    }
    if (!missing.empty())
    {
        std::string message = "Missing required fields: " + listed(missing);
        return Problem{Label::MissingFields, std::move(message), std::move(missing)};
    }
    return std::nullopt;
}

std::optional<Problem> ruleProblem(const std::vector<std::string_view> &values,
                                   std::span<const FieldRule> table)
{
    std::vector<Detail> broken;
    for (std::size_t i = 0; i < table.size(); ++i)
    {
        for (const Check check : table[i].checks)
        {
            if (const Issue issue = check == nullptr ? std::nullopt : check(values[i]))
            {
                broken.push_back({std::string(table[i].name), std::string(*issue)});
            }
        }
    }
    return broken.empty() ? std::nullopt : std::optional(validationFailed(std::move(broken)));
}
}  // namespace

FieldsRead readFields(const Json &root, std::span<const FieldRule> table)
{
    FieldsRead read;
    if (root.type() != Json::Type::Object && root.type() != Json::Type::List)
    {
        read.problem = wrongRoot();
        return read;
    }
    const auto found = knownMembers(root, table);
    if (!found)
    {
        read.problem = malformedJson("the request is a list of the wrong length");
        return read;
    }
    std::vector<const Json *> values(table.size(), nullptr);
    for (const Found &member : *found)
    {
        values[member.field] = member.value;
    }
    read.problem = shapeProblem(*found, missingFields(values, table), table);
    if (read.problem)
    {
        return read;
    }
    for (const Json *value : values)
    {
        read.values.push_back(value->text());
    }
    read.problem = ruleProblem(read.values, table);
    return read;
}

Problem malformedJson(std::string_view why)
{
    return {Label::MalformedJson, "Malformed JSON: " + std::string(why), {}};
}
}  // namespace relayer::wire
