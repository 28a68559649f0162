#include "plugins/fail_point.h"

#include <atomic>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <string>

namespace relayer::plugins
{
namespace
{
struct Wanted
{
    std::string place;
    int times = 1;
};

Wanted wantedFailure()
{
    // NOLINTNEXTLINE(concurrency-mt-unsafe): nothing in this program changes the environment
    const char *const variable = std::getenv("RELAYER_FAIL_POINT");
    if (variable == nullptr)
    {
        return {};
    }
    Wanted wanted{variable, 1};
    const std::size_t colon = wanted.place.find(':');
    if (colon != std::string::npos)
    {
        const std::string times = wanted.place.substr(colon + 1);
        std::from_chars(times.data(), times.data() + times.size(), wanted.times);
        wanted.place.resize(colon);
    }
    return wanted;
}
}  // namespace

void failPoint(std::string_view place)
{
    static const Wanted wanted = wantedFailure();
    if (wanted.place.empty() || wanted.place != place)
    {
        return;
    }
    static std::atomic<int> passed{0};
    if (++passed == wanted.times)
    {
        // Nothing is flushed, nobody is told: that is the point.
        static_cast<void>(std::raise(SIGKILL));
    }
}
}  // namespace relayer::plugins
