#include "core/check_line.h"

#include <algorithm>

namespace relayer::core
{
namespace
{
void moveFront(std::deque<CheckLine::Id> &from, std::size_t count, std::vector<CheckLine::Id> &to)
{
    const auto end = from.begin() + static_cast<std::ptrdiff_t>(count);
    to.insert(to.end(), from.begin(), end);
    from.erase(from.begin(), end);
}
}  // namespace

void CheckLine::landed(const CheckTarget &target, std::size_t count)
{
    inTheAir_ -= count;
    targets_[target].inTheAir -= count;
}

std::size_t CheckLine::due() const
{
    std::size_t sum = 0;
    for (const auto &[name, target] : targets_)
    {
        sum += target.fresh.size() + target.again.size();
    }
    return sum;
}

std::size_t CheckLine::fresh() const
{
    std::size_t sum = 0;
    for (const auto &[name, target] : targets_)
    {
        sum += target.fresh.size();
    }
    return sum;
}

void CheckLine::forget()
{
    for (auto &[name, target] : targets_)
    {
        target.fresh.clear();
        target.again.clear();
    }
}

// Zero: not now.
std::size_t CheckLine::batchSize(const Target &target, std::size_t largest) const
{
    const std::size_t due = target.fresh.size() + target.again.size();
    const std::size_t full = std::min(largest, mostOfOne());
    const std::size_t wanted = std::min(due, full);
    if (wanted < full && target.inTheAir > 0)
    {
        return 0;
    }
    const std::size_t room = std::min(mostInTheAir_ - std::min(mostInTheAir_, inTheAir_),
                                      mostOfOne() - std::min(mostOfOne(), target.inTheAir));
    return room >= wanted ? wanted : 0;
}

CheckLine::Batch CheckLine::take(const CheckTarget &name, Target &target, std::size_t count)
{
    const std::size_t half = (count + 1) / 2;
    const std::size_t fresh =
        std::min(target.fresh.size(), std::max(half, count - std::min(count, target.again.size())));
    Batch batch{name, {}};
    batch.ids.reserve(count);
    moveFront(target.fresh, fresh, batch.ids);
    moveFront(target.again, count - fresh, batch.ids);
    target.inTheAir += count;
    inTheAir_ += count;
    return batch;
}
}  // namespace relayer::core
