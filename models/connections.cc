#include "models/connections.h"

#include <trantor/utils/Logger.h>

#include <utility>

namespace relayer::models
{
namespace
{
constexpr std::chrono::milliseconds kGently{3000};
// A statement that waits for a connection ends by its time-out; nothing waits longer than that.
constexpr std::chrono::seconds kAtMost{20};
// As often as all begin anew for a statement that timed out alone: there may be too many of them
// for the connections, and nothing wrong with any.
constexpr std::chrono::seconds kBetweenSuspicions{30};

// Whether everybody else has let go of it in time.
template <typename Shared>
bool isOurs(const Shared &shared, Connections::Clock::duration atMost)
{
    constexpr std::chrono::milliseconds kStep{5};
    std::mutex mutex;
    std::condition_variable never;
    std::unique_lock lock(mutex);
    const auto deadline = Connections::Clock::now() + atMost;
    while (shared.use_count() > 1 && Connections::Clock::now() < deadline)
    {
        never.wait_for(lock, kStep);
    }
    return shared.use_count() == 1;
}

// What somebody may still let go of on a database loop stays until the process ends.
template <typename Shared>
void keepForEver(Shared shared)
{
    LOG_WARN << "step=connections_kept: a statement never ended; its connection is closed";
    static auto *const kept = new std::vector<Shared>();
    kept->push_back(std::move(shared));
}

// Drogon starts the connections of a new client from its loops with a bare pointer to it, and
// nothing tells when they have been started; a client that is dropped before ends the process.
constexpr std::chrono::milliseconds kYouth{250};

// Closing the connections ends the statements on them; the coroutines that awaited those hold the
// client for a moment longer.
void retire(drogon::orm::DbClientPtr client, Connections::Clock::time_point born)
{
    std::mutex mutex;
    std::condition_variable never;
    std::unique_lock lock(mutex);
    while (Connections::Clock::now() < born + kYouth)
    {
        never.wait_until(lock, born + kYouth);
    }
    client->closeAll();
    if (!isOurs(client, kAtMost))
    {
        keepForEver(std::move(client));
    }
}
}  // namespace

Connections::Connections(Connect connect, Clock::duration statementTimeout,
                         std::shared_ptr<QueryTimes> times)
    : connect_(std::move(connect)),
      statementTimeout_(statementTimeout),
      times_(std::move(times)),
      client_(connect_(address_)),
      born_(Clock::now()),
      lastAvailable_(born_),
      retirer_([this] { retireUntilStopped(); })
{}

Connections::~Connections()
{
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    wake_.notify_all();
    retirer_.join();
    if (next_)
    {
        retire(std::exchange(next_, nullptr), nextBorn_);
    }
    retire(std::exchange(client_, nullptr), born_);
}

void Connections::letGo(std::shared_ptr<Connections> connections)
{
    if (isOurs(connections, kGently))
    {
        return;
    }
    connections->client()->closeAll();
    if (!isOurs(connections, kAtMost))
    {
        keepForEver(std::move(connections));
    }
}

drogon::orm::DbClientPtr Connections::client() const
{
    const std::lock_guard lock(mutex_);
    return client_;
}

void Connections::answered(const drogon::orm::DbClientPtr &by)
{
    const std::lock_guard lock(mutex_);
    if (by == client_)
    {
        lastAnswer_ = Clock::now();
    }
}

void Connections::timedOut(const drogon::orm::DbClientPtr &by, Clock::time_point sent)
{
    const std::lock_guard lock(mutex_);
    if (by != client_)
    {
        return;
    }
    if (lastAnswer_ <= sent)
    {
        LOG_WARN << "step=client_replaced: nothing was answered since a statement that timed out";
        replace();
        return;
    }
    const auto now = Clock::now();
    if (suspectAgainAt_ <= now)
    {
        suspectAgainAt_ = now + kBetweenSuspicions;
        connectAnew("one may hear nothing any more");
    }
}

void Connections::supervise(Clock::time_point now, Clock::duration patience)
{
    const std::lock_guard lock(mutex_);
    takeOver(now, patience);
    if (client_->hasAvailableConnections())
    {
        lastAvailable_ = now;
    }
    else if (now - lastAvailable_ > patience)
    {
        LOG_WARN << "step=client_replaced: there has been no connection for long";
        ++address_;
        replace();
        lastAvailable_ = now;
    }
}

void Connections::moveOn()
{
    const std::lock_guard lock(mutex_);
    LOG_WARN << "step=client_replaced: the database does not take writes here";
    ++address_;
    replace();
}

void Connections::beginAnew()
{
    const std::lock_guard lock(mutex_);
    connectAnew("some may not take writes");
}

void Connections::connectAnew(const char *why)
{
    if (!next_ && !stopping_)
    {
        LOG_WARN << "step=sessions_begun_anew: " << why;
        next_ = connect_(address_);
        nextBorn_ = Clock::now();
    }
}

void Connections::takeOver(Clock::time_point now, Clock::duration patience)
{
    if (!next_)
    {
        return;
    }
    if (next_->hasAvailableConnections())
    {
        retiring_.push_back({std::exchange(client_, std::exchange(next_, nullptr)), born_,
                             Ending::AfterItsStatements});
        born_ = nextBorn_;
        ++replaced_;
    }
    else if (now - nextBorn_ > patience)
    {
        retiring_.push_back({std::exchange(next_, nullptr), nextBorn_, Ending::AtOnce});
    }
    wake_.notify_all();
}

std::size_t Connections::address() const
{
    const std::lock_guard lock(mutex_);
    return address_;
}

void Connections::replace()
{
    if (stopping_)
    {
        return;
    }
    if (next_)
    {
        retiring_.push_back({std::exchange(next_, nullptr), nextBorn_, Ending::AtOnce});
    }
    retiring_.push_back({std::exchange(client_, connect_(address_)), born_, Ending::AtOnce});
    born_ = Clock::now();
    lastAvailable_ = born_;
    ++replaced_;
    wake_.notify_all();
}

std::size_t Connections::replaced() const
{
    const std::lock_guard lock(mutex_);
    return replaced_;
}

void Connections::retireUntilStopped()
{
    std::unique_lock lock(mutex_);
    for (;;)
    {
        wake_.wait(lock, [this] { return stopping_ || !retiring_.empty(); });
        if (retiring_.empty())
        {
            return;
        }
        auto batch = std::exchange(retiring_, {});
        lock.unlock();
        for (auto &[client, born, ending] : batch)
        {
            if (ending == Ending::AfterItsStatements)
            {
                static_cast<void>(isOurs(client, kGently));
            }
            retire(std::move(client), born);
        }
        lock.lock();
    }
}
}  // namespace relayer::models
