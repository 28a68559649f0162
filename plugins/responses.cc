#include "plugins/responses.h"

#include "plugins/part.h"
#include "plugins/settings.h"
#include "plugins/store.h"
#include "plugins/tx_engine.h"

#include <trantor/utils/Logger.h>

#include <utility>

namespace relayer::plugins
{
namespace
{

std::shared_ptr<ThresholdResolver> resolverFrom(trantor::EventLoop *loop,
                                                const config::Settings &settings)
{
    ThresholdOptions options;
    options.current = static_cast<std::int32_t>(settings.gateway.userDecryptSharesThreshold);
    options.protocolConfig = settings.protocolConfig.address.value_or(core::Address{});
    options.timeToLive = settings.protocolConfig.thresholdTtl;
    std::shared_ptr<chain::rpc::Node> node;
    if (!settings.protocolConfig.rpc.empty())
    {
        chain::rpc::NodeOptions nodes;
        for (const config::NamedUrl &url : settings.protocolConfig.rpc)
        {
            nodes.read.push_back({url.name, url.url.reveal()});
        }
        nodes.timeout = settings.gateway.rpc.timeout;
        nodes.connections = 4;
        node = chain::rpc::connectNode(loop, std::move(nodes));
    }
    return std::make_shared<ThresholdResolver>(loop, std::move(node), options);
}
}  // namespace

Responses::~Responses() = default;

void Responses::initAndStart(const Json::Value &)
{
    const config::Settings &settings = part<Settings>()->values();
    if (!settings.gateway.isOn())
    {
        LOG_INFO << "step=responses_off: gateway.rpc.read names no node";
        return;
    }
    loop_ = std::make_unique<OwnLoop>("Responses");
    ResponseHandler::Context context;
    context.loop = loop_->get();
    auto *const store = part<Store>();
    context.inbox = [store, inbox = store->inbox()]() -> models::InboxStore & {
        // Throws while there is no schema yet.
        static_cast<void>(store->requests());
        return *inbox;
    };
    context.requests = [store]() -> models::RequestStore & { return store->requests(); };
    context.milestones = store->milestones();
    context.contracts.decryption = settings.gateway.contracts.decryption.value_or(core::Address{});
    context.contracts.inputVerification =
        settings.gateway.contracts.inputVerification.value_or(core::Address{});
    auto *const engine = part<TxEngine>();
    context.requestMined = [engine](models::TxHash hash) { engine->lookFor(hash); };
    loop_->run([&] {
        context.thresholds = resolverFrom(loop_->get(), settings);
        const std::lock_guard lock(door_);
        handler_ = std::make_shared<ResponseHandler>(std::move(context), ResponseOptions{});
        handler_->start();
    });
    // An answer that came before the receipt has a request now.
    engine->onReceiptStored([this] { wake(); });
}

void Responses::shutdown()
{
    std::shared_ptr<ResponseHandler> handler;
    {
        const std::lock_guard lock(door_);
        handler = std::move(handler_);
    }
    if (!handler)
    {
        return;
    }
    loop_->run([&] { handler->stop(); });
    if (!handler->ended(OwnLoop::kLastAnswers))
    {
        // A node or the database has not answered; what waits for it stays until the process ends.
        keepForGood(std::move(loop_), {std::move(handler)});
        return;
    }
    // Clients of nodes are dropped on their loop.
    loop_->run([&] { handler.reset(); });
    loop_.reset();
}

void Responses::wake()
{
    const std::lock_guard lock(door_);
    if (handler_)
    {
        handler_->wake();
    }
}

ResponseCounts Responses::counts() const
{
    const std::lock_guard lock(door_);
    return handler_ ? handler_->counts() : ResponseCounts{};
}
}  // namespace relayer::plugins
