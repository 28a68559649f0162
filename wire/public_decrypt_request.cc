#include "wire/decrypt_fields.h"
#include "wire/decrypt_requests.h"
#include "wire/request_tables.h"

#include <array>

namespace relayer::wire
{
namespace
{
enum Field : std::size_t
{
    Handles,
    ExtraData,
};

// The reference asks for no length of handles: it fills up short ones, and answers 500 to long
// ones.
constexpr std::array<FieldRule, 2> kFields = {{
    {.name = "ciphertextHandles",
     .type = FieldType::TextList,
     .rules = {&rules::kHandle},
     .description = "What is to be decrypted; the answer has the values in this order",
     .example = kExampleHandle,
     .atLeast = 1,
     .limit = ListLimit::Handles},
    kExtraDataField,
}};
}  // namespace

constinit const RequestTable kPublicDecryptTable = {
    .name = "PublicDecryptRequest",
    .description = "Ciphertexts that everybody may see in clear",
    .fields = kFields,
};

PublicDecryptRead readPublicDecrypt(std::string_view body, const RequestLimits &limits)
{
    const BodyRead read = readBody(body, kPublicDecryptTable, limits, 0);
    if (read.problem)
    {
        return *read.problem;
    }
    const std::vector<Value> &values = read.root.inside;
    core::PublicDecrypt request;
    request.handles.reserve(values[Handles].inside.size());
    for (const Value &handle : values[Handles].inside)
    {
        request.handles.push_back(parseHandle(handle.text).value());
    }
    request.extraData = parsePrefixedHex(values[ExtraData].text).value();
    return request;
}
}  // namespace relayer::wire
