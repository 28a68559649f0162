#include "plugins/store_leftovers.h"

#include <drogon/HttpAppFramework.h>
#include <trantor/utils/Logger.h>

#include <utility>

namespace relayer::plugins
{
namespace
{
constexpr std::chrono::milliseconds kTryAgain{1000};

drogon::AsyncTask freeLeftovers(std::shared_ptr<models::SweepStore> sweeps,
                                models::Claimer predecessor)
{
    try
    {
        const std::size_t rows = co_await sweeps->freeAllAbandoned(predecessor, kRowsPerHandOver);
        if (rows > 0)
        {
            LOG_WARN << "step=leftovers_freed from_epoch=" << predecessor << " requests=" << rows;
        }
    }
    catch (const std::exception &e)
    {
        LOG_DEBUG << "step=leftovers_not_freed why=" << e.what();
        freeLeftoversAfter(kTryAgain, sweeps, predecessor);
    }
}
}  // namespace

void freeLeftoversAfter(std::chrono::milliseconds wait, std::weak_ptr<models::SweepStore> sweeps,
                        models::Claimer predecessor)
{
    drogon::app().getLoop()->runAfter(std::chrono::duration<double>(wait).count(),
                                      [sweeps = std::move(sweeps), predecessor] {
                                          if (auto alive = sweeps.lock())
                                          {
                                              freeLeftovers(std::move(alive), predecessor);
                                          }
                                      });
}
}  // namespace relayer::plugins
