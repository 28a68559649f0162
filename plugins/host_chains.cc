#include "plugins/host_chains.h"

#include "chain/rpc/error.h"
#include "plugins/node_text.h"
#include "plugins/part.h"
#include "plugins/settings.h"

#include <drogon/utils/coroutine.h>
#include <trantor/utils/Logger.h>

#include <chrono>
#include <utility>
#include <vector>

namespace relayer::plugins
{
namespace
{
constexpr double kAskAgain = 10.0;
// Each call to a host chain asks for many requests.
constexpr std::size_t kConnections = 16;

std::shared_ptr<chain::rpc::Node> nodeOf(trantor::EventLoop *loop,
                                         const config::HostChainSettings &chain,
                                         const config::Settings &settings)
{
    chain::rpc::NodeOptions options;
    for (const config::NamedUrl &url : chain.rpc)
    {
        options.read.push_back({url.name, url.url.reveal()});
    }
    options.timeout = settings.gateway.rpc.timeout;
    options.connections = kConnections;
    return chain::rpc::connectNode(loop, std::move(options));
}

// A warning when the node is of another chain. Asked until the node answers, or the gate is closed.
drogon::AsyncTask compareChainId(std::shared_ptr<models::Gate> gate, trantor::EventLoop *loop,
                                 std::weak_ptr<chain::rpc::Node> weak, std::uint64_t configured)
{
    const auto node = weak.lock();
    if (!node)
    {
        co_return;
    }
    try
    {
        const auto pass = gate->enter();
        const std::uint64_t told = co_await node->chainId();
        if (told != configured)
        {
            LOG_WARN << "step=wrong_chain alert=true host_chain=" << configured
                     << " node_says=" << told;
        }
        co_return;
    }
    catch (const models::StoreError &)
    {
        co_return;  // the gate is closed
    }
    catch (const chain::rpc::RpcError &error)
    {
        LOG_WARN << "step=host_chain_silent host_chain=" << configured
                 << " why=" << nodeText(error.what());
    }
    loop->runAfter(kAskAgain, [gate, loop, weak, configured] {
        compareChainId(gate, loop, weak, configured);
    });
}
}  // namespace

HostChains::~HostChains() = default;

void HostChains::initAndStart(const Json::Value &)
{
    const config::Settings &settings = part<Settings>()->values();
    loop_ = std::make_unique<OwnLoop>("HostChains");
    connect(settings);
    gate_ = std::make_shared<models::Gate>();
    loop_->run([this] {
        for (const auto &[id, chain] : chains_)
        {
            compareChainId(gate_, loop_->get(), chain.node, id);
        }
    });
}

void HostChains::connect(const config::Settings &settings)
{
    for (const config::HostChainSettings &chain : settings.hostChains)
    {
        chains_[chain.chainId] = {chain.chainId, chain.acl, nodeOf(loop_->get(), chain, settings)};
        ids_.insert(chain.chainId);
    }
    if (ids_.empty())
    {
        LOG_WARN << "host_chains is empty: decryptions are refused";
    }
}

void HostChains::shutdown()
{
    gate_->close();
    if (!gate_->waitUntilEmpty(OwnLoop::kLastAnswers))
    {
        // A node has not answered; what waits for it stays until the process ends.
        std::vector<std::shared_ptr<void>> nodes;
        nodes.reserve(chains_.size());
        for (const auto &[id, chain] : chains_)
        {
            nodes.push_back(chain.node);
        }
        keepForGood(std::move(loop_), std::move(nodes));
        return;
    }
    // Clients of nodes are dropped on their loop.
    loop_->run([this] { chains_.clear(); });
    loop_.reset();
}

const HostChain *HostChains::find(std::uint64_t chainId) const
{
    const auto found = chains_.find(chainId);
    return found == chains_.end() ? nullptr : &found->second;
}
}  // namespace relayer::plugins
