#include "plugins/gateway_listener.h"

#include "plugins/part.h"
#include "plugins/responses.h"
#include "plugins/settings.h"
#include "plugins/store.h"
#include "plugins/tx_engine.h"

#include <trantor/utils/Logger.h>

#include <algorithm>
#include <ctime>
#include <string_view>
#include <utility>

namespace relayer::plugins
{
using chain::rpc::LogSubscription;
using std::chrono::milliseconds;

namespace
{
// Three readings in a row, and what a slow node takes; rounds of the sweeper, and a long one.
constexpr int kMissed = 3;
constexpr std::chrono::seconds kSlowReading{10};
constexpr std::chrono::seconds kLongRound{60};
// For an answer that was read to be decoded and stored. As the next one, no more than the deadline
// itself where that is short.
constexpr std::chrono::seconds kSettling{15};
// A deadline waits for a chain that can not be read for no longer than this.
constexpr std::chrono::minutes kDeafness{10};

// Runs on while the machine sleeps, as the database's clock does.
core::Hearing::Time now()
{
    timespec time{};
    clock_gettime(CLOCK_BOOTTIME, &time);
    return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

bool isSubscription(std::string_view url)
{
    return url.starts_with("ws");
}

chain::rpc::NamedUrl revealed(const config::NamedUrl &url)
{
    return {url.name, url.url.reveal()};
}

std::shared_ptr<chain::rpc::Node> nodeAt(trantor::EventLoop *loop, const config::NamedUrl &url,
                                         const config::RpcSettings &rpc)
{
    chain::rpc::NodeOptions options;
    options.read.push_back(revealed(url));
    options.timeout = rpc.timeout;
    // One source asks one thing at a time.
    options.connections = 2;
    return chain::rpc::connectNode(loop, std::move(options));
}
}  // namespace

ListenerOptions listenerOptions(const config::Settings &settings)
{
    const config::GatewaySettings &gateway = settings.gateway;
    const config::ListenerSettings &listener = settings.listener;
    ListenerOptions options;
    options.chainId = gateway.chainId;
    options.contracts.decryption = gateway.contracts.decryption.value_or(core::Address{});
    options.contracts.inputVerification =
        gateway.contracts.inputVerification.value_or(core::Address{});
    options.confirmations = static_cast<std::int64_t>(gateway.confirmations);
    if (listener.startBlock)
    {
        options.startBlock = static_cast<std::int64_t>(*listener.startBlock);
    }
    options.maxBlockRange = static_cast<std::int64_t>(listener.maxBlockRange);
    options.pollInterval = listener.pollInterval;
    options.keepUnmatched = listener.keepUnmatched;
    options.silence = listener.silence;
    options.recycle = listener.recycle;
    return options;
}

GatewayListener::~GatewayListener() = default;

void GatewayListener::initAndStart(const Json::Value &)
{
    const config::Settings &settings = part<Settings>()->values();
    if (!settings.gateway.isOn())
    {
        LOG_INFO << "step=listener_off: gateway.rpc.read names no node";
        return;
    }
    const ListenerOptions options = listenerOptions(settings);
    const auto pause = std::max(options.pollInterval, options.coverInterval);
    const config::TimePerKind &deadline = settings.sweeper.responseTimeout;
    const auto soonest =
        std::min({deadline.inputProof, deadline.publicDecrypt, deadline.userDecrypt});
    core::Hearing::Patience patience;
    patience.silence = kMissed * pause + kSlowReading;
    patience.settling = std::min<core::Hearing::Time>(kSettling, soonest);
    patience.deafness = std::min<core::Hearing::Time>(kDeafness, soonest);
    patience.absence = kMissed * settings.sweeper.interval + kLongRound;
    heard_ = std::make_shared<Heard>(patience);
    loop_ = std::make_unique<OwnLoop>("GatewayListener");
    loop_->run([this, &settings, &options] { addSources(settings, options); });
}

void GatewayListener::addSources(const config::Settings &settings, const ListenerOptions &options)
{
    trantor::EventLoop *loop = loop_->get();
    const auto &endpoints = settings.listener.endpoints.empty() ? settings.gateway.rpc.read
                                                                : settings.listener.endpoints;
    auto *const store = part<Store>();
    auto *const responses = part<Responses>();
    auto *const engine = part<TxEngine>();
    for (const config::NamedUrl &endpoint : endpoints)
    {
        ListenerSource::Context context;
        context.name = endpoint.name;
        context.stored = [responses] { responses->wake(); };
        context.read = [heard = heard_](bool toTheHead) {
            const std::lock_guard lock(heard->mutex);
            toTheHead ? heard->hearing.heard(now()) : heard->hearing.hearing(now());
        };
        context.reader.loop = loop;
        context.reader.inbox = [store, inbox = store->inbox()]() -> models::InboxStore & {
            // Throws while there is no schema yet.
            static_cast<void>(store->requests());
            return *inbox;
        };
        context.reader.reorganised = [engine](std::int64_t from) { engine->reorganised(from); };
        if (isSubscription(endpoint.url.reveal()))
        {
            // Where a node answers requests can not be told from where it takes subscriptions.
            for (const config::NamedUrl &read : settings.gateway.rpc.read)
            {
                context.reader.nodes.push_back(nodeAt(loop, read, settings.gateway.rpc));
            }
            chain::rpc::SubscriptionOptions subscription;
            subscription.endpoint = revealed(endpoint);
            subscription.addresses = {options.contracts.decryption,
                                      options.contracts.inputVerification};
            subscription.anyTopic0 = chain::gatewayTopics();
            subscription.silence = options.silence;
            subscription.probeEvery = options.silence / 4;
            subscription.recycleAfter = options.recycle;
            context.subscribe = [loop, subscription](LogSubscription::Events events) {
                return chain::rpc::subscribeToLogs(loop, subscription, std::move(events));
            };
        }
        else
        {
            context.reader.nodes.push_back(nodeAt(loop, endpoint, settings.gateway.rpc));
        }
        sources_.push_back(std::make_shared<ListenerSource>(std::move(context), options));
        sources_.back()->start();
        LOG_INFO << "step=listening source=" << endpoint.name
                 << " by=" << (sources_.back()->state().subscription ? "subscription" : "polling");
    }
}

void GatewayListener::shutdown()
{
    if (!loop_)
    {
        return;
    }
    loop_->run([this] {
        for (const auto &source : sources_)
        {
            source->stop();
        }
    });
    const auto deadline = std::chrono::steady_clock::now() + OwnLoop::kLastAnswers;
    bool ended = true;
    for (const auto &source : sources_)
    {
        const auto left =
            std::chrono::duration_cast<milliseconds>(deadline - std::chrono::steady_clock::now());
        ended = source->ended(std::max(left, milliseconds(0))) && ended;
    }
    if (!ended)
    {
        // A node or the database has not answered.
        keepForGood(std::move(loop_), {sources_.begin(), sources_.end()});
        return;
    }
    // Clients of nodes are dropped on their loop.
    loop_->run([this] { sources_.clear(); });
    loop_.reset();
}

bool GatewayListener::silenceMeansNoAnswer()
{
    if (!heard_)
    {
        return true;
    }
    const std::lock_guard lock(heard_->mutex);
    return heard_->hearing.silenceMeansNoAnswer(now());
}

std::vector<SourceState> GatewayListener::snapshot() const
{
    std::vector<SourceState> states;
    states.reserve(sources_.size());
    for (const auto &source : sources_)
    {
        states.push_back(source->state());
    }
    return states;
}
}  // namespace relayer::plugins
