// What is told of requests that move, within an instance and between two of them, on PostgreSQL.
#include "models/instance_registry.h"
#include "models/lane_store.h"
#include "models/status_channel.h"
#include "plugins/status_relay.h"
#include "plugins/waiting_room.h"
#include "support/await.h"
#include "support/eventually.h"
#include "support/lane_attempts.h"
#include "support/test_database.h"
#include "support/test_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <trantor/net/EventLoopThread.h>

#include <chrono>
#include <memory>
#include <mutex>

namespace relayer::test
{
namespace
{
using core::Kind;
using core::Status;
using core::Transition;
using models::RequestId;
using plugins::StatusRelay;
using plugins::WaitingRoom;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;
using Ids = std::vector<RequestId>;

// What a listener was told, in its order.
class Told
{
  public:
    explicit Told(models::StatusNews &news)
    {
        news.listen([this](std::span<const RequestId> ids) {
            const std::lock_guard lock(mutex_);
            ids_.insert(ids_.end(), ids.begin(), ids.end());
        });
    }
    [[nodiscard]] Ids take()
    {
        const std::lock_guard lock(mutex_);
        return std::exchange(ids_, {});
    }

  private:
    std::mutex mutex_;
    Ids ids_;
};

models::RequestStoreOptions telling(const std::shared_ptr<models::StatusNews> &news)
{
    models::RequestStoreOptions options;
    options.news = news;
    return options;
}

models::Step stepOf(Transition transition, RequestId id)
{
    models::Step step;
    step.transition = transition;
    step.id = id;
    return step;
}

drogon::Task<std::vector<WaitingRoom::Found>> readFrom(models::RequestStore *store, Ids ids)
{
    const std::vector<models::Poll> polls = co_await store->pollAll(std::move(ids));
    std::vector<WaitingRoom::Found> found;
    for (const models::Poll &poll : polls)
    {
        WaitingRoom::Found each;
        each.job = plugins::jobOf(poll, WaitingRoom::Time(0));
        if (core::isTerminal(each.job.status))
        {
            each.ended = std::make_shared<const plugins::JobView>(plugins::JobView{poll});
        }
        found.push_back(std::move(each));
    }
    co_return found;
}

drogon::Task<WaitingRoom::Wake> changeOf(std::shared_ptr<WaitingRoom> room,
                                         models::RequestStore *store, core::JobId jobId)
{
    const auto asking = room->ask();
    const auto poll = co_await store->poll(jobId);
    auto change =
        room->wait(asking, plugins::jobOf(*poll, WaitingRoom::Time(0)), std::chrono::hours(1));
    co_return co_await change;
}

// One instance as far as it tells and waits; time passes only when the test says so.
class Instance
{
  public:
    Instance(const TestDatabase &database, models::Claimer epoch)
        : store_(database, telling(news_)),
          channel_(store_.writer(), std::vector{database.connection()})
    {
        loop_.run();
        WaitingRoom::Surroundings around;
        around.now = [this] { return WaitingRoom::Time(now_.load()); };
        around.soon = [loop = loop_.getLoop()](std::function<void()> call) {
            loop->queueInLoop(std::move(call));
        };
        around.read = [this](Ids ids) { return readFrom(&*store_, std::move(ids)); };
        around.statuses = [this](Ids ids) { return store_->statusesOf(std::move(ids)); };
        room_ = std::make_shared<WaitingRoom>(core::StatusWaiters::Limits{}, around);

        StatusRelay::Surroundings relay;
        relay.self = [epoch] { return std::optional(epoch); };
        relay.alone = [] { return false; };
        relay.say = [this](std::string notice) { return channel_.say(std::move(notice)); };
        relay.moved = [room = room_](std::span<const RequestId> ids) { room->changed(ids); };
        relay.muchMoved = [room = room_] { room->compareAll(); };
        relay_ = std::make_shared<StatusRelay>(std::move(relay));
        news_->listen([this](std::span<const RequestId> ids) {
            room_->changed(ids);
            relay_->tell(ids);
        });
    }

    ~Instance()
    {
        news_->listen({});
        room_->close();
        listener_.reset();
    }
    Instance(const Instance &) = delete;
    Instance &operator=(const Instance &) = delete;

    void listen()
    {
        listener_ = channel_.listen(
            loop_.getLoop(), 0, [relay = relay_](const std::string &text) { relay->hear(text); });
    }
    void pass(WaitingRoom::Time time)
    {
        now_ += time.count();
        room_->tick();
    }

    models::RequestStore *operator->() { return &*store_; }
    [[nodiscard]] models::RequestStore *store() { return &*store_; }
    [[nodiscard]] const std::shared_ptr<WaitingRoom> &room() const { return room_; }
    void say() { relay_->tick(); }

  private:
    const std::shared_ptr<models::StatusNews> news_ = std::make_shared<models::StatusNews>();
    std::atomic<std::int64_t> now_{0};
    TestStore store_;
    models::StatusChannel channel_;
    trantor::EventLoopThread loop_;
    std::shared_ptr<WaitingRoom> room_;
    std::shared_ptr<StatusRelay> relay_;
    drogon::orm::DbListenerPtr listener_;
};

bool isListening(const TestDatabase &database)
{
    return database.value(
               "SELECT count(*) FROM pg_stat_activity WHERE state = 'idle'"
               " AND datname = current_database() AND query LIKE 'LISTEN%'") != "0";
}
}  // namespace

TEST(StatusNews, EachCommitThatMovesARequestIsTold)
{
    RELAYER_NEEDS_SERVER();
    const TestDatabase database;
    const auto news = std::make_shared<models::StatusNews>();
    Told told(*news);
    TestStore store(database, telling(news));
    const auto proof = await(store->admit(newRequest(Kind::InputProof, 1, 1)));
    const auto decrypt = await(store->admit(newRequest(Kind::PublicDecrypt, 2, 2)));
    EXPECT_THAT(told.take(), IsEmpty()) << "nobody can wait for what is new";

    await(store->apply(stepOf(Transition::PassReadiness, decrypt.id)));
    EXPECT_THAT(told.take(), ElementsAre(decrypt.id));
    await(store->apply(stepOf(Transition::PassReadiness, decrypt.id)));
    EXPECT_THAT(told.take(), IsEmpty()) << "it has lost";

    models::Step sent = stepOf(Transition::MarkTxInFlight, proof.id);
    sent.txHash = hash32(1);
    await(store->apply(sent));
    EXPECT_THAT(told.take(), ElementsAre(proof.id));
    await(
        store->markReceiptReceived(proof.id, std::nullopt, hash32(1), hash32(7), Kind::InputProof));
    EXPECT_THAT(told.take(), ElementsAre(proof.id));
    models::Answer answer;
    answer.gatewayId = hash32(7);
    await(store->keepAnswer(answer));
    EXPECT_THAT(told.take(), ElementsAre(proof.id)) << "completed by its answer";

    models::Step failed = stepOf(Transition::FailInternally, decrypt.id);
    failed.failure = core::Failure{core::FailureCode::Internal, ""};
    await(store->apply(failed));
    EXPECT_THAT(told.take(), ElementsAre(decrypt.id));
}

class Watched : public models::RequestWatch
{
  public:
    void moved(const models::Move &move) override
    {
        const std::lock_guard lock(mutex_);
        moves_.push_back(move);
    }
    void claimed(const models::Claim &claim) override
    {
        const std::lock_guard lock(mutex_);
        claims_.push_back(claim);
    }
    std::vector<models::Move> moves() const
    {
        const std::lock_guard lock(mutex_);
        return moves_;
    }
    std::vector<models::Claim> claims() const
    {
        const std::lock_guard lock(mutex_);
        return claims_;
    }

  private:
    mutable std::mutex mutex_;
    std::vector<models::Move> moves_;
    std::vector<models::Claim> claims_;
};

TEST(StatusNews, TheWatchLearnsWhatARequestWasBeforeAndForHowLong)
{
    RELAYER_NEEDS_SERVER();
    const TestDatabase database;
    const auto watched = std::make_shared<Watched>();
    const auto news = std::make_shared<models::StatusNews>(watched);
    TestStore store(database, telling(news));
    const auto one = await(store->admit(newRequest(Kind::PublicDecrypt, 1, 1)));
    database.query(
        "UPDATE request SET created_at = now() - interval '9 s',"
        " status_at = now() - interval '4 s'");
    EXPECT_EQ(await(store->claim(Kind::PublicDecrypt, Status::Queued, 7, 10)).size(), 1U);
    const auto claims = watched->claims();
    ASSERT_EQ(claims.size(), 1U);
    EXPECT_EQ(claims[0].id, one.id);
    EXPECT_EQ(claims[0].jobId, one.jobId);
    EXPECT_EQ(claims[0].status, Status::Queued);
    EXPECT_GE(claims[0].waited, std::chrono::seconds(4));
    models::Step failed = stepOf(Transition::FailReadiness, one.id);
    failed.claimer = 7;
    failed.failure = core::Failure{core::FailureCode::NotAllowedOnHostAcl, "secret"};
    await(store->apply(failed));
    await(store->apply(failed));
    const auto moves = watched->moves();
    ASSERT_EQ(moves.size(), 1U) << "who loses moves nothing";
    EXPECT_EQ(moves[0].id, one.id);
    EXPECT_EQ(moves[0].jobId, one.jobId);
    EXPECT_EQ(moves[0].kind, Kind::PublicDecrypt);
    EXPECT_EQ(moves[0].from, Status::Queued);
    EXPECT_EQ(moves[0].to, Status::Failure);
    EXPECT_EQ(moves[0].failure, core::FailureCode::NotAllowedOnHostAcl);
    EXPECT_GE(moves[0].inStatus, std::chrono::seconds(4));
    EXPECT_LT(moves[0].inStatus, std::chrono::seconds(9));
    EXPECT_GE(moves[0].age, std::chrono::seconds(9));
}

TEST(StatusNews, ACommitOfALaneIsTold)
{
    RELAYER_NEEDS_SERVER();
    const TestDatabase database;
    const auto news = std::make_shared<models::StatusNews>();
    Told told(*news);
    TestStore store(database);
    models::LaneStore lanes(store.writer(), news);
    ASSERT_TRUE(await(lanes.hold({"main", 7}, kAddress, std::chrono::seconds(60), 5)).held);
    PlacedRow row;
    row.owner = 7;
    const Ids ids = {place(database, row).id, place(database, row).id};
    models::LaneHold hold{"main", 7};
    await(lanes.commit(hold, 4, attemptsFor(ids)));
    EXPECT_THAT(told.take(), IsEmpty()) << "refused: another nonce";
    await(lanes.commit(hold, 5, attemptsFor(ids)));
    EXPECT_THAT(told.take(), UnorderedElementsAre(ids[0], ids[1]));
}

TEST(StatusNews, CompletedUserDecryptionsAreToldToo)
{
    RELAYER_NEEDS_SERVER();
    const TestDatabase database;
    const auto news = std::make_shared<models::StatusNews>();
    Told told(*news);
    TestStore store(database, telling(news));
    PlacedRow row;
    row.kind = Kind::UserDecrypt;
    row.status = Status::ReceiptReceived;
    row.threshold = 2;
    row.referred = true;
    const Placed placed = place(database, row);
    models::Share share;
    share.gatewayId = placed.gatewayId;
    await(store->keepShare(share));
    EXPECT_THAT(told.take(), IsEmpty());
    share.index = 1;
    await(store->keepShare(share));
    EXPECT_THAT(told.take(), ElementsAre(placed.id));
}

TEST(StatusWatching, AnInstanceWakesItsOwnAtOnce)
{
    RELAYER_NEEDS_SERVER();
    const TestDatabase database;
    Instance mine(database, 1);
    const auto admission = await(mine->admit(newRequest(Kind::PublicDecrypt, 1, 1)));
    auto change = start(changeOf(mine.room(), mine.store(), admission.jobId));
    ASSERT_TRUE(eventually([&] { return mine.room()->snapshot().waiting == 1; }));
    await(mine->apply(stepOf(Transition::PassReadiness, admission.id)));
    // No time passes, so nothing is compared: it was told.
    const auto wake = change.get();
    EXPECT_EQ(wake.why, WaitingRoom::Wake::Why::Changed);
    EXPECT_EQ(wake.job.status, Status::Processing);
    EXPECT_EQ(mine.room()->snapshot().compares, 0U);
    EXPECT_EQ(mine.room()->snapshot().reads, 1U);
}

TEST(StatusWatching, AnInstanceWakesThoseOfAnotherByANotice)
{
    RELAYER_NEEDS_SERVER();
    const TestDatabase database;
    Instance mine(database, 1);
    Instance other(database, 2);
    mine.listen();
    ASSERT_TRUE(eventually([&] { return isListening(database); }));
    const auto admission = await(other->admit(newRequest(Kind::PublicDecrypt, 1, 1)));
    auto change = start(changeOf(mine.room(), mine.store(), admission.jobId));
    ASSERT_TRUE(eventually([&] { return mine.room()->snapshot().waiting == 1; }));
    await(other->apply(stepOf(Transition::PassReadiness, admission.id)));
    EXPECT_EQ(mine.room()->snapshot().waiting, 1U) << "nothing has been said yet";
    other.say();
    const auto wake = change.get();
    EXPECT_EQ(wake.job.status, Status::Processing);
    EXPECT_EQ(mine.room()->snapshot().compares, 0U) << "the clock of this instance stands still";
}

TEST(StatusWatching, WithNoticesCutOffTheComparisonFindsIt)
{
    RELAYER_NEEDS_SERVER();
    const TestDatabase database;
    Instance mine(database, 1);  // it does not listen
    Instance other(database, 2);
    const auto admission = await(other->admit(newRequest(Kind::PublicDecrypt, 1, 1)));
    auto change = start(changeOf(mine.room(), mine.store(), admission.jobId));
    ASSERT_TRUE(eventually([&] { return mine.room()->snapshot().waiting == 1; }));
    await(other->apply(stepOf(Transition::PassReadiness, admission.id)));
    other.say();
    mine.pass(2 * WaitingRoom::kCompareEach);
    EXPECT_EQ(change.get().job.status, Status::Processing);
    EXPECT_EQ(mine.room()->snapshot().compares, 1U);
}

TEST(StatusWatching, AListenerWhoseConnectionWasCutListensAgain)
{
    RELAYER_NEEDS_SERVER();
    const TestDatabase database;
    Instance mine(database, 1);
    Instance other(database, 2);
    mine.listen();
    ASSERT_TRUE(eventually([&] { return isListening(database); }));
    database.query(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
        " WHERE datname = current_database() AND query LIKE 'LISTEN%'");
    ASSERT_TRUE(eventually([&] { return !isListening(database); }));
    ASSERT_TRUE(eventually([&] { return isListening(database); })) << "it has not come back";
    const auto admission = await(other->admit(newRequest(Kind::PublicDecrypt, 1, 1)));
    auto change = start(changeOf(mine.room(), mine.store(), admission.jobId));
    ASSERT_TRUE(eventually([&] { return mine.room()->snapshot().waiting == 1; }));
    await(other->apply(stepOf(Transition::PassReadiness, admission.id)));
    other.say();
    EXPECT_EQ(change.get().job.status, Status::Processing);
}

TEST(StatusWatching, AHeartbeatKnowsWhetherThereAreOthers)
{
    RELAYER_NEEDS_SERVER();
    const TestDatabase database;
    TestStore store(database);
    models::InstanceRegistry instances(store.writer());
    const auto one = await(instances.enrol("one", "test"));
    EXPECT_EQ(await(instances.beat(one.epoch)).others, 0);
    const auto two = await(instances.enrol("two", "test"));
    EXPECT_EQ(await(instances.beat(one.epoch)).others, 1);
    await(instances.leave(two.epoch));
    EXPECT_EQ(await(instances.beat(one.epoch)).others, 0) << "it has left";
    await(instances.enrol("two", "test"));
    EXPECT_EQ(await(instances.beat(one.epoch)).others, 1);
    database.query(
        "UPDATE instance SET heartbeat_at = now() - interval '1 minute'"
        " WHERE name = 'two'");
    EXPECT_EQ(await(instances.beat(one.epoch)).others, 0) << "it fell silent";
}
}  // namespace relayer::test
