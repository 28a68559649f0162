#include "plugins/health_checks.h"

#include "chain/rpc/node.h"
#include "plugins/gateway_listener.h"
#include "plugins/host_chains.h"
#include "plugins/key_url.h"
#include "plugins/part.h"
#include "plugins/resumed_on.h"
#include "plugins/settings.h"
#include "plugins/store.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace relayer::plugins
{
using drogon::Task;

namespace
{
// Who probes us gives up sooner than who works with the node.
constexpr std::chrono::milliseconds kPatience{5000};

Task<bool> isThere(trantor::EventLoop *loop, std::shared_ptr<chain::rpc::Node> node)
{
    co_await resumedOn(loop, node->blockNumber());
    co_return true;
}

Task<bool> known(bool ok)
{
    co_return ok;
}
}  // namespace

HealthChecks::~HealthChecks() = default;

void HealthChecks::initAndStart(const Json::Value &)
{
    const config::Settings &settings = part<Settings>()->values();
    interval_ = settings.http.healthInterval;
    store_ = part<Store>();
    loop_ = std::make_unique<OwnLoop>("HealthChecks");
    loop_->run([&] {
        if (settings.gateway.isOn())
        {
            addGateway(settings);
        }
        addHostChains(settings);
        if (auto *const keys = part<KeyUrl>(); keys->isOn())
        {
            add("keyurl", Need::Never, [keys] { return known(keys->healthy()); });
        }
        for (const Named &each : checks_)
        {
            each.check->start();
        }
    });
}

void HealthChecks::addGateway(const config::Settings &settings)
{
    chain::rpc::NodeOptions options;
    for (const config::NamedUrl &url : settings.gateway.rpc.read)
    {
        options.read.push_back({url.name, url.url.reveal()});
    }
    options.timeout = std::min(settings.gateway.rpc.timeout, kPatience);
    options.connections = 1;
    auto *const loop = loop_->get();
    const auto node = chain::rpc::connectNode(loop, std::move(options));
    add("gateway_http", Need::Always, [loop, node] { return isThere(loop, node); });

    const auto *const listener = part<GatewayListener>();
    for (std::size_t i = 0; i < listener->snapshot().size(); ++i)
    {
        add("gateway_listener_" + std::to_string(i), Need::OneOfThem,
            [listener, i] { return known(listener->snapshot().at(i).connected); });
    }
}

void HealthChecks::addHostChains(const config::Settings &settings)
{
    const auto *const chains = part<HostChains>();
    for (const config::HostChainSettings &chain : settings.hostChains)
    {
        add("host_chain_" + std::to_string(chain.chainId), Need::Never,
            [loop = loop_->get(), node = chains->find(chain.chainId)->node] {
                return isThere(loop, node);
            });
    }
}

void HealthChecks::add(std::string name, Need need, RepeatedCheck::Ask ask)
{
    checks_.push_back({need, std::make_shared<RepeatedCheck>(loop_->get(), std::move(name),
                                                             interval_, std::move(ask))});
}

void HealthChecks::shutdown()
{
    loop_->run([this] {
        for (const Named &each : checks_)
        {
            each.check->stop();
        }
    });
    const auto deadline = std::chrono::steady_clock::now() + OwnLoop::kLastAnswers;
    bool ended = true;
    for (const Named &each : checks_)
    {
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
            deadline - std::chrono::steady_clock::now());
        ended = each.check->ended(std::max(left, std::chrono::milliseconds(0))) && ended;
    }
    if (!ended)
    {
        // A node has not answered; what waits for it stays until the process ends.
        std::vector<std::shared_ptr<void>> checks;
        std::ranges::transform(checks_, std::back_inserter(checks), &Named::check);
        keepForGood(std::move(loop_), std::move(checks));
        return;
    }
    // Clients of nodes are dropped on their loop.
    loop_->run([this] {
        for (const Named &each : checks_)
        {
            each.check->letGo();
        }
    });
    loop_.reset();
}

wire::Dependencies HealthChecks::dependencies() const
{
    const bool heard = std::any_of(checks_.begin(), checks_.end(), [](const Named &each) {
        return each.need == Need::OneOfThem && each.check->ok();
    });
    wire::Dependencies all = {{"database", store_->healthy()}};
    for (const Named &each : checks_)
    {
        const bool needed = each.need == Need::Always || (each.need == Need::OneOfThem && !heard);
        all.push_back({each.check->name(), each.check->ok(), needed});
    }
    return all;
}
}  // namespace relayer::plugins
