#include "core/request_trail.h"

#include "core/payload_codec.h"

namespace relayer::core
{
std::vector<TrailStep> readTrail(ByteView trail)
{
    std::vector<TrailStep> steps;
    PayloadReader reader(trail);
    for (std::size_t left = trail.size(); left >= kTrailStepBytes; left -= kTrailStepBytes)
    {
        const std::uint64_t number = reader.bigEndian(1);
        if (number >= kTransitions)
        {
            break;
        }
        steps.push_back(
            {static_cast<Transition>(number),
             std::chrono::microseconds(static_cast<std::int64_t>(reader.bigEndian(8)))});
    }
    return steps;
}
}  // namespace relayer::core
