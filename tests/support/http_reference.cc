#include "support/http_reference.h"

#include <algorithm>
#include <cctype>
#include <deque>
#include <set>
#include <sstream>

namespace relayer::test
{
namespace
{
std::string pretty(const Json::Value &value)
{
    Json::StreamWriterBuilder builder;
    builder["indentation"] = "  ";
    builder["enableYAMLCompatibility"] = true;  // no blank before a colon
    // It leaves a blank and a line's end between a name and what is in braces.
    static const std::string kApart = ": \n";
    std::string text = Json::writeString(builder, value);
    for (std::size_t at = 0; (at = text.find(kApart, at)) != std::string::npos; at += 2)
    {
        text.erase(at + 2, text.find_first_not_of(' ', at + kApart.size()) - at - 2);
    }
    return text;
}

std::string inCase(std::string text, int (*change)(int))
{
    std::ranges::transform(text, text.begin(), [change](char c) {
        return static_cast<char>(change(static_cast<unsigned char>(c)));
    });
    return text;
}

// In a cell a line can not end and a bar ends the cell.
std::string inCell(std::string text)
{
    for (std::size_t at = 0; (at = text.find_first_of("|\n", at)) != std::string::npos; at += 2)
    {
        text.replace(at, 1, text[at] == '|' ? "\\|" : "  ");
    }
    return text;
}

std::string nameOfReference(const Json::Value &schema)
{
    const std::string path = schema["$ref"].asString();
    return path.substr(path.rfind('/') + 1);
}

std::string typeOf(const Json::Value &schema)
{
    if (schema.isMember("$ref"))
    {
        const std::string name = nameOfReference(schema);
        return "[" + name + "](#" + inCase(name, std::tolower) + ")";
    }
    if (schema["type"] == "array")
    {
        return "list of " + typeOf(schema["items"]);
    }
    if (schema["type"].isString())
    {
        return schema["type"].asString();
    }
    for (const char *const of : {"allOf", "oneOf", "anyOf"})
    {
        std::string types;
        for (const Json::Value &one : schema[of])
        {
            const std::string type = typeOf(one);
            types += (types.empty() || type.empty() ? "" : " or ") + type;
        }
        if (!types.empty())
        {
            return types;
        }
    }
    return "";
}

class Writer
{
  public:
    explicit Writer(const JsonSchemas &api) : api_(api) {}

    std::string write()
    {
        const Json::Value &document = api_.document();
        text_
            << "# HTTP\n\nGenerated from the OpenAPI document, which a server has at "
               "`/openapi.json` and, for browsers, at `/docs`;\nwrite it anew with "
               "`RELAYER_UPDATE_DOCS=1 ./test HttpReference`. It is that of a server that takes "
               "shares\nof votes; others have no routes below /shielded-vote. Routes that are not "
               "for clients stand elsewhere: those\nof operators in "
               "[operations.md](operations.md#who-may-administer) and [console.md](console.md), "
               "those beside a vote in\n[shares.md](shares.md#beside-a-vote).\n\n"
            << document["info"]["description"].asString() << "\n";
        for (const Json::Value &tag : document["tags"])
        {
            writeTag(tag["name"].asString());
        }
        writeObjects();
        writeLabels();
        return text_.str();
    }

  private:
    void writeTag(const std::string &tag)
    {
        text_ << "\n## " << tag << "\n";
        const Json::Value &paths = api_.document()["paths"];
        for (const std::string &path : paths.getMemberNames())
        {
            for (const std::string &method : paths[path].getMemberNames())
            {
                const Json::Value &operation = paths[path][method];
                if (operation["tags"][0] == tag)
                {
                    writeOperation(method, path, operation);
                }
            }
        }
    }

    void writeOperation(const std::string &method, const std::string &path,
                        const Json::Value &operation)
    {
        text_ << "\n### " << inCase(method, std::toupper) << " " << path << "\n\n"
              << operation["summary"].asString();
        if (operation.isMember("description"))
        {
            text_ << ". " << operation["description"].asString();
        }
        text_ << "\n";
        writeParameters(operation["parameters"]);
        const Json::Value &body = operation["requestBody"]["content"]["application/json"];
        if (!body.isNull())
        {
            text_ << "\nThe body, " << typeOf(body["schema"]) << ":\n";
            wanted_.push_back(nameOfReference(body["schema"]));
            for (const Json::Value &example : body["examples"])
            {
                text_ << "\n```json\n" << pretty(example["value"]) << "\n```\n";
                break;
            }
        }
        writeAnswers(operation["responses"]);
    }

    void writeParameters(const Json::Value &parameters)
    {
        if (parameters.empty())
        {
            return;
        }
        text_ << "\n| parameter | where | what |\n|---|---|---|\n";
        for (const Json::Value &reference : parameters)
        {
            const Json::Value &parameter = api_.resolved(reference);
            text_ << "| `" << parameter["name"].asString() << "` | " << parameter["in"].asString()
                  << " | " << inCell(parameter["description"].asString()) << " |\n";
        }
    }

    void writeAnswers(const Json::Value &answers)
    {
        text_ << "\n| answer | when | labels |\n|---|---|---|\n";
        for (const std::string &status : answers.getMemberNames())
        {
            const Json::Value &answer = api_.resolved(answers[status]);
            std::set<std::string> labels;
            collectLabels(answer["content"]["application/json"]["examples"], labels);
            text_ << "| " << status << " | " << inCell(answer["description"].asString()) << " | ";
            std::string joined;
            for (const std::string &label : labels)
            {
                joined += (joined.empty() ? "`" : ", `") + label + "`";
            }
            text_ << joined << " |\n";
        }
    }

    static void collectLabels(const Json::Value &examples, std::set<std::string> &labels)
    {
        for (const Json::Value &example : examples)
        {
            // Errors about shares are a text alone.
            const Json::Value &error = example["value"]["error"];
            if (error.isObject() && error["label"].isString())
            {
                labels.insert(error["label"].asString());
            }
        }
    }

    // What bodies are made of, and what that is made of.
    void writeObjects()
    {
        text_ << "\n## Objects\n";
        std::set<std::string> written;
        for (; !wanted_.empty(); wanted_.pop_front())
        {
            const std::string name = wanted_.front();
            if (!written.insert(name).second)
            {
                continue;
            }
            const Json::Value &schema = api_.document()["components"]["schemas"][name];
            text_ << "\n### " << name << "\n\n" << schema["description"].asString() << "\n\n";
            text_ << "| member | type | what |\n|---|---|---|\n";
            const Json::Value &required = schema["required"];
            for (const std::string &member : schema["properties"].getMemberNames())
            {
                const Json::Value &property = schema["properties"][member];
                const bool must =
                    std::find(required.begin(), required.end(), member) != required.end();
                text_ << "| `" << member << "`" << (must ? "" : " (may be left out)") << " | "
                      << inCell(typeOf(property)) << " | "
                      << inCell(property["description"].asString()) << " |\n";
                collectReferences(property);
            }
        }
    }

    void collectReferences(const Json::Value &value)
    {
        if (value.isObject() && value.isMember("$ref"))
        {
            wanted_.push_back(nameOfReference(value));
        }
        if (value.isObject() || value.isArray())
        {
            for (const Json::Value &inside : value)
            {
                collectReferences(inside);
            }
        }
    }

    void writeLabels()
    {
        text_
            << "\n## Labels\n\nWhat stands in `error.label`, for programs. Who may come again with "
               "the same request finds \"yes\".\n\n| label | status | names fields | again |\n"
               "|---|---|---|---|\n";
        for (const Json::Value &error : api_.document()["x-errors"])
        {
            text_ << "| `" << error["label"].asString() << "` | " << error["status"].asInt()
                  << " | " << (error["details"].asBool() ? "yes" : "") << " | "
                  << (error["retryable"].asBool() ? "yes" : "") << " |\n";
        }
    }

    const JsonSchemas &api_;
    std::ostringstream text_;
    std::deque<std::string> wanted_;
};
}  // namespace

std::string httpReference(const JsonSchemas &api)
{
    return Writer(api).write();
}
}  // namespace relayer::test
