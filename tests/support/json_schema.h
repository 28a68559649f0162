// Checks values against the JSON schemas of a document, as far as our document uses them: a keyword
// that is not known here is a problem, so that nothing is passed over in silence.
#pragma once

#include <json/json.h>

#include <string>
#include <string_view>
#include <vector>

namespace relayer::test
{
// Nothing when the text is not JSON, or something follows it.
[[nodiscard]] Json::Value parsedJson(std::string_view text);

class JsonSchemas
{
  public:
    // References lead into this document.
    explicit JsonSchemas(Json::Value document) : document_(std::move(document)) {}

    [[nodiscard]] const Json::Value &document() const { return document_; }
    // What a {"$ref": "#/..."} stands for; itself if it is none; null if it leads nowhere.
    [[nodiscard]] const Json::Value &resolved(const Json::Value &schema) const;

    // What is wrong with the value, each with its place; empty: it is right.
    [[nodiscard]] std::vector<std::string> problems(const Json::Value &schema,
                                                    const Json::Value &value) const;

  private:
    // What a path such as #/components/schemas/Error leads to.
    [[nodiscard]] const Json::Value *below(const std::string &path) const;

    Json::Value document_;
};

[[nodiscard]] bool matchesPattern(const std::string &text, const std::string &pattern);
}  // namespace relayer::test
