#include "plugins/drain_run.h"

namespace relayer::plugins
{
bool DrainRun::tick(TimePoint now)
{
    while (at_ < steps_.size())
    {
        const Step &step = steps_[at_];
        if (!begun_)
        {
            begun_ = true;
            for (const Stage &stage : step.stages)
            {
                if (stage.begin)
                {
                    stage.begin();
                }
            }
        }
        const std::vector<Left> here = left();
        const bool done = here.empty() && now >= step.notBefore;
        if (!done && now < step.until)
        {
            return false;
        }
        leftBehind_.insert(leftBehind_.end(), here.begin(), here.end());
        begun_ = false;
        ++at_;
    }
    return true;
}

std::vector<DrainRun::Left> DrainRun::left() const
{
    std::vector<Left> all;
    if (at_ < steps_.size() && begun_)
    {
        for (const Stage &stage : steps_[at_].stages)
        {
            if (const std::size_t count = stage.left(); count > 0)
            {
                all.push_back({stage.name, count});
            }
        }
    }
    return all;
}

std::string textOf(const std::vector<DrainRun::Left> &left)
{
    std::string text;
    for (const DrainRun::Left &each : left)
    {
        text +=
            (text.empty() ? "" : " ") + std::string(each.stage) + "=" + std::to_string(each.count);
    }
    return text.empty() ? "nothing" : text;
}
}  // namespace relayer::plugins
