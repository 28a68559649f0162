// What operators change, on a real database, by several of them and several instances.
#include "plugins/runtime_values.h"

#include "models/setting_store.h"
#include "support/await.h"
#include "support/test_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace relayer::test
{
namespace
{
using models::SettingStore;
using plugins::RuntimeValues;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class RuntimeSettings : public testing::Test
{
  protected:
    void SetUp() override
    {
        RELAYER_NEEDS_SERVER();
        database_ = std::make_unique<TestDatabase>();
        connections_ = std::make_unique<TestStore>(*database_);
        store_ = std::make_shared<SettingStore>(connections_->writer());
        one_ = instance();
        other_ = instance();
    }
    std::shared_ptr<RuntimeValues> instance()
    {
        auto values = std::make_shared<RuntimeValues>(
            config::Settings(), store_,
            [this](const RuntimeValues::State &state) { applied_ = state.revision; });
        await(values->refresh());
        return values;
    }
    RuntimeValues::Outcome set(RuntimeValues &values, const std::string &name,
                               const std::optional<std::string> &value)
    {
        return await(values.change({{name, value}}, "ada@here"));
    }
    static std::uint64_t rateOf(const RuntimeValues &values)
    {
        return values.state()->settings.txThrottler.inputProof.perSecond;
    }

    std::unique_ptr<TestDatabase> database_;
    std::unique_ptr<TestStore> connections_;
    std::shared_ptr<SettingStore> store_;
    std::atomic<std::int64_t> applied_{-1};
    std::shared_ptr<RuntimeValues> one_;
    std::shared_ptr<RuntimeValues> other_;
};

const std::string kRate = "input_proof_throttler_tps";

TEST_F(RuntimeSettings, AreTakenOverHereAtOnceElsewhereWhenItLooksAndAfterAStart)
{
    EXPECT_THAT(set(*one_, kRate, "50").wrong, IsEmpty());
    EXPECT_EQ(rateOf(*one_), 50U);
    EXPECT_EQ(rateOf(*other_), 20U);
    await(other_->refresh());
    EXPECT_EQ(rateOf(*other_), 50U);
    EXPECT_EQ(rateOf(*instance()), 50U);
    EXPECT_EQ(applied_.load(), one_->state()->revision);
    const auto change = one_->state()->changes.at(kRate);
    EXPECT_EQ(change.by, "ada@here");
    EXPECT_GT(change.atMs, 1'600'000'000'000);
    set(*other_, kRate, std::nullopt);
    await(one_->refresh());
    EXPECT_EQ(rateOf(*one_), 20U);
    EXPECT_EQ(database_->value("SELECT count(*) FROM setting"), "0");
}

TEST_F(RuntimeSettings, WhatIsWrongChangesNothingAndIsNotAudited)
{
    const auto outcome =
        await(one_->change({{kRate, "50"}, {"retry_after_min_seconds", "400"}}, "ada@here"));
    EXPECT_THAT(outcome.wrong, ElementsAre(HasSubstr("must not be less than")));
    EXPECT_EQ(rateOf(*one_), 20U);
    EXPECT_EQ(database_->value("SELECT count(*) FROM setting"), "0");
    EXPECT_EQ(database_->value("SELECT count(*) FROM audit"), "0");
}

TEST_F(RuntimeSettings, AnUnknownNameIsRefusedWhetherItIsSetOrTakenBack)
{
    for (const auto &value : {std::optional<std::string>("1"), std::optional<std::string>()})
    {
        EXPECT_THAT(await(one_->change({{"nothing", value}, {kRate, "50"}}, "ada@here")).wrong,
                    ElementsAre("Unknown configuration parameter: nothing"));
    }
    EXPECT_EQ(rateOf(*one_), 20U);
    EXPECT_EQ(database_->value("SELECT count(*) FROM setting"), "0");
    EXPECT_EQ(database_->value("SELECT count(*) FROM audit"), "0");
}

TEST_F(RuntimeSettings, OneThatIsFixedHereIsRefusedWithTheReasonAndCanBeTakenBack)
{
    set(*one_, "log_level", "debug");
    const auto embedded = std::make_shared<RuntimeValues>(
        config::Settings(), store_, nullptr, RuntimeValues::Fixed{{"log_level", "it is not ours"}});
    EXPECT_THAT(set(*embedded, "log_level", "trace").wrong,
                ElementsAre("log_level can not be set here: it is not ours"));
    EXPECT_EQ(database_->value("SELECT value FROM setting"), "\"debug\"");
    EXPECT_THAT(set(*embedded, kRate, "50").wrong, IsEmpty());
    EXPECT_THAT(set(*embedded, "log_level", std::nullopt).wrong, IsEmpty());
    EXPECT_EQ(database_->value("SELECT name FROM setting"), kRate);
}

TEST_F(RuntimeSettings, AreKeptAsTheyAreReadHoweverTheyAreWritten)
{
    EXPECT_THAT(set(*one_, kRate, "007").wrong, IsEmpty());
    EXPECT_THAT(set(*one_, "retry_after_safety_margin", "00.50").wrong, IsEmpty());
    EXPECT_EQ(rateOf(*one_), 7U);
    EXPECT_EQ(one_->state()->overrides.at(kRate), "7");
    EXPECT_EQ(one_->state()->overrides.at("retry_after_safety_margin"), "0.5");
    EXPECT_EQ(await(store_->trail(0, 1)).front().entry.detail, R"({"to": 0.5, "from": 0.2})");
}

TEST_F(RuntimeSettings, TheAuditSaysWhoChangedWhatFromWhatToWhat)
{
    set(*one_, kRate, "50");
    set(*one_, "log_level", "debug");
    set(*one_, kRate, std::nullopt);
    const auto trail = await(store_->trail(0, 10));
    ASSERT_EQ(trail.size(), 3U);
    EXPECT_EQ(trail[2].entry.actor, "ada@here");
    EXPECT_EQ(trail[2].entry.action, "set");
    EXPECT_EQ(trail[2].entry.subject, kRate);
    EXPECT_EQ(trail[2].entry.detail, R"({"to": 50, "from": 20})");
    EXPECT_EQ(trail[1].entry.detail, R"({"to": "debug", "from": "info"})");
    EXPECT_EQ(trail[0].entry.action, "reset");
    const auto older = await(store_->trail(trail[1].id, 1));
    ASSERT_EQ(older.size(), 1U);
    EXPECT_EQ(older[0].id, trail[2].id);
}

// Each of the two is right by itself.
TEST_F(RuntimeSettings, OfTwoChangesThatDoNotFitTogetherOneIsRefused)
{
    set(*one_, "retry_after_max_seconds", "300");
    for (int round = 0; round < 10; ++round)
    {
        RuntimeValues::Outcome low;
        RuntimeValues::Outcome high;
        std::thread first([&] { low = set(*one_, "retry_after_max_seconds", "100"); });
        std::thread second([&] { high = set(*other_, "retry_after_min_seconds", "200"); });
        first.join();
        second.join();
        EXPECT_NE(low.wrong.empty(), high.wrong.empty()) << "one, and not both";
        const auto now = instance()->state()->settings.http.retryAfter;
        EXPECT_LE(now.minSeconds, now.maxSeconds);
        set(*one_, "retry_after_min_seconds", std::nullopt);
        set(*one_, "retry_after_max_seconds", "300");
    }
}

TEST_F(RuntimeSettings, OfManyAtTheSameTimeNoneIsLost)
{
    const std::vector<std::string> names = {kRate, "user_decrypt_throttler_tps",
                                            "public_decrypt_throttler_tps", "client_burst"};
    std::vector<std::thread> admins;
    for (const std::string &name : names)
    {
        admins.emplace_back([this, &name] {
            const auto mine = instance();
            for (int value = 1; value <= 10; ++value)
            {
                EXPECT_THAT(set(*mine, name, std::to_string(value)).wrong, IsEmpty());
            }
        });
    }
    for (std::thread &admin : admins)
    {
        admin.join();
    }
    const auto state = instance()->state();
    for (const std::string &name : names)
    {
        EXPECT_EQ(state->overrides.at(name), "10") << name;
    }
    EXPECT_EQ(state->revision, 40);
    EXPECT_EQ(database_->value("SELECT count(*) FROM audit"), "40");
}

TEST_F(RuntimeSettings, WhoHasLookedAtSomethingElseChangesNothing)
{
    const auto seen = one_->state()->revision;
    set(*other_, kRate, "50");
    const auto outcome = await(one_->change({{kRate, "60"}}, "ada@here", seen));
    EXPECT_TRUE(outcome.stale);
    EXPECT_EQ(rateOf(*one_), 50U);
    EXPECT_FALSE(await(one_->change({{kRate, "60"}}, "ada@here", outcome.revision)).stale);
    EXPECT_EQ(rateOf(*one_), 60U);
}

TEST_F(RuntimeSettings, PausesAreOfAllInstancesAndOfTheNextStart)
{
    RuntimeValues::Pause pause;
    pause.reason = "the disk is \"full\"";
    pause.retryAfterSeconds = 60;
    await(one_->pauseIntake(pause, "ada@here"));
    EXPECT_TRUE(one_->intakePaused());
    await(one_->pauseLane("main", pause, "ada@here"));
    const auto next = instance();
    EXPECT_TRUE(next->intakePaused());
    EXPECT_EQ(next->state()->intake->reason, pause.reason);
    EXPECT_EQ(next->state()->intake->retryAfterSeconds, 60U);
    EXPECT_EQ(next->state()->intake->change.by, "ada@here");
    EXPECT_TRUE(next->state()->lanes.contains("main"));
    await(next->pauseIntake(std::nullopt, "bob@there"));
    await(next->pauseLane("main", std::nullopt, "bob@there"));
    await(one_->refresh());
    EXPECT_FALSE(one_->intakePaused());
    EXPECT_TRUE(one_->state()->lanes.empty());
    EXPECT_EQ(database_->value("SELECT string_agg(action, ',' ORDER BY id) FROM audit"),
              "pause_intake,pause_lane,resume_intake,resume_lane");
}

TEST_F(RuntimeSettings, AfterTheEndNothingIsReadAndWhatIsKnownStays)
{
    set(*one_, kRate, "50");
    one_->close();
    EXPECT_THROW(await(one_->refresh()), models::StoreError);
    EXPECT_EQ(rateOf(*one_), 50U);
}
}  // namespace
}  // namespace relayer::test
