#include "plugins/key_url.h"

#include "plugins/part.h"
#include "plugins/settings.h"

#include <trantor/utils/Logger.h>

#include <utility>

namespace relayer::plugins
{
namespace
{
// The questions are asked one after the other.
constexpr std::size_t kConnections = 2;

std::unique_ptr<KeyUrlReader> readerFrom(trantor::EventLoop *loop, const config::Settings &settings)
{
    chain::rpc::NodeOptions nodes;
    for (const config::NamedUrl &url : settings.protocolConfig.rpc)
    {
        nodes.read.push_back({url.name, url.url.reveal()});
    }
    nodes.timeout = settings.gateway.rpc.timeout;
    nodes.connections = kConnections;
    KeyUrlReader::Contracts contracts;
    contracts.kmsGeneration = settings.keyUrl.kmsGeneration.value_or(core::Address{});
    contracts.protocolConfig = settings.protocolConfig.address.value_or(core::Address{});
    return std::make_unique<KeyUrlReader>(chain::rpc::connectNode(loop, std::move(nodes)),
                                          contracts);
}
}  // namespace

KeyUrl::~KeyUrl() = default;

void KeyUrl::initAndStart(const Json::Value &)
{
    const config::Settings &settings = part<Settings>()->values();
    if (!settings.keyUrl.kmsGeneration)
    {
        LOG_INFO << "step=keyurl_off: keyurl.kms_generation_address names no contract";
        return;
    }
    loop_ = std::make_unique<OwnLoop>("KeyUrl");
    KeyUrlPoller::Options options;
    options.interval = settings.keyUrl.pollInterval;
    loop_->run([&] {
        poller_ = std::make_shared<KeyUrlPoller>(loop_->get(), readerFrom(loop_->get(), settings),
                                                 std::move(options));
        poller_->start();
    });
}

void KeyUrl::shutdown()
{
    if (!poller_)
    {
        return;
    }
    loop_->run([this] { poller_->stop(); });
    if (!poller_->ended(OwnLoop::kLastAnswers))
    {
        // A node has not answered; what waits for it stays until the process ends.
        keepForGood(std::move(loop_), {poller_});
        return;
    }
    // Clients of nodes are dropped on their loop.
    loop_->run([this] { poller_->letGo(); });
    loop_.reset();
}

std::optional<KeyUrlPoller::Told> KeyUrl::told() const
{
    return poller_ ? poller_->told() : std::nullopt;
}
}  // namespace relayer::plugins
