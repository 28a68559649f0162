// A database with requests in whatever status and of whatever age, and what sweeps it.
#pragma once

#include "models/lane_store.h"
#include "models/sweep_store.h"
#include "plugins/sweep_pass.h"
#include "support/await.h"
#include "support/lane_attempts.h"
#include "support/test_store.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>

namespace relayer::test
{
inline plugins::SweepOptions patient()
{
    plugins::SweepOptions options;
    options.responseTimeout.fill(std::chrono::minutes(30));
    options.queued = options.processing = options.txInFlight = std::chrono::minutes(30);
    options.keepForeign = std::chrono::hours(24);
    options.instanceLease = std::chrono::seconds(15);
    options.dutyLease = std::chrono::minutes(1);
    return options;
}

class Sweeping : public testing::Test
{
  protected:
    void SetUp() override
    {
        RELAYER_NEEDS_SERVER();
        database_ = std::make_unique<TestDatabase>();
        store_ = std::make_unique<TestStore>(*database_);
        sweeps_ = std::make_shared<models::SweepStore>(store_->writer(), nullptr);
    }

    models::RequestId put(core::Kind kind, core::Status status,
                          std::optional<models::Claimer> owner = std::nullopt)
    {
        return place(*database_, {.kind = kind, .status = status, .owner = owner}).id;
    }
    // As if it were in its status for so long.
    void age(models::RequestId id, const std::string &interval)
    {
        database_->query("UPDATE request SET status_at = now() - interval '" + interval +
                         "', created_at = now() - interval '" + interval +
                         "' WHERE id = " + std::to_string(id));
    }
    [[nodiscard]] std::string of(models::RequestId id, const std::string &column)
    {
        return database_->value("SELECT " + column +
                                " FROM request WHERE id = " + std::to_string(id));
    }
    [[nodiscard]] std::string count(const std::string &table)
    {
        return database_->value("SELECT count(*) FROM " + table);
    }
    // A transaction on its way for it, of a lane that `claimer` holds.
    void sign(models::RequestId id, models::Claimer claimer)
    {
        models::LaneStore lanes(store_->writer());
        const models::LaneHold hold{"main", claimer};
        const auto state = await(lanes.hold(hold, kAddress, std::chrono::minutes(10), 0));
        ASSERT_TRUE(state.held);
        const auto committed = await(lanes.commit(hold, state.nextNonce, attemptsFor({id})));
        ASSERT_EQ(committed.outcome, models::AttemptsCommitted::Outcome::Committed);
    }

    // Of an instance that has just come.
    [[nodiscard]] plugins::SweepPass tenAtATime()
    {
        const auto instances = std::make_shared<models::InstanceRegistry>(store_->writer());
        const models::Claimer here = await(instances->enrol("here", "test")).epoch;
        plugins::SweepOptions options = patient();
        options.rowsAtATime = 10;
        return plugins::SweepPass({sweeps_, instances, [here] { return here; }}, options);
    }

    std::unique_ptr<TestDatabase> database_;
    std::unique_ptr<TestStore> store_;
    std::shared_ptr<models::SweepStore> sweeps_;
};
}  // namespace relayer::test
