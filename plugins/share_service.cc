#include "plugins/share_service.h"

#include "config/schema.h"
#include "core/bytes.h"
#include "models/store_error.h"
#include "plugins/resumed_on.h"

#include <drogon/HttpTypes.h>
#include <trantor/utils/Logger.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <utility>

namespace relayer::plugins
{
using config::ShareSchedulerSettings;
using drogon::Task;
using std::chrono::microseconds;
using Clock = std::chrono::steady_clock;

namespace
{
// Several posts are one word to the others.
constexpr double kTellAfter = 0.02;
constexpr double kLook = 1.0;
// Four threads and processes take their turns between an alarm and a claim. On a machine whose
// cores are all busy each of them waits for milliseconds.
constexpr std::chrono::milliseconds kAhead{50};
// An alarm that rings a hair too soon would have to be set again.
constexpr microseconds kMargin{100};
// In seconds; no alarm is set for so long.
constexpr std::int64_t kFar = 86'400;

std::int64_t nowMicros()
{
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    return std::chrono::duration_cast<microseconds>(now).count();
}

std::int64_t nowSeconds()
{
    return nowMicros() / 1'000'000;
}

double secondsOf(microseconds time)
{
    return std::chrono::duration<double>(time).count();
}

void alertOf(const models::RoundShares &round)
{
    using core::ShareState;
    const auto pending = round.of(ShareState::Received) + round.of(ShareState::Witnessed);
    const auto failed = round.of(ShareState::Failed);
    const auto submitted = round.of(ShareState::Submitted);
    LOG_ERROR << "step=round_closed_unsubmitted_shares alert=true round_id="
              << core::toHex(round.round) << " total_shares=" << pending + failed + submitted
              << " pending_shares=" << pending << " failed_shares=" << failed
              << " submitted_shares=" << submitted << " unsubmitted_shares=" << pending + failed;
}

// Of a share: its row, and nothing that is in it.
void logMove(const models::TakenShare &share, const ShareAttemptResult &result)
{
    LOG_INFO << "step=share_moved share=" << share.id << " end=" << name(result.end)
             << " failures_before=" << share.attempts
             << (result.code.empty() ? "" : " code=" + result.code);
}

std::shared_ptr<const ShareLibrary> libraryFrom(const ShareSchedulerSettings &settings)
{
    if (settings.proverLibrary.empty())
    {
        LOG_WARN << "step=commitments_unchecked: a prover by command tells no hash, so shares are "
                    "not compared with the commitment tree when they come in";
        return nullptr;
    }
    auto library = std::make_shared<const ShareLibrary>(settings.proverLibrary);
    if (!library->hashesCommitments())
    {
        LOG_WARN << "step=commitments_unchecked: the library does not export "
                    "sv_vote_commitment_hash, so shares are not compared with the commitment tree "
                    "when they come in";
    }
    return library;
}

std::shared_ptr<const core::WitnessKeys> keysFrom(const ShareSchedulerSettings &settings)
{
    std::vector<core::Hash32> keys;
    for (const std::string &text : config::partsOf(settings.witnessKeys.reveal()))
    {
        const auto bytes = core::fromHex(text).value();
        core::Hash32 key{};
        std::copy_n(bytes.begin(), key.size(), key.begin());
        keys.push_back(key);
    }
    return std::make_shared<const core::WitnessKeys>(std::move(keys));
}

std::size_t placesOf(const ShareSchedulerSettings &settings)
{
    if (settings.maxConcurrentProofs == 0)
    {
        LOG_INFO << "step=share_places: share_scheduler.max_concurrent_proofs is 0, taken for 1";
    }
    return std::max<std::size_t>(settings.maxConcurrentProofs, 1);
}

std::vector<std::string> commandFrom(const ShareSchedulerSettings &settings)
{
    if (!settings.proverLibrary.empty())
    {
        const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
        return {settings.proverWorker.empty() ? self : settings.proverWorker, "--prove-with",
                settings.proverLibrary};
    }
    std::istringstream words(settings.proverCommand);
    return {std::istream_iterator<std::string>(words), std::istream_iterator<std::string>()};
}

std::shared_ptr<ProverProcess> proverFrom(trantor::EventLoop *loop,
                                          const ShareSchedulerSettings &settings)
{
    ChildLimits limits;
    limits.deadline = settings.proverDeadline;
    limits.memory = settings.proverMemory;
    return std::make_shared<ProverProcess>(loop, commandFrom(settings), limits, placesOf(settings));
}

chain::rpc::Url urlOf(const config::NamedUrl &named)
{
    const auto url = chain::rpc::parseUrl(named.url.reveal());
    if (!url)
    {
        throw std::invalid_argument("the URL of the vote chain is none");
    }
    return *url;
}

VoteChainOptions chainOptions(const ShareSchedulerSettings &settings)
{
    VoteChainOptions options;
    options.rest = urlOf(settings.chain.at(0));
    if (!settings.chainNode.empty())
    {
        options.node = urlOf(settings.chainNode[0]);
    }
    options.submitTimeout = settings.submitTimeout;
    options.timeout = settings.timeout;
    return options;
}

ShareRunOptions runOptions(const ShareSchedulerSettings &settings, std::chrono::milliseconds lease)
{
    using std::chrono::seconds;
    ShareRunOptions options;
    options.places = std::max<std::size_t>(settings.maxConcurrentProofs, 1);
    options.held = std::max<std::size_t>(settings.maxHeld, options.places);
    options.maintenance = settings.maintenance;
    options.waits = config::parseWaits(settings.retryWaits).value();
    options.chainAway = std::chrono::ceil<seconds>(settings.chainAway);
    options.lease = lease;
    options.ahead = kAhead;
    return options;
}
}  // namespace

ShareService::ShareService(Surroundings surroundings)
    : around_(std::move(surroundings)), library_(libraryFrom(around_.settings))
{
    const auto &settings = around_.settings;
    const auto keys = keysFrom(settings);
    prover_ = proverFrom(around_.loop, settings);
    chain_ = std::make_shared<VoteChain>(around_.loop, chainOptions(settings));
    VoteTreeOptions tree;
    tree.rest = urlOf(settings.chain.at(0));
    tree.timeout = settings.timeout;
    tree_ = std::make_shared<VoteTree>(around_.loop, std::move(tree), prover_);
    context_ = std::make_shared<ShareAttemptContext>();
    context_->loop = around_.loop;
    context_->shares = around_.shares;
    context_->keys = keys;
    context_->parts = {chain_, tree_, prover_, chain_, chain_};
    context_->options = {settings.blockInterval, settings.blockPatience};
    context_->now = nowSeconds;
    context_->proofTook = [metrics = around_.metrics](microseconds took) { metrics->proved(took); };
    ShareIntake::Surroundings intake;
    intake.loop = around_.loop;
    intake.shares = around_.shares;
    intake.keys = keys;
    intake.rounds = chain_;
    intake.tree = tree_;
    intake.library = library_;
    intake.now = nowSeconds;
    intake_ = std::make_shared<ShareIntake>(std::move(intake));
}

void ShareService::start()
{
    const std::weak_ptr<ShareService> weak = weak_from_this();
    run_ = std::make_shared<ShareRun>(runsIn(), runOptions(around_.settings, around_.lease));
    ear_ = std::make_unique<ChannelEar>(around_.loop, around_.channel, [weak](const auto &) {
        if (const auto self = weak.lock())
        {
            self->changed(0);
        }
    });
    around_.loop->runEvery(kLook, [weak] {
        if (const auto self = weak.lock())
        {
            self->look();
        }
    });
    around_.loop->runEvery(secondsOf(around_.settings.maintenance),
                           [run = std::weak_ptr<ShareRun>(run_)] {
                               if (const auto there = run.lock())
                               {
                                   there->maintain();
                               }
                           });
    run_->maintain();
}

ShareRun::Surroundings ShareService::runsIn()
{
    const std::weak_ptr<ShareService> weak = weak_from_this();
    ShareRun::Surroundings around;
    around.loop = around_.loop;
    around.shares = around_.shares;
    around.attempt = [context = context_](models::TakenShare share, models::Claimer claimer,
                                          std::function<void()> proved) {
        return attemptShare(context, std::move(share), claimer, std::move(proved));
    };
    around.claimer = around_.claimer;
    around.alarm = [weak](microseconds wait) {
        if (const auto self = weak.lock())
        {
            self->setAlarm(wait);
        }
    };
    around.after = [loop = around_.loop](microseconds wait, std::function<void()> work) {
        loop->runAfter(secondsOf(wait), std::move(work));
    };
    around.taken = [metrics = around_.metrics](const models::TakenShare &share) {
        metrics->taken(
            static_cast<std::uint64_t>(std::max<std::int64_t>(0, nowMicros() - share.dueMicros)));
    };
    around.alert = [metrics = around_.metrics](const models::RoundShares &round) {
        alertOf(round);
        metrics->closedUnsubmitted(round);
    };
    around.moved = [metrics = around_.metrics, weak](const models::TakenShare &share,
                                                     const ShareAttemptResult &result) {
        logMove(share, result);
        metrics->ended(result.end);
        if (const auto self = weak.lock())
        {
            self->look();
        }
    };
    return around;
}

void ShareService::setAlarm(microseconds wait)
{
    // The first cycle of an instance that the database knows has seen to what was left.
    ready_ = !closed_ && (ready_ || around_.claimer().has_value());
    look();
    around_.loop->invalidateTimer(alarm_);
    alarmAt_ = Clock::now() + wait;
    alarm_ =
        around_.loop->runAfter(secondsOf(wait + kMargin), [run = std::weak_ptr<ShareRun>(run_)] {
            if (const auto there = run.lock())
            {
                there->wake();
            }
        });
}

void ShareService::look()
{
    if (!run_)
    {
        return;
    }
    const auto now = run_->snapshot();
    left_ = now.held + (now.cycling ? 1 : 0);
    around_.metrics->now(now.proving, now.held, now.chainAway);
    if (ear_)
    {
        ear_->tick();
        tellOthers();
    }
}

void ShareService::changed(std::int64_t submitAt)
{
    if (!run_)
    {
        return;
    }
    // What is later than the alarm is seen when that rings.
    const auto until = std::chrono::seconds(
        submitAt == 0 ? 0 : std::clamp<std::int64_t>(submitAt - nowSeconds(), -1, kFar));
    if (run_->snapshot().cycling || Clock::now() + until < alarmAt_)
    {
        run_->wake();
    }
}

void ShareService::tellOthers()
{
    // Whether there are others is as old as our last heartbeat; look() asks again.
    if (!untold_ || around_.alone() || std::exchange(telling_, true))
    {
        return;
    }
    untold_ = false;
    around_.loop->runAfter(kTellAfter, [weak = weak_from_this()] {
        const auto self = weak.lock();
        if (self && self->ear_)
        {
            self->telling_ = false;
            say(self->around_.channel, "scheduled");
        }
    });
}

drogon::AsyncTask ShareService::say(std::shared_ptr<models::StatusChannel> channel,
                                    std::string notice)
{
    try
    {
        co_await channel->say(std::move(notice));
    }
    catch (const models::StoreError &error)
    {
        LOG_DEBUG << "step=others_not_told why=" << error.what();
    }
}

Task<ShareIntake::Outcome> ShareService::take(wire::ShareRequest request)
{
    const auto inside = gate_.enter();
    auto outcome = co_await intake_->take(request.share, request.submitAt);
    const auto *enqueued = std::get_if<models::Enqueued>(&outcome);
    if (enqueued != nullptr && *enqueued == models::Enqueued::Queued)
    {
        const auto at = static_cast<std::int64_t>(request.submitAt);
        around_.loop->queueInLoop([weak = weak_from_this(), at] {
            if (const auto self = weak.lock())
            {
                self->changed(at);
                self->untold_ = true;
                self->tellOthers();
            }
        });
    }
    co_return outcome;
}

Task<bool> ShareService::confirmed(core::Hash32 round, core::Hash32 nullifier)
{
    const auto inside = gate_.enter();
    const auto chain = chain_;
    const OnLoop there(around_.loop);
    co_await there;
    co_return co_await chain->spent(round, nullifier);
}

Task<std::optional<CommitmentTree::Status>> ShareService::tree()
{
    const auto inside = gate_.enter();
    const auto tree = tree_;
    const OnLoop there(around_.loop);
    co_await there;
    co_return tree->latest();
}

Task<std::vector<models::RoundShares>> ShareService::counts()
{
    const auto inside = gate_.enter();
    co_return co_await around_.shares->counts();
}

void ShareService::stop()
{
    around_.loop->queueInLoop([weak = weak_from_this()] {
        const auto self = weak.lock();
        if (self && self->run_)
        {
            self->context_->stopping = true;
            self->prover_->stop();
            self->run_->stop();
            self->look();
        }
    });
    // Until the loop has said otherwise.
    left_ = std::max<std::size_t>(left_, 1);
}

bool ShareService::close(std::chrono::milliseconds atMost)
{
    ready_ = false;
    closed_ = true;
    gate_.close();
    return gate_.waitUntilEmpty(atMost);
}

void ShareService::letGo()
{
    ear_.reset();
    around_.loop->invalidateTimer(alarm_);
    run_.reset();
    intake_.reset();
    context_.reset();
    tree_.reset();
    chain_.reset();
    prover_.reset();
}
}  // namespace relayer::plugins
