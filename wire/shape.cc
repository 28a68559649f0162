#include "wire/shape.h"

#include "wire/field_path.h"

#include <algorithm>
#include <set>
#include <utility>

namespace relayer::wire
{
namespace
{
// What the reference says of a wrong type: it does not know the field, and names the request.
constexpr std::string_view kRequest = "request";
constexpr std::string_view kMissing = "Required but missing";
constexpr std::string_view kUnknown = "Unknown field";
constexpr std::string_view kNoText = "Value must be a string";
constexpr std::string_view kWrongType = "Invalid data type";

enum class Fault : std::uint8_t
{
    NotJson,  // what the reference takes for malformed JSON
    WrongType,
    Missing,
    Unknown,
};

struct Finding
{
    Fault fault;
    std::string name;  // without its path
    std::string path;
    std::string_view issue;
};

// Walks body and table together, and notes what does not fit in the order in which the reference
// comes upon it: each value where it stands, missing members where their object ends.
class ShapeReader
{
  public:
    explicit ShapeReader(std::size_t findingsMax)
        : findingsMax_(std::max<std::size_t>(findingsMax, 1))
    {}

    Value object(const Json &json, const RequestTable &table, const FieldPath *path)
    {
        Value value;
        value.present = true;
        value.inside.resize(table.fields.size());
        if (json.type() == Json::Type::List)
        {
            positional(json, table, path, value);
        }
        else if (json.type() == Json::Type::Object)
        {
            named(json, table, path, value);
        }
        else
        {
            wrongType(path, kWrongType);
        }
        return value;
    }

    std::vector<Finding> take() && { return std::move(findings_); }

  private:
    void note(Fault fault, const FieldPath *path, std::string_view issue)
    {
        if (findings_.size() < findingsMax_)
        {
            findings_.push_back({fault, path == nullptr ? "" : std::string(path->name),
                                 path == nullptr ? "" : path->text(), issue});
        }
    }

    void wrongType(const FieldPath *path, std::string_view issue)
    {
        note(Fault::WrongType, path, issue);
    }

    // A list of the right length stands for an object, with the values in the table's order, as the
    // reference takes it.
    void positional(const Json &json, const RequestTable &table, const FieldPath *path,
                    Value &value)
    {
        if (json.items().size() != table.fields.size())
        {
            note(Fault::NotJson, path, kWrongType);
            return;
        }
        for (std::size_t i = 0; i < table.fields.size(); ++i)
        {
            const FieldPath at{path, table.fields[i].name};
            value.inside[i] = field(json.items()[i], table.fields[i], at);
        }
    }

    void named(const Json &json, const RequestTable &table, const FieldPath *path, Value &value)
    {
        for (const JsonMember &member : json.members())
        {
            const auto rule =
                std::find_if(table.fields.begin(), table.fields.end(),
                             [&member](const FieldRule &r) { return r.name == member.name; });
            if (rule != table.fields.end())
            {
                const FieldPath at{path, rule->name};
                const auto place = static_cast<std::size_t>(rule - table.fields.begin());
                value.inside[place] = field(member.value, *rule, at);
            }
            else if (table.unknownFieldsDenied)
            {
                const std::string name = shortened(member.name);
                const FieldPath at{path, name};
                note(Fault::Unknown, &at, kUnknown);
            }
        }
        for (std::size_t i = 0; i < table.fields.size(); ++i)
        {
            if (table.fields[i].required && !value.inside[i].present)
            {
                const FieldPath at{path, table.fields[i].name};
                note(Fault::Missing, &at, kMissing);
            }
        }
    }

    Value field(const Json &json, const FieldRule &rule, const FieldPath &path)
    {
        switch (rule.type)
        {
            case FieldType::Text: return text(json, path);
            case FieldType::ChainId: return chainId(json, path);
            case FieldType::Object: return object(json, *rule.members, &path);
            case FieldType::TextList:
            case FieldType::ObjectList: break;
        }
        return list(json, rule, path);
    }

    Value text(const Json &json, const FieldPath &path)
    {
        if (json.type() != Json::Type::Text)
        {
            wrongType(&path, kNoText);
        }
        return {true, json.text(), {}};
    }

    Value chainId(const Json &json, const FieldPath &path)
    {
        if (json.type() != Json::Type::Text && json.type() != Json::Type::Number)
        {
            note(Fault::NotJson, &path, kNoText);
        }
        return {true, json.text(), {}};
    }

    Value list(const Json &json, const FieldRule &rule, const FieldPath &path)
    {
        Value value;
        value.present = true;
        if (json.type() != Json::Type::List)
        {
            wrongType(&path, kWrongType);
            return value;
        }
        value.inside.reserve(json.items().size());
        for (std::size_t i = 0; i < json.items().size(); ++i)
        {
            const Json &item = json.items()[i];
            const FieldPath at{&path, {}, i};
            value.inside.push_back(rule.type == FieldType::TextList
                                       ? text(item, at)
                                       : object(item, *rule.members, &at));
        }
        return value;
    }

    const std::size_t findingsMax_;
    std::vector<Finding> findings_;
};

// Of a wrong type the details say what the reference says, and then which field it was; missing and
// unknown fields have there the bare name that the reference gives them.
std::vector<Detail> detailsOf(const std::vector<Finding> &findings)
{
    std::vector<Detail> details;
    std::set<std::string_view> missing;
    bool requestNamed = false;
    for (const Finding &finding : findings)
    {
        const bool bare = finding.fault == Fault::Missing || finding.fault == Fault::Unknown;
        if (bare)
        {
            if (finding.fault == Fault::Unknown || missing.insert(finding.name).second)
            {
                details.push_back({finding.name, std::string(finding.issue)});
            }
            continue;
        }
        if (!std::exchange(requestNamed, true))
        {
            details.push_back({std::string(kRequest), std::string(finding.issue)});
        }
        if (!finding.path.empty())
        {
            details.push_back({finding.path, std::string(finding.issue)});
        }
    }
    return details;
}

std::string pathsOf(const std::vector<Finding> &findings)
{
    std::string paths;
    for (const Finding &finding : findings)
    {
        paths += paths.empty() ? "" : ", ";
        paths += finding.path.empty() ? std::string(kRequest) : finding.path;
    }
    return paths;
}

// The first finding decides the label, as it is where the reference stops.
Problem problemOf(const std::vector<Finding> &findings)
{
    const Finding &first = findings.front();
    if (first.fault == Fault::NotJson)
    {
        return malformedJson(first.issue == kNoText
                                 ? first.path + " must be a string or an integer"
                                 : (first.path.empty() ? "the request" : first.path) +
                                       " is a list of the wrong length");
    }
    if (first.fault == Fault::Missing)
    {
        return {Label::MissingFields, "Missing required fields: " + pathsOf(findings),
                detailsOf(findings)};
    }
    return {Label::ValidationFailed, "Validation failed for: " + pathsOf(findings),
            detailsOf(findings)};
}
}  // namespace

ShapeRead readShape(const Json &root, const RequestTable &table, std::size_t problemsMax)
{
    ShapeRead read;
    ShapeReader reader(problemsMax);
    read.root = reader.object(root, table, kRootPath);
    const std::vector<Finding> findings = std::move(reader).take();
    if (!findings.empty())
    {
        read.problem = problemOf(findings);
    }
    return read;
}
}  // namespace relayer::wire
