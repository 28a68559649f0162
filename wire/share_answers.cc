#include "wire/share_answers.h"

#include "wire/json_writer.h"

#include <utility>

namespace relayer::wire
{
std::string shareStatus(std::string_view status)
{
    JsonWriter json;
    json.beginObject().key("status").text(status).endObject();
    return std::move(json).take();
}

std::string shareError(std::string_view text)
{
    JsonWriter json;
    json.beginObject().key("status").text("error").key("error").text(text).endObject();
    return std::move(json).take();
}

std::string helperStatus(const std::optional<TreeNumbers> &tree)
{
    JsonWriter json;
    json.beginObject().key("status").text("ok");
    if (tree)
    {
        json.key("tree").beginObject();
        json.key("leaf_count").number(static_cast<std::int64_t>(tree->leafCount));
        json.key("anchor_height").number(static_cast<std::int64_t>(tree->anchorHeight));
        json.endObject();
    }
    json.endObject();
    return std::move(json).take();
}

std::string queueStatus(const std::vector<RoundQueue> &rounds)
{
    JsonWriter json;
    json.beginObject();
    for (const RoundQueue &round : rounds)
    {
        json.key(core::toHex(round.round)).beginObject();
        json.key("total").number(round.pending + round.submitted + round.failed);
        json.key("pending").number(round.pending);
        json.key("submitted").number(round.submitted);
        json.key("failed").number(round.failed).endObject();
    }
    json.endObject();
    return std::move(json).take();
}
}  // namespace relayer::wire
