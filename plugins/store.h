// The database as the rest of the module sees it: connections, schema, and who we are in it.
//
//     { "name": "relayer::plugins::Store", "dependencies": ["relayer::plugins::Settings"] }
//
// Starts with PostgreSQL up or down. When it is up, the schema is brought up to date before
// initAndStart returns; when it is down, a thread of its own keeps trying, and everything that
// needs the database gets StoreError::Unavailable until then. After that the connections repair
// themselves; of several addresses in database.url they go to the one that takes writes.
//
// Owns the clients. Whoever uses them must be done before shutdown(); what is still on its way then
// is given a moment and ends with an error, since a client must not be dropped on its own loop.
#pragma once

#include "config/settings.h"
#include "models/connection_info.h"
#include "models/connections.h"
#include "models/idempotency_store.h"
#include "models/inbox_store.h"
#include "models/instance_registry.h"
#include "models/lane_store.h"
#include "models/migrator.h"
#include "models/operator_store.h"
#include "models/planner_statistics.h"
#include "models/registration_store.h"
#include "models/request_store.h"
#include "models/setting_store.h"
#include "models/share_store.h"
#include "models/status_channel.h"
#include "models/status_news.h"
#include "models/sweep_store.h"
#include "plugins/ended_jobs.h"
#include "plugins/metrics_text.h"
#include "plugins/milestones.h"
#include "plugins/start_stage.h"
#include "plugins/write_watch.h"

#include <drogon/plugins/Plugin.h>
#include <trantor/net/EventLoop.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <thread>

namespace relayer::plugins
{
// Thrown out of app().run(): this program must not work on this database.
class SchemaError : public std::runtime_error
{
  public:
    using std::runtime_error::runtime_error;
};

class Store : public drogon::Plugin<Store>
{
  public:
    ~Store() override;
    void initAndStart(const Json::Value &config) override;
    void shutdown() override;

    // Throws StoreError::Unavailable while the schema is not known to be right.
    [[nodiscard]] models::RequestStore &requests();
    // From initAndStart to shutdown; their statements fail as long as there is no schema.
    [[nodiscard]] std::shared_ptr<models::LaneStore> lanes() const { return lanes_; }
    [[nodiscard]] std::shared_ptr<models::InboxStore> inbox() const { return inbox_; }
    [[nodiscard]] std::shared_ptr<models::SweepStore> sweeps() const { return sweeps_; }
    [[nodiscard]] std::shared_ptr<models::InstanceRegistry> instances() const { return instances_; }
    [[nodiscard]] std::shared_ptr<models::IdempotencyStore> idempotency() const
    {
        return idempotency_;
    }
    [[nodiscard]] std::shared_ptr<models::SettingStore> settings() const { return settingStore_; }
    [[nodiscard]] std::shared_ptr<models::OperatorStore> operators() const { return operators_; }
    [[nodiscard]] std::shared_ptr<models::StatusChannel> channel() const { return channel_; }
    [[nodiscard]] std::shared_ptr<models::RegistrationStore> registrations() const
    {
        return registrations_;
    }
    [[nodiscard]] std::shared_ptr<models::ShareStore> shares() const { return shares_; }
    [[nodiscard]] std::shared_ptr<models::StatusChannel> shareChannel() const
    {
        return shareChannel_;
    }
    // Told of what happens to requests, and counts and logs it.
    [[nodiscard]] const std::shared_ptr<Milestones> &milestones() const { return milestones_; }
    // How statements do; none of it waits.
    void writeMetrics(MetricsText &text) const;
    // What of our own commits moved requests.
    [[nodiscard]] const std::shared_ptr<models::StatusNews> &news() const { return news_; }

    // What polls of ended jobs are answered from.
    [[nodiscard]] EndedJobs &endedJobs() { return *endedJobs_; }

    // Done with the epoch of our last start, and with each new epoch before anybody learns of it,
    // so that nothing works on rows that it still has to look at. To be set before Drogon's loop
    // runs. What it throws makes us enrol anew.
    using Recovery = std::function<drogon::Task<>(models::Claimer, StartStage)>;
    void recoverWith(Recovery recovery) { recovery_ = std::move(recovery); }

    // Whether the schema is known to be right: statements before that would fail.
    [[nodiscard]] bool ready() const { return ready_.load(); }
    // Whether a request would find the database right now. No query: connections are watched.
    [[nodiscard]] bool healthy() const;

    // Our epoch: what claims are made with. Nothing until enrolled, and while another process has
    // enrolled under our name; when that one is silent for its lease, a new one.
    [[nodiscard]] std::optional<models::Claimer> epoch() const;
    // Hands over what is ours, so that nobody waits for our leases: requests, lanes, duties, and
    // then the heartbeat. We have no epoch from the moment that it begins. True when nothing is
    // left; false when the database would not, or we are just enrolling: to be called again. One
    // call at a time, on the main loop.
    [[nodiscard]] drogon::Task<bool> leave();
    // Whether no other instance has been heard of lately.
    [[nodiscard]] bool alone() const { return alone_.load(); }

  private:
    void connect(const config::DatabaseSettings &settings);
    // Returns false when the database can not be reached. Throws SchemaError when it refuses us.
    bool prepareSchema();
    void awaitConnections() const;
    void keepPreparing(const std::stop_token &stop);
    void becomeReady();
    void beat();

    // constant after initAndStart
    config::Settings settings_;
    std::string directConnection_;
    // How long a client may be without a connection.
    std::chrono::milliseconds patience_{0};
    models::ConnectionsPtr writer_;
    models::ConnectionsPtr reader_;
    const std::shared_ptr<Milestones> milestones_ = std::make_shared<Milestones>();
    const std::shared_ptr<models::StatusNews> news_ =
        std::make_shared<models::StatusNews>(milestones_);
    const std::shared_ptr<models::QueryTimes> times_ = std::make_shared<models::QueryTimes>();
    // Shared with heartbeats that are on their way.
    std::shared_ptr<models::RequestStore> requests_;
    std::shared_ptr<models::InstanceRegistry> instances_;
    std::shared_ptr<WriteWatch> writes_;
    std::shared_ptr<models::LaneStore> lanes_;
    std::shared_ptr<models::InboxStore> inbox_;
    std::shared_ptr<models::StatusChannel> channel_;
    std::shared_ptr<models::ShareStore> shares_;
    std::shared_ptr<models::RegistrationStore> registrations_;
    std::shared_ptr<models::StatusChannel> shareChannel_;
    std::shared_ptr<models::OperatorStore> operators_;
    std::shared_ptr<models::IdempotencyStore> idempotency_;
    std::shared_ptr<models::SettingStore> settingStore_;
    std::shared_ptr<models::PlannerStatistics> statistics_;
    std::shared_ptr<models::SweepStore> sweeps_;
    Recovery recovery_;

    std::unique_ptr<EndedJobs> endedJobs_;

    std::atomic<bool> ready_{false};
    std::atomic<models::Claimer> epoch_{0};     // 0: none
    std::atomic<models::Claimer> enrolled_{0};  // the same, as soon as the database knows it
    std::atomic<bool> recovering_{false};
    std::atomic<bool> beating_{false};      // a heartbeat is on its way
    std::atomic<bool> beatRefused_{false};  // the last one
    std::atomic<bool> alone_{true};
    std::atomic<bool> refreshing_{false};  // the planner is being told of what has grown
    models::Connections::Clock::time_point saidReplacedAt_;  // main loop
    std::jthread preparing_;
    trantor::TimerId heartbeat_{0};
};
}  // namespace relayer::plugins
