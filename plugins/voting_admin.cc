#include "plugins/voting_admin.h"

#include "models/store_error.h"
#include "plugins/part.h"
#include "plugins/settings.h"
#include "plugins/store.h"

#include <trantor/utils/Logger.h>

#include <utility>

namespace relayer::plugins
{
namespace
{

std::int64_t nowSeconds()
{
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::seconds>(now).count();
}

double secondsOf(std::chrono::milliseconds time)
{
    return std::chrono::duration<double>(time).count();
}
}  // namespace

void VotingAdmin::initAndStart(const Json::Value &)
{
    settings_ = part<Settings>()->values().votingAdmin;
    if (!settings_.enabled)
    {
        LOG_INFO << "step=voting_admin_off: voting_admin.enabled is false";
        return;
    }
    loop_ = std::make_unique<OwnLoop>("VotingAdmin");
    VotingConfigOptions upstream;
    upstream.upstream = chain::rpc::parseUrl(settings_.configUrl).value();
    upstream.timeout = settings_.timeout;
    upstream.staleAtMost = settings_.staleAtMost;
    ValidatorJoins::Surroundings joins;
    joins.loop = loop_->get();
    joins.store = part<Store>()->registrations();
    if (!settings_.chain.empty())
    {
        joins.chain = chain::rpc::parseUrl(settings_.chain[0].url.reveal());
    }
    joins.timeout = settings_.timeout;
    joins.keep = std::chrono::duration_cast<std::chrono::seconds>(settings_.registrationTtl);
    joins.now = nowSeconds;
    loop_->run([&] {
        trantor::EventLoop *const loop = loop_->get();
        work_ = std::make_shared<Work>();
        work_->config = std::make_shared<VotingConfig>(loop, std::move(upstream));
        work_->joins = std::make_shared<ValidatorJoins>(std::move(joins));
        const std::weak_ptr<Work> weak = work_;
        const auto each = [loop, weak](std::chrono::milliseconds period,
                                       drogon::AsyncTask (*act)(std::shared_ptr<Work>)) {
            loop->runEvery(secondsOf(period), [weak, act] {
                if (auto work = weak.lock())
                {
                    act(std::move(work));
                }
            });
        };
        each(settings_.refresh, refresh);
        each(settings_.sweepInterval, sweep);
        refresh(work_);
    });
}

drogon::AsyncTask VotingAdmin::refresh(std::shared_ptr<Work> work)
{
    if (work->refreshing.exchange(true))
    {
        co_return;
    }
    const auto inside = work->gate.enter();
    co_await work->config->refresh();
    work->refreshing = false;
}

drogon::AsyncTask VotingAdmin::sweep(std::shared_ptr<Work> work)
{
    if (work->sweeping.exchange(true))
    {
        co_return;
    }
    try
    {
        const auto inside = work->gate.enter();
        co_await work->joins->sweep();
    }
    catch (const models::StoreError &error)
    {
        LOG_DEBUG << "step=registrations_not_swept why=" << error.what();
    }
    work->sweeping = false;
}

void VotingAdmin::shutdown()
{
    if (!work_)
    {
        return;
    }
    work_->gate.close();
    if (!work_->gate.waitUntilEmpty(OwnLoop::kLastAnswers))
    {
        // A publisher has not answered; what waits for it stays until the process ends.
        keepForGood(std::move(loop_), {std::move(work_)});
        return;
    }
    loop_->run([this] { work_.reset(); });
    loop_.reset();
}
}  // namespace relayer::plugins
