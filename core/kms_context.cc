#include "core/kms_context.h"

#include "core/payload_codec.h"

namespace relayer::core
{
std::optional<KmsContext> kmsContextOf(ByteView extraData)
{
    constexpr std::size_t kWithContext = 1 + 32;
    constexpr std::size_t kWithEpoch = kWithContext + 32;
    KmsContext context;
    if (extraData.empty() || extraData[0] == 0)
    {
        return context;
    }
    const auto version = extraData[0];
    if (version > 2 || extraData.size() < (version == 1 ? kWithContext : kWithEpoch))
    {
        return std::nullopt;
    }
    PayloadReader reader(extraData.subspan(1));
    context.id = reader.hash();
    if (version == 2)
    {
        context.epoch = reader.hash();
    }
    return context;
}
}  // namespace relayer::core
