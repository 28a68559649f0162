#include "wire/docs_page.h"

#include "core/html.h"
#include "wire/json_writer.h"
#include "wire/strict_json.h"

#include <string>
#include <vector>

namespace relayer::wire
{
using core::escapedHtml;

namespace
{
// Paragraphs, and **what is important**.
std::string paragraphs(std::string_view text)
{
    std::string out = "<p>";
    bool strong = false;
    for (std::size_t at = 0; at < text.size(); ++at)
    {
        if (text.substr(at, 2) == "**")
        {
            out += strong ? "</strong>" : "<strong>";
            strong = !strong;
            ++at;
        }
        else if (text.substr(at, 2) == "\n\n")
        {
            out += "</p><p>";
            ++at;
        }
        else
        {
            out += escapedHtml(text.substr(at, 1));
        }
    }
    return out + "</p>";
}

const Json &at(const Json &json, std::string_view name)
{
    static const Json kNothing;
    const Json *found = json.type() == Json::Type::Object ? json.find(name) : nullptr;
    return found == nullptr ? kNothing : *found;
}

std::string_view textAt(const Json &json, std::string_view name)
{
    const Json &found = at(json, name);
    return found.type() == Json::Type::Null ? std::string_view() : found.text();
}

void writePretty(std::string &out, const Json &json, const std::string &indent)
{
    const bool list = json.type() == Json::Type::List;
    const bool empty = list ? json.items().empty() : json.members().empty();
    if ((!list && json.type() != Json::Type::Object) || empty)
    {
        out += json.type() == Json::Type::Text     ? jsonText(json.text())
               : list                              ? "[]"
               : json.type() == Json::Type::Object ? "{}"
                                                   : std::string(json.text());
        return;
    }
    const std::string deeper = indent + "  ";
    std::string_view separator = list ? "[\n" : "{\n";
    const auto begin = [&] {
        out.append(separator).append(deeper);
        separator = ",\n";
    };
    for (const Json &item : json.items())
    {
        begin();
        writePretty(out, item, deeper);
    }
    for (const JsonMember &member : json.members())
    {
        begin();
        out += jsonText(member.name) + ": ";
        writePretty(out, member.value, deeper);
    }
    out.append("\n").append(indent).append(list ? "]" : "}");
}

std::string preformatted(const std::string &text)
{
    return "<pre tabindex=\"0\"><code>" + escapedHtml(text) + "</code></pre>";
}

std::string pretty(const Json &json)
{
    std::string out;
    writePretty(out, json, "");
    return preformatted(out);
}

// JSON indented; a text as it is.
std::string shown(const Json &value)
{
    return value.type() == Json::Type::Text ? preformatted(std::string(value.text()))
                                            : pretty(value);
}

class Page
{
  public:
    explicit Page(const Json &document) : document_(document) {}

    std::string take() &&
    {
        const Json &info = at(document_, "info");
        const std::string title = escapedHtml(textAt(info, "title"));
        out_ = "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>" + title +
               "</title><meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">"
               "<style>" +
               std::string(docsStyle()) + "</style></head><body><div class=\"page\">";
        out_ += "<header><h1>" + title + "</h1><p class=\"version\">Version " +
                escapedHtml(textAt(info, "version")) +
                " · <a href=\"openapi.json\">openapi.json</a></p><div class=\"about\">" +
                paragraphs(textAt(info, "description")) + "</div></header>";
        navigation();
        out_ += "<main>";
        for (const Json &tag : at(document_, "tags").items())
        {
            section(textAt(tag, "name"));
        }
        errors();
        out_ += "</main></div></body></html>\n";
        return std::move(out_);
    }

  private:
    template <typename Visit>
    void eachOperation(std::string_view tag, const Visit &visit) const
    {
        for (const JsonMember &path : at(document_, "paths").members())
        {
            for (const JsonMember &method : path.value.members())
            {
                const auto tags = at(method.value, "tags").items();
                if (!tags.empty() && tags.front().text() == tag)
                {
                    visit(path.name, method.name, method.value);
                }
            }
        }
    }

    [[nodiscard]] const Json &resolved(const Json &json) const
    {
        const std::string_view path = textAt(json, "$ref");
        return path.starts_with("#/") ? below(path.substr(2)) : itself(json);
    }

    [[nodiscard]] const Json &below(std::string_view path) const
    {
        const Json *found = &document_;
        while (!path.empty())
        {
            const std::size_t end = std::min(path.find('/'), path.size());
            found = &at(*found, path.substr(0, end));
            path.remove_prefix(std::min(end + 1, path.size()));
        }
        return *found;
    }

    // A part of the document: it stays.
    static const Json &itself(const Json &part)
    {
        const Json *const stays = &part;
        return *stays;
    }

    static std::string badge(std::string_view method)
    {
        const std::string upper = method == "post" ? "POST" : "GET";
        return "<span class=\"method " + escapedHtml(method) + "\">" + upper + "</span>";
    }

    void navigation()
    {
        out_ += "<nav aria-label=\"Routes\">";
        for (const Json &tag : at(document_, "tags").items())
        {
            out_ += "<h2>" + escapedHtml(tag.find("name")->text()) + "</h2><ul>";
            eachOperation(
                textAt(tag, "name"),
                [this](const std::string &path, const std::string &method, const Json &operation) {
                    out_ += "<li><a href=\"#" + escapedHtml(textAt(operation, "operationId")) +
                            "\">" + badge(method) + "<span class=\"path\">" + escapedHtml(path) +
                            "</span></a></li>";
                });
            out_ += "</ul>";
        }
        out_ += "<h2>Errors</h2><ul><li><a href=\"#errors\">All labels</a></li></ul></nav>";
    }

    void section(std::string_view tag)
    {
        out_ += "<section><h2>" + escapedHtml(tag) + "</h2>";
        eachOperation(tag, [this](const std::string &path, const std::string &method,
                                  const Json &operation) { article(path, method, operation); });
        out_ += "</section>";
    }

    void article(const std::string &path, const std::string &method, const Json &operation)
    {
        out_ += "<article id=\"" + escapedHtml(textAt(operation, "operationId")) + "\"><h3>" +
                badge(method) + "<span class=\"path\">" + escapedHtml(path) + "</span></h3><p>" +
                escapedHtml(textAt(operation, "summary")) + ".</p>";
        if (const auto parameters = at(operation, "parameters").items(); !parameters.empty())
        {
            out_ += "<h4>Parameters</h4><ul class=\"fields\">";
            for (const Json &each : parameters)
            {
                parameter(resolved(each));
            }
            out_ += "</ul>";
        }
        if (const Json &body = at(operation, "requestBody"); body.type() == Json::Type::Object)
        {
            request(path, body);
        }
        out_ += "<h4>Answers</h4>";
        for (const JsonMember &answer : at(operation, "responses").members())
        {
            answered(answer.name, answer.value);
        }
        out_ += "</article>";
    }

    void field(const std::string &name, const std::string &kind, const std::string &what)
    {
        out_ += "<li><div><span class=\"name\">" + escapedHtml(name) +
                "</span><span class=\"kind\">" + escapedHtml(kind) +
                "</span></div><div class=\"what\">" + escapedHtml(what) + "</div></li>";
    }

    void parameter(const Json &each)
    {
        field(std::string(textAt(each, "name")),
              "in the " + std::string(textAt(each, "in")) +
                  (textAt(each, "required") == "true" ? "" : ", optional"),
              std::string(textAt(each, "description")));
    }

    void request(const std::string &path, const Json &body)
    {
        const Json &content = at(at(body, "content"), "application/json");
        out_ += "<h4>Body</h4><ul class=\"fields\">";
        fields(at(content, "schema"), "");
        out_ += "</ul><h4>Example</h4>";
        for (const JsonMember &example : at(content, "examples").members())
        {
            std::string text;
            writePretty(text, at(example.value, "value"), "");
            out_ += "<pre tabindex=\"0\"><code>curl -i \"$RELAYER" + escapedHtml(path) + "\" -d '" +
                    escapedHtml(text) + "'</code></pre>";
        }
        out_ += "<p class=\"headers\">" + escapedHtml(textAt(body, "description")) + "</p>";
    }

    // Each field with its path, those of objects within objects too.
    void fields(const Json &schema, const std::string &before)
    {
        for (const JsonMember &member : at(resolved(schema), "properties").members())
        {
            const Json &all = at(member.value, "allOf");
            const Json &own = all.items().empty() ? member.value : resolved(all.items().front());
            const Json &items = resolved(at(own, "items"));
            const std::string name = before + member.name;
            field(name, kindOf(own, items), std::string(textAt(member.value, "description")));
            if (at(own, "properties").type() == Json::Type::Object)
            {
                fields(own, name + ".");
            }
            if (at(items, "properties").type() == Json::Type::Object)
            {
                fields(items, name + "[].");
            }
        }
    }

    static std::string kindOf(const Json &schema, const Json &items)
    {
        const std::string_view type = textAt(schema, "type");
        if (type == "array")
        {
            const std::string most(textAt(schema, "maxItems"));
            return "list of " + std::string(textAt(items, "type")) + "s, " +
                   std::string(textAt(schema, "minItems")) + " to " + most;
        }
        return type.empty() ? "string or integer" : std::string(type);
    }

    void answered(const std::string &status, const Json &answer)
    {
        out_ += "<details class=\"answer\"" + std::string(status == "202" ? " open" : "") +
                "><summary><span class=\"status s" + escapedHtml(status.substr(0, 1)) + "\">" +
                escapedHtml(status) + "</span>" + escapedHtml(textAt(answer, "description")) +
                "</summary>";
        std::string headers;
        for (const JsonMember &header : at(answer, "headers").members())
        {
            headers += (headers.empty() ? "" : ", ") + header.name;
        }
        if (!headers.empty())
        {
            out_ += "<p class=\"headers\">Headers: " + escapedHtml(headers) + "</p>";
        }
        for (const JsonMember &content : at(answer, "content").members())
        {
            const auto samples = at(content.value, "examples").members();
            for (const JsonMember &example : samples)
            {
                sample(example, samples.size() == 1);
            }
        }
        out_ += "</details>";
    }

    // The only one of its status needs no second click.
    void sample(const JsonMember &example, bool open)
    {
        out_ += "<details class=\"sample\"" + std::string(open ? " open" : "") +
                "><summary><code>" + escapedHtml(example.name) + "</code> " +
                escapedHtml(textAt(example.value, "summary")) + "</summary>" +
                shown(at(example.value, "value")) + "</details>";
    }

    void errors()
    {
        out_ +=
            "<section id=\"errors\"><h2>Errors</h2><article><table><tr><th>Label</th>"
            "<th>Status</th>"
            "<th>Names fields</th><th>Worth a retry</th></tr>";
        const auto yes = [](const Json &error, std::string_view name) {
            return std::string(textAt(error, name) == "true" ? "yes" : "");
        };
        for (const Json &error : at(document_, "x-errors").items())
        {
            out_ += "<tr><td><code>" + escapedHtml(textAt(error, "label")) + "</code></td><td>" +
                    escapedHtml(textAt(error, "status")) + "</td><td>" + yes(error, "details") +
                    "</td><td>" + yes(error, "retryable") + "</td></tr>";
        }
        out_ += "</table></article></section>";
    }

    const Json &document_;
    std::string out_;
};
}  // namespace

std::string docsPage(std::string_view document)
{
    const JsonDocument read = readJson(document);
    return read.root ? Page(*read.root).take() : std::string();
}
}  // namespace relayer::wire
