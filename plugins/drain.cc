#include "plugins/drain.h"

#include "core/path_below.h"
#include "plugins/part.h"
#include "plugins/readiness_gate.h"
#include "plugins/settings.h"
#include "plugins/share_scheduler.h"
#include "plugins/status_watch.h"
#include "plugins/store.h"
#include "plugins/sweeper.h"
#include "plugins/tx_engine.h"
#include "plugins/tx_throttler.h"

#include <drogon/HttpAppFramework.h>
#include <trantor/utils/Logger.h>

#include <algorithm>
#include <utility>

namespace relayer::plugins
{
using drogon::HttpRequestPtr;
using drogon::HttpResponsePtr;
using std::chrono::milliseconds;

namespace
{
constexpr double kEachLook = 0.02;
constexpr milliseconds kTryAgain{200};
// Of the deadline, for handing over what was not finished: that others wait for our leases costs
// more than a receipt that comes a moment later.
constexpr milliseconds kHandOver{2000};
constexpr int kHandOverShare = 4;
// And what is left for answering, should the database not take the hand-over.
constexpr milliseconds kAnswering{250};

// Drogon sends no stream on a connection that it is to close; those end by themselves.
bool isStream(const HttpResponsePtr &response)
{
    return response->contentTypeString() == "text/event-stream" && response->body().empty();
}
}  // namespace

void Drain::initAndStart(const Json::Value &)
{
    const auto &instance = part<Settings>()->values().instance;
    deadline_ = instance.drainDeadline;
    pause_ = instance.drainPause;
    drogon::app().registerPreSendingAdvice(
        [draining = draining_](const HttpRequestPtr &request, const HttpResponsePtr &response) {
            const bool ours =
                !core::pathBelow(Settings::lastStarted().http.pathPrefix, request->path()).empty();
            if (*draining && ours && !isStream(response))
            {
                response->setCloseConnection(true);
            }
        });
}

void Drain::begin(Done done, Progress progress)
{
    if (draining_->exchange(true))
    {
        return;
    }
    drogon::app().getLoop()->queueInLoop(
        [this, done = std::move(done), progress = std::move(progress)] {
            done_ = done;
            progress_ = progress;
            run();
        });
}

void Drain::ask()
{
    stop_ ? stop_() : begin([](const Outcome &) {});
}

void Drain::run()
{
    LOG_INFO << "step=draining deadline_ms=" << deadline_.count() << " pause_ms=" << pause_.count();
    run_ = std::make_unique<DrainRun>(steps(std::chrono::steady_clock::now()));
    timer_ = drogon::app().getLoop()->runEvery(kEachLook, [this] { look(); });
    look();
}

std::vector<DrainRun::Step> Drain::steps(DrainRun::TimePoint begin)
{
    auto *const watch = part<StatusWatch>();
    auto *const readiness = part<ReadinessGate>();
    auto *const throttler = part<TxThrottler>();
    auto *const engine = part<TxEngine>();
    auto *const shares = part<ShareScheduler>();
    auto *const sweeper = part<Sweeper>();
    const auto store = sharedPart<Store>();
    const auto nothing = [] { return std::size_t{0}; };

    const auto end = begin + deadline_;
    const auto handOverBy = end - std::min(kAnswering, deadline_ / kHandOverShare / 2);
    const auto workUntil = end - std::min(kHandOver, deadline_ / kHandOverShare);

    DrainRun::Step work;
    work.until = workUntil;
    work.stages = {
        {"waiting", [watch] { watch->drain(); }, nothing},
        {"readiness", [readiness] { readiness->drain(); },
         [readiness] { return readiness->left(); }},
        {"queues", [throttler] { throttler->drain(); }, nothing},
        {"preparation", [engine] { engine->drain(); },
         [engine] { return engine->left().notSigned; }},
        {"transactions", nullptr, [engine] { return engine->left().open; }},
        {"shares", [shares] { shares->drain(); }, [shares] { return shares->left(); }},
        {"sweeper", [sweeper] { sweeper->drain(); },
         [sweeper] { return std::size_t{sweeper->sweeping() ? 1U : 0U}; }},
    };
    DrainRun::Step release;
    release.until = handOverBy;
    release.stages = {
        {"hand_over", [engine] { engine->rest(); },
         [this, store] {
             handOver(store, handOver_);
             return std::size_t{handOver_->done ? 0U : 1U};
         }},
    };
    DrainRun::Step answers;
    answers.until = end;
    answers.notBefore = begin + pause_;
    answers.stages = {{"http", nullptr, [this] { return requests_->load(); }}};

    std::vector<DrainRun::Step> all;
    all.push_back(std::move(work));
    all.push_back(std::move(release));
    all.push_back(std::move(answers));
    return all;
}

drogon::AsyncTask Drain::handOver(std::shared_ptr<Store> store, std::shared_ptr<HandOver> state)
{
    const auto now = std::chrono::steady_clock::now();
    if (state->done || now < state->again || std::exchange(state->trying, true))
    {
        co_return;
    }
    state->again = now + kTryAgain;
    const bool left = co_await store->leave();
    co_await drogon::switchThreadCoro(drogon::app().getLoop());
    state->done = left;
    state->trying = false;
}

void Drain::look()
{
    const bool over = run_->tick(std::chrono::steady_clock::now());
    const std::string left = textOf(over ? run_->leftBehind() : run_->left());
    if (left != told_)
    {
        told_ = left;
        if (progress_)
        {
            progress_(left);
        }
    }
    if (!over)
    {
        return;
    }
    over_ = true;
    drogon::app().getLoop()->invalidateTimer(timer_);
    if (Done done = std::exchange(done_, nullptr))
    {
        done({run_->leftBehind().empty(), left});
    }
}

void Drain::shutdown()
{
    drogon::app().getLoop()->invalidateTimer(timer_);
    done_ = nullptr;
    progress_ = nullptr;
    // With it go its stages, and what they hold of the store.
    run_.reset();
}
}  // namespace relayer::plugins
