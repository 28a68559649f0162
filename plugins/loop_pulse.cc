#include "plugins/loop_pulse.h"

#include <drogon/HttpAppFramework.h>
#include <trantor/net/EventLoop.h>

namespace relayer::plugins
{
void LoopPulse::eachOfTheProgram(const OwnLoop::Visit &visit)
{
    visit("main", drogon::app().getLoop());
    for (std::size_t i = 0; i < drogon::app().getThreadNum(); ++i)
    {
        visit("http " + std::to_string(i), drogon::app().getIOLoop(i));
    }
    OwnLoop::each(visit);
}

std::vector<std::string> LoopPulse::silent()
{
    std::vector<std::string> names;
    for (const Asked &each : asked_)
    {
        if (!*each.answered)
        {
            names.push_back(each.name);
        }
    }
    asked_.clear();
    loops_([this](const std::string &name, trantor::EventLoop *loop) {
        const auto answered = std::make_shared<std::atomic<bool>>(false);
        asked_.push_back({name, answered});
        loop->queueInLoop([answered] { *answered = true; });
    });
    return names;
}
}  // namespace relayer::plugins
