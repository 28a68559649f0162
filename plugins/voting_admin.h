// What belongs to a vote beside its shares (`voting_admin`): the published configuration, kept and
// handed on, and validators who want to join.
//
//     { "name": "relayer::plugins::VotingAdmin",
//       "dependencies": ["relayer::plugins::Settings", "relayer::plugins::Store"] }
//
// Has a thread of its own for what it asks others. Off unless it is enabled.
#pragma once

#include "config/settings.h"
#include "models/gate.h"
#include "plugins/own_loop.h"
#include "plugins/validator_joins.h"
#include "plugins/voting_config.h"

#include <drogon/plugins/Plugin.h>

#include <atomic>
#include <memory>

namespace relayer::plugins
{
class VotingAdmin : public drogon::Plugin<VotingAdmin>
{
  public:
    void initAndStart(const Json::Value &config) override;
    void shutdown() override;

    // Any thread, from initAndStart on. Nothing: it is off.
    [[nodiscard]] std::shared_ptr<VotingConfig> config() const
    {
        return work_ ? work_->config : nullptr;
    }
    [[nodiscard]] std::shared_ptr<ValidatorJoins> joins() const
    {
        return work_ ? work_->joins : nullptr;
    }
    [[nodiscard]] const config::VotingAdminSettings &settings() const { return settings_; }

  private:
    struct Work
    {
        std::shared_ptr<VotingConfig> config;
        std::shared_ptr<ValidatorJoins> joins;
        models::Gate gate;
        std::atomic<bool> sweeping{false};
        std::atomic<bool> refreshing{false};
    };
    static drogon::AsyncTask refresh(std::shared_ptr<Work> work);
    static drogon::AsyncTask sweep(std::shared_ptr<Work> work);

    config::VotingAdminSettings settings_;
    std::unique_ptr<OwnLoop> loop_;
    std::shared_ptr<Work> work_;
};
}  // namespace relayer::plugins
