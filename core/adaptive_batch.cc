#include "core/adaptive_batch.h"

#include <algorithm>

namespace relayer::core
{
namespace
{
constexpr int kBeforeItGrows = 8;
}

AdaptiveBatch::AdaptiveBatch(std::size_t usual, std::size_t least)
    : usual_(std::max<std::size_t>(usual, 1)),
      least_(std::clamp<std::size_t>(least, 1, usual_)),
      rows_(usual_)
{}

void AdaptiveBatch::tookTooLong()
{
    rows_ = std::max(least_, rows_ / 2);
    inARow_ = 0;
}

void AdaptiveBatch::went()
{
    if (++inARow_ < kBeforeItGrows)
    {
        return;
    }
    inARow_ = 0;
    rows_ = std::min(usual_, rows_ * 2);
}
}  // namespace relayer::core
