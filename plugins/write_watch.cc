#include "plugins/write_watch.h"

#include <trantor/utils/Logger.h>

#include <chrono>
#include <utility>

namespace relayer::plugins
{
namespace
{
// A statement that is refused for its own sake must not cost the pool again and again.
constexpr std::chrono::seconds kBetweenRenewals{5};
}  // namespace

WriteWatch::WriteWatch(std::shared_ptr<models::InstanceRegistry> instances,
                       models::ConnectionsPtr writer, std::vector<models::ConnectionsPtr> movable)
    : instances_(std::move(instances)), writer_(std::move(writer)), movable_(std::move(movable))
{}

void WriteWatch::look(const std::shared_ptr<WriteWatch> &watch, TimePoint now, bool beatRefused)
{
    const std::size_t refusals = watch->writer_->refusals();
    const bool moreRefused = std::exchange(watch->refusalsSeen_, refusals) != refusals;
    if (beatRefused)
    {
        ask(watch);
        return;
    }
    watch->looksWithRefusals_ = moreRefused ? watch->looksWithRefusals_ + 1 : 0;
    const bool again = watch->readOnly_.exchange(false);
    if (again)
    {
        LOG_WARN << "step=database_takes_writes_again";
    }
    else if (watch->looksWithRefusals_ == 1)
    {
        // Of a database that has just ceased to take writes, statements learn before heartbeats do.
        ask(watch);
        return;
    }
    const bool lasting =
        watch->looksWithRefusals_ > 1 && now - watch->renewedAt_ >= kBetweenRenewals;
    if (again || lasting)
    {
        watch->renewedAt_ = now;
        watch->looksWithRefusals_ = 0;
        watch->writer_->beginAnew();
    }
}

drogon::AsyncTask WriteWatch::ask(std::shared_ptr<WriteWatch> watch)
{
    try
    {
        const bool refuses = !co_await watch->instances_->canBeWritten();
        const bool before = refuses ? watch->readOnly_.exchange(true) : watch->readOnly_.load();
        if (refuses && !before)
        {
            LOG_ERROR << "step=database_read_only alert=true: nothing is taken in until it is not";
        }
        // One session that would write says nothing of the one that refused the heartbeat.
        if (refuses || before)
        {
            for (const models::ConnectionsPtr &connections : watch->movable_)
            {
                connections->moveOn();
            }
        }
    }
    catch (const std::exception &e)
    {
        LOG_DEBUG << "step=not_known_whether_read_only why=" << e.what();
    }
}
}  // namespace relayer::plugins
