#include "support/json_text.h"

#include <json/reader.h>
#include <json/writer.h>

#include <memory>

namespace relayer::test
{
std::string jsonText(const Json::Value &value)
{
    Json::StreamWriterBuilder builder;
    builder["indentation"] = "";
    return Json::writeString(builder, value);
}

Json::Value jsonValue(const std::string &text)
{
    Json::Value value;
    const std::unique_ptr<Json::CharReader> reader(Json::CharReaderBuilder().newCharReader());
    return reader->parse(text.data(), text.data() + text.size(), &value, nullptr) ? value
                                                                                  : Json::Value();
}
}  // namespace relayer::test
