#include "plugins/store.h"

#include "plugins/database_connection.h"
#include "plugins/own_loop.h"
#include "plugins/part.h"
#include "plugins/settings.h"
#include "plugins/store_leftovers.h"
#include "wire/build_info.h"

#include <drogon/HttpAppFramework.h>
#include <trantor/utils/Logger.h>

#include <condition_variable>
#include <mutex>
#include <utility>

namespace relayer::plugins
{
using models::MigrationReport;
using models::StoreError;
using std::chrono::milliseconds;

namespace
{
constexpr milliseconds kRetryConnecting{1000};
// In place of an epoch, while another process is this instance: enrolling again would throw it out
// in turn. Once it is silent for its lease, the name is nobody's.
constexpr models::Claimer kReplaced = -1;
constexpr std::chrono::minutes kSayAgain{1};
// In place of an epoch, once we have begun to hand over what is ours.
constexpr models::Claimer kLeft = -2;
constexpr milliseconds kLookForConnections{2};

models::ConnectionSettings checked(models::ConnectionSettings connection)
{
    if (!models::connectionString(connection))
    {
        throw SchemaError("database.url is neither a libpq URI nor a keyword string");
    }
    return connection;
}

models::GroupLimits limitsFrom(const config::BatchSettings &settings)
{
    models::GroupLimits limits;
    limits.maxBatchRows = settings.maxBatchRows;
    limits.maxBatchBytes = settings.maxBatchBytes;
    limits.maxWaiting = settings.maxWaiting;
    limits.inFlight = settings.inFlight;
    return limits;
}

models::GroupLimits limitsFrom(const config::PollSettings &settings)
{
    models::GroupLimits limits;
    limits.maxBatchRows = settings.maxBatchRows;
    limits.maxWaiting = settings.maxWaiting;
    limits.inFlight = settings.inFlight;
    return limits;
}

models::ConnectionsPtr connectionsTo(const std::vector<std::string> &addresses, std::size_t count,
                                     const config::DatabaseSettings &settings,
                                     std::shared_ptr<models::QueryTimes> times)
{
    const auto connect = [addresses, count, timeout = settings.clientTimeout](std::size_t address) {
        auto client =
            drogon::orm::DbClient::newPgClient(addresses[address % addresses.size()], count);
        // A statement that PostgreSQL does not answer would otherwise never end.
        client->setTimeout(std::chrono::duration<double>(timeout).count());
        return client;
    };
    return std::make_shared<models::Connections>(connect, settings.statementTimeout,
                                                 std::move(times));
}

bool isRefusal(const std::exception &error)
{
    const auto *ofStore = dynamic_cast<const StoreError *>(&error);
    return ofStore != nullptr && ofStore->code() == StoreError::Code::Refused;
}

drogon::AsyncTask enrol(std::shared_ptr<models::InstanceRegistry> instances,
                        std::weak_ptr<models::SweepStore> sweeps, config::InstanceSettings instance,
                        Store::Recovery recovery, std::atomic<models::Claimer> *enrolled,
                        std::atomic<bool> *recovering, std::atomic<models::Claimer> *epoch,
                        std::atomic<bool> *beating, std::atomic<bool> *refused)
{
    try
    {
        const auto last = co_await instances->lastEpochOf(instance.name);
        if (recovery && last)
        {
            // In pages, while the database still knows that epoch: what one statement took over all
            // at once could be more than fits into its time. Who dies in between begins again.
            co_await recovery(*last, StartStage::BeforeEnrolment);
        }
        const auto enrolment = co_await instances->enrol(instance.name, wire::buildInfo().version);
        recovering->store(true);
        enrolled->store(enrolment.epoch);
        if (enrolment.previous)
        {
            freeLeftoversAfter(instance.lease, std::move(sweeps), *enrolment.previous);
        }
        if (recovery)
        {
            co_await recovery(enrolment.epoch, StartStage::Enrolled);
        }
        models::Claimer none = 0;
        epoch->compare_exchange_strong(none, enrolment.epoch);
        refused->store(false);
        LOG_INFO << "step=enrolled epoch=" << enrolment.epoch
                 << " taken_back=" << enrolment.takenBack;
    }
    catch (const std::exception &e)
    {
        LOG_WARN << "step=enrol_failed why=" << e.what() << "; the next heartbeat tries again";
        refused->store(isRefusal(e));
    }
    recovering->store(false);
    beating->store(false);
}

drogon::AsyncTask tellThePlanner(std::shared_ptr<models::PlannerStatistics> statistics,
                                 std::atomic<bool> *refreshing)
{
    try
    {
        for (const std::string &table : co_await statistics->refresh())
        {
            LOG_DEBUG << "step=analyzed table=" << table;
        }
    }
    catch (const std::exception &e)
    {
        LOG_DEBUG << "step=not_analyzed why=" << e.what();
    }
    refreshing->store(false);
}

drogon::AsyncTask renew(std::shared_ptr<models::InstanceRegistry> instances,
                        std::atomic<models::Claimer> *epoch, std::atomic<bool> *beating,
                        std::atomic<bool> *refused, std::atomic<bool> *alone)
{
    try
    {
        const models::Claimer mine = epoch->load();
        const auto beat = co_await instances->beat(mine);
        alone->store(beat.others == 0);
        refused->store(false);
        if (!beat.enrolled)
        {
            LOG_ERROR << "step=instance_replaced alert=true: another process has enrolled under "
                         "our instance.name; give each instance a name of its own. Nothing is "
                         "worked on here until it is silent";
            models::Claimer ours = mine;
            epoch->compare_exchange_strong(ours, kReplaced);
        }
    }
    catch (const std::exception &e)
    {
        LOG_WARN << "step=heartbeat_failed why=" << e.what();
        refused->store(isRefusal(e));
    }
    beating->store(false);
}

// A start that hung may have enrolled late, and died: then we are this instance again. If it lives,
// it works in our place, and somebody has to be told.
drogon::AsyncTask lookWhetherStillReplaced(std::shared_ptr<models::InstanceRegistry> instances,
                                           std::string name, milliseconds lease, bool sayIt,
                                           std::atomic<models::Claimer> *epoch,
                                           std::atomic<bool> *beating)
{
    try
    {
        if (co_await instances->isSilent(std::move(name), lease))
        {
            LOG_WARN << "step=instance_name_free: who replaced us is silent; enrolling anew";
            models::Claimer replaced = kReplaced;
            epoch->compare_exchange_strong(replaced, 0);
        }
        else if (sayIt)
        {
            LOG_ERROR << "step=instance_still_replaced alert=true: another process works under our "
                         "instance.name";
        }
    }
    catch (const std::exception &e)
    {
        LOG_DEBUG << "step=not_known_whether_replaced why=" << e.what();
    }
    beating->store(false);
}
}  // namespace

Store::~Store() = default;

void Store::initAndStart(const Json::Value &)
{
    settings_ = part<Settings>()->values();
    endedJobs_ =
        std::make_unique<EndedJobs>(EndedJobs::Limits{.bytes = settings_.http.endedAnswers});
    connect(settings_.database);
    if (prepareSchema())
    {
        awaitConnections();
        becomeReady();
    }
    else
    {
        LOG_WARN << "the database is not there yet; trying every second, answering 503 meanwhile";
        preparing_ = std::jthread([this](const std::stop_token &stop) { keepPreparing(stop); });
    }
    const double period = std::chrono::duration<double>(settings_.instance.heartbeat).count();
    heartbeat_ = drogon::app().getLoop()->runEvery(period, [this] { beat(); });
}

void Store::connect(const config::DatabaseSettings &settings)
{
    const auto directly = checked(directConnectionTo(settings));
    directConnection_ = models::connectionString(directly).value();

    const auto addresses =
        models::connectionStrings(checked(connectionTo(settings.url.reveal(), settings)));
    // Where there is another address, one does not wait for a second try at this one.
    patience_ = (addresses.size() > 1 ? 1 : 2) * settings.connectTimeout;
    const auto times = settings_.metrics.count ? times_ : nullptr;
    writer_ = connectionsTo(addresses, settings.writeConnections, settings, times);
    reader_ = connectionsTo(addresses, settings.readConnections, settings, times);
    requests_ = std::make_shared<models::RequestStore>(
        writer_, reader_,
        models::RequestStoreOptions{limitsFrom(settings_.admission),
                                    limitsFrom(settings_.transitions), limitsFrom(settings_.polls),
                                    news_});
    instances_ = std::make_shared<models::InstanceRegistry>(writer_);
    writes_ = std::make_shared<WriteWatch>(
        instances_, writer_,
        addresses.size() > 1 ? std::vector{writer_, reader_} : std::vector{writer_});
    idempotency_ = std::make_shared<models::IdempotencyStore>(writer_);
    settingStore_ = std::make_shared<models::SettingStore>(writer_);
    operators_ = std::make_shared<models::OperatorStore>(writer_, reader_, news_);
    statistics_ = std::make_shared<models::PlannerStatistics>(writer_);
    sweeps_ = std::make_shared<models::SweepStore>(writer_, news_);
    lanes_ = std::make_shared<models::LaneStore>(writer_, news_);
    inbox_ = std::make_shared<models::InboxStore>(writer_, reader_);
    channel_ =
        std::make_shared<models::StatusChannel>(writer_, models::connectionStrings(directly));
    shares_ = std::make_shared<models::ShareStore>(writer_, models::ShareStore::Clock{},
                                                   limitsFrom(settings_.admission));
    registrations_ = std::make_shared<models::RegistrationStore>(writer_);
    shareChannel_ = std::make_shared<models::StatusChannel>(
        writer_, models::connectionStrings(directly), models::StatusChannel::About::Shares);
}

// The clients connect on loops of their own. A request that came in before they have would be told
// that the database is away. On the main thread, before its loop runs.
void Store::awaitConnections() const
{
    std::mutex mutex;
    std::condition_variable never;
    std::unique_lock lock(mutex);
    const auto both = [this] { return writer_->available() && reader_->available(); };
    const auto end = models::Connections::Clock::now() + settings_.database.connectTimeout;
    while (!both() && models::Connections::Clock::now() < end)
    {
        never.wait_for(lock, kLookForConnections);
    }
}

bool Store::prepareSchema()
{
    const MigrationReport report = models::migrate(directConnection_, models::embeddedMigrations(),
                                                   settings_.database.migrate);
    for (const std::string &applied : report.applied)
    {
        LOG_INFO << "step=migrated migration=" << applied;
    }
    switch (report.outcome)
    {
        case MigrationReport::Outcome::UpToDate: return true;
        case MigrationReport::Outcome::Unreachable:
            LOG_WARN << "step=database_unreachable why=" << report.message;
            return false;
        case MigrationReport::Outcome::Pending:
            throw SchemaError(report.message + "; database.migrate is off, so apply it first");
        case MigrationReport::Outcome::Refused: break;
    }
    throw SchemaError(report.message);
}

void Store::keepPreparing(const std::stop_token &stop)
{
    std::mutex mutex;
    std::condition_variable_any wake;
    std::unique_lock lock(mutex);
    while (!wake.wait_for(lock, stop, kRetryConnecting, [&] { return stop.stop_requested(); }))
    {
        try
        {
            if (prepareSchema())
            {
                becomeReady();
                return;
            }
        }
        catch (const SchemaError &e)
        {
            // The server is up by now: it stays up, unhealthy, and says why.
            LOG_ERROR << "step=schema_refused alert=true why=" << e.what();
            return;
        }
    }
}

void Store::becomeReady()
{
    ready_.store(true);
    LOG_INFO << "step=database_ready";
    // The clients connect on loops of their own; before they have, enrolling would find no
    // connection.
    drogon::app().getLoop()->queueInLoop([this] { beat(); });
}

void Store::beat()
{
    const auto now = models::Connections::Clock::now();
    writer_->supervise(now, patience_);
    reader_->supervise(now, patience_);
    if (!ready_.load() || !writer_->available())
    {
        return;
    }
    if (!refreshing_.exchange(true))
    {
        tellThePlanner(statistics_, &refreshing_);
    }
    // One at a time: of two enrolments the later answer could be that of the earlier epoch, and we
    // would take ourselves for replaced.
    if (epoch_.load() == kLeft || beating_.exchange(true))
    {
        return;
    }
    if (epoch_.load() == kReplaced)
    {
        const bool sayIt = now - saidReplacedAt_ >= kSayAgain;
        saidReplacedAt_ = sayIt ? now : saidReplacedAt_;
        lookWhetherStillReplaced(instances_, settings_.instance.name, settings_.instance.lease,
                                 sayIt, &epoch_, &beating_);
        return;
    }
    WriteWatch::look(writes_, now, beatRefused_.load());
    if (epoch_.load() == 0)
    {
        enrol(instances_, sweeps_, settings_.instance, recovery_, &enrolled_, &recovering_, &epoch_,
              &beating_, &beatRefused_);
        return;
    }
    renew(instances_, &epoch_, &beating_, &beatRefused_, &alone_);
}

models::RequestStore &Store::requests()
{
    if (!ready_.load())
    {
        throw StoreError(StoreError::Code::Unavailable, "the database has not been ready yet");
    }
    return *requests_;
}

bool Store::healthy() const
{
    return ready_.load() && !writes_->readOnly() && writer_->available() && reader_->available();
}

std::optional<models::Claimer> Store::epoch() const
{
    const models::Claimer epoch = epoch_.load();
    return epoch <= 0 ? std::nullopt : std::optional(epoch);
}

drogon::Task<bool> Store::leave()
{
    if (epoch_.exchange(kLeft) == kReplaced)
    {
        co_return true;  // who has our name has all that was ours
    }
    if (beating_.load() && !recovering_.load())
    {
        // A heartbeat that came after our leaving would bring us back; an enrolment is still to
        // tell what there is to leave.
        co_return false;
    }
    const models::Claimer mine = enrolled_.load();
    if (mine == 0)
    {
        co_return true;
    }
    const auto sweeps = sweeps_;
    const auto instances = instances_;
    try
    {
        const std::size_t sum = co_await sweeps->freeAllAbandoned(mine, kRowsPerHandOver);
        co_await instances->leave(mine);
        LOG_INFO << "step=left epoch=" << mine << " requests_given_back=" << sum;
    }
    catch (const StoreError &error)
    {
        LOG_DEBUG << "step=not_left why=" << error.what();
        co_return false;
    }
    co_return true;
}

void Store::shutdown()
{
    drogon::app().getLoop()->invalidateTimer(heartbeat_);
    preparing_ = {};
    ready_.store(false);
    if (!requests_->close(OwnLoop::kLastAnswers))
    {
        // Somebody still runs through it on a database loop: it stays until the process ends.
        keepForGood(nullptr, {requests_});
    }
    requests_.reset();
    writes_.reset();
    instances_.reset();
    idempotency_.reset();
    settingStore_.reset();
    operators_.reset();
    statistics_.reset();
    sweeps_.reset();
    recovery_ = nullptr;
    lanes_.reset();
    inbox_.reset();
    channel_.reset();
    registrations_.reset();
    shares_->close();
    shares_.reset();
    shareChannel_.reset();
    models::Connections::letGo(std::exchange(writer_, nullptr));
    models::Connections::letGo(std::exchange(reader_, nullptr));
}
}  // namespace relayer::plugins
