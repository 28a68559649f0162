#include "support/api_document.h"

#include <algorithm>
#include <stdexcept>

namespace relayer::test
{
namespace
{
std::string lower(std::string text)
{
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
}

// A header as its schema sees it.
Json::Value headerValue(const std::string &text, const Json::Value &schema)
{
    const bool digits =
        !text.empty() && text.size() < 10 &&
        std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
    return schema["type"] == "integer" && digits ? Json::Value(std::stoi(text)) : Json::Value(text);
}
}  // namespace

std::string Operation::pathTo(const std::string &jobId) const
{
    const std::string place = "{job_id}";
    const std::size_t at = path.find(place);
    return at == std::string::npos ? path
                                   : path.substr(0, at) + jobId + path.substr(at + place.size());
}

ApiDocument::ApiDocument(const std::string &text) : schemas_(parsedJson(text))
{
    const Json::Value &paths = schemas_.document()["paths"];
    for (const std::string &path : paths.getMemberNames())
    {
        for (const std::string &method : paths[path].getMemberNames())
        {
            operations_.push_back({method == "post" ? "POST" : "GET", path, &paths[path][method]});
        }
    }
}

const Operation &ApiDocument::operation(const std::string &id) const
{
    const auto found = std::find_if(operations_.begin(), operations_.end(),
                                    [&id](const Operation &each) { return each.id() == id; });
    if (found == operations_.end())
    {
        throw std::logic_error("no operation " + id);
    }
    return *found;
}

std::vector<std::string> ApiDocument::problems(const Operation &operation,
                                               const HttpReply &reply) const
{
    const Json::Value &answer = operation.answer(reply.status);
    if (!answer.isObject())
    {
        return {"status " + std::to_string(reply.status) + " is not documented"};
    }
    std::vector<std::string> wrong;
    const std::string type = reply.header("content-type");
    const std::string plain = type.substr(0, type.find(';'));
    const Json::Value &content = answer["content"][plain];
    if (!content.isObject() && (answer.isMember("content") || !reply.body.empty()))
    {
        return {"content type " + type + " is not documented"};
    }
    if (plain == "application/json")
    {
        wrong = schemas_.problems(content["schema"], reply.json());
    }
    const Json::Value &headers = answer["headers"];
    for (const std::string &name : headers.getMemberNames())
    {
        const Json::Value &header = schemas_.resolved(headers[name]);
        const std::string value = reply.header(lower(name));
        if (value.empty() && header["required"].asBool())
        {
            wrong.emplace_back("header " + name + " is missing");
        }
        else if (!value.empty())
        {
            for (const std::string &problem :
                 schemas_.problems(header["schema"], headerValue(value, header["schema"])))
            {
                wrong.push_back("header " + name + problem);
            }
        }
    }
    if (!reply.header("retry-after").empty() && !headers.isMember("Retry-After"))
    {
        wrong.emplace_back("Retry-After is not documented");
    }
    return wrong;
}
}  // namespace relayer::test
