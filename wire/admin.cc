#include "wire/admin.h"

#include "wire/json_writer.h"
#include "wire/request_id.h"

#include <utility>

namespace relayer::wire
{
std::string adminError(std::string_view message)
{
    JsonWriter json;
    json.beginObject().key("error").text(message).endObject();
    return std::move(json).take();
}

bool isSaneAdminName(std::string_view name)
{
    constexpr std::size_t kLongest = 64;
    return name.size() <= kLongest && isSaneRequestId(name);
}

std::string adminWelcome(std::string_view actor, bool tokenNeeded)
{
    JsonWriter json;
    json.beginObject().key("actor").text(actor);
    json.key("token_needed").boolean(tokenNeeded).endObject();
    return std::move(json).take();
}
}  // namespace relayer::wire
