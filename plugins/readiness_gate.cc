#include "plugins/readiness_gate.h"

#include "plugins/host_chains.h"
#include "plugins/part.h"
#include "plugins/settings.h"
#include "plugins/store.h"

#include <trantor/utils/Logger.h>

#include <utility>

namespace relayer::plugins
{
using core::Kind;

namespace
{
// A database or a node that does not answer is not waited for longer.
constexpr std::uint64_t kMostConcurrency = 10'000;

ReadinessLines::Limits linesOf(const config::ReadinessSettings &settings)
{
    const auto lineOf = [](const config::ReadinessQueueSettings &queue) {
        return core::WaitingLine::Limits{queue.capacity, queue.capacity - queue.safetyMargin};
    };
    ReadinessLines::Limits limits;
    limits.at(static_cast<std::size_t>(Kind::InputProof)) = {0, 0};
    limits.at(static_cast<std::size_t>(Kind::PublicDecrypt)) = lineOf(settings.publicDecrypt);
    limits.at(static_cast<std::size_t>(Kind::UserDecrypt)) = lineOf(settings.userDecrypt);
    return limits;
}

ReadinessCheckOptions checkOf(const config::ReadinessCheckSettings &settings)
{
    return {settings.retry.maxAttempts, settings.retry.interval, settings.maxBatch};
}

ReadinessOptions optionsOf(const config::GatewaySettings &gateway)
{
    const config::ReadinessSettings &settings = gateway.readiness;
    const auto set = [](ReadinessOptions &options, Kind kind,
                        const config::ReadinessQueueSettings &queue) {
        options.maxConcurrency.at(static_cast<std::size_t>(kind)) = queue.maxConcurrency;
        options.capacity.at(static_cast<std::size_t>(kind)) = queue.capacity;
    };
    ReadinessOptions options;
    options.hostAcl = checkOf(settings.hostAcl);
    options.gwCiphertext = checkOf(settings.gwCiphertext);
    options.decryption = gateway.contracts.decryption.value_or(core::Address{});
    set(options, Kind::PublicDecrypt, settings.publicDecrypt);
    set(options, Kind::UserDecrypt, settings.userDecrypt);
    return options;
}

std::shared_ptr<chain::rpc::Node> gatewayNode(trantor::EventLoop *loop,
                                              const config::RpcSettings &rpc)
{
    chain::rpc::NodeOptions options;
    for (const config::NamedUrl &url : rpc.read)
    {
        options.read.push_back({url.name, url.url.reveal()});
    }
    options.timeout = rpc.timeout;
    options.connections = rpc.connections;
    return chain::rpc::connectNode(loop, std::move(options));
}
}  // namespace

ReadinessGate::~ReadinessGate() = default;

void ReadinessGate::initAndStart(const Json::Value &)
{
    const config::Settings &settings = part<Settings>()->values();
    const config::ReadinessSettings &readiness = settings.gateway.readiness;
    lines_ = std::make_shared<ReadinessLines>(linesOf(readiness));
    concurrency_.at(static_cast<std::size_t>(Kind::PublicDecrypt)) =
        readiness.publicDecrypt.maxConcurrency;
    concurrency_.at(static_cast<std::size_t>(Kind::UserDecrypt)) =
        readiness.userDecrypt.maxConcurrency;
    if (!settings.gateway.isOn())
    {
        LOG_INFO << "step=readiness_off: gateway.rpc.read names no node";
        return;
    }
    auto *const store = part<Store>();
    const auto *const hostChains = part<HostChains>();
    loop_ = std::make_unique<OwnLoop>("ReadinessGate");
    ReadinessRun::Surroundings surroundings;
    surroundings.loop = loop_->get();
    surroundings.requests = [store]() -> models::RequestStore & { return store->requests(); };
    surroundings.claimer = [store] { return store->epoch(); };
    surroundings.queues = part<TxThrottler>()->queues();
    surroundings.lines = lines_;
    surroundings.gateway = gatewayNode(loop_->get(), settings.gateway.rpc);
    for (const std::uint64_t id : hostChains->ids())
    {
        surroundings.hostChains.emplace(id, *hostChains->find(id));
    }
    surroundings.options = optionsOf(settings.gateway);
    surroundings.traceparentOf = [milestones = store->milestones()](models::RequestId request) {
        return milestones->traceparentOf(request);
    };
    const std::lock_guard lock(door_);
    run_ = ReadinessRun::create(std::move(surroundings));
    run_->start();
}

void ReadinessGate::shutdown()
{
    if (!loop_)
    {
        return;
    }
    std::shared_ptr<ReadinessRun> run;
    {
        const std::lock_guard lock(door_);
        run = std::move(run_);
    }
    loop_->run([&run] { run->stop(); });
    if (!run->ended(OwnLoop::kLastAnswers))
    {
        // A node or the database has not answered; what waits for it stays until the process ends.
        LOG_WARN << "step=readiness_run_left_behind";
        keepForGood(std::move(loop_), {std::move(run)});
        return;
    }
    // Clients of nodes are dropped on their loop.
    loop_->run([&run] { run.reset(); });
    loop_.reset();
}

std::optional<ReadinessGate::Slot> ReadinessGate::reserve(Kind kind, Place place)
{
    return lines_->reserve(kind, place);
}

void ReadinessGate::accept(Slot slot, const RequestRef &request)
{
    LOG_DEBUG << "step=readiness_queued kind=" << core::name(request.kind) << " id=" << request.id;
    lines_->accept(std::move(slot), request.ticket);
}

std::optional<std::uint64_t> ReadinessGate::position(Kind kind, std::int64_t ticket) const
{
    return lines_->position(kind, ticket);
}

ReadinessGate::Spot ReadinessGate::spot(Kind kind, std::int64_t ticket) const
{
    return lines_->spot(kind, ticket);
}

std::uint64_t ReadinessGate::maxConcurrency(Kind kind) const
{
    return concurrency_.at(static_cast<std::size_t>(kind));
}

ReadinessGate::Snapshot ReadinessGate::snapshot(Kind kind) const
{
    const std::lock_guard lock(door_);
    Snapshot snapshot;
    snapshot.line = lines_->snapshot(kind);
    if (run_)
    {
        snapshot.checks = run_->snapshots().at(static_cast<std::size_t>(kind));
    }
    return snapshot;
}

bool ReadinessGate::setMaxConcurrency(Kind kind, std::uint64_t most)
{
    const std::lock_guard lock(door_);
    if (kind == Kind::InputProof || most == 0 || most > kMostConcurrency)
    {
        return false;
    }
    // Without a gateway nothing is checked here, and clients are told by it all the same.
    if (run_)
    {
        run_->setMaxConcurrency(kind, most);
    }
    concurrency_.at(static_cast<std::size_t>(kind)) = most;
    return true;
}

void ReadinessGate::drain()
{
    const std::lock_guard lock(door_);
    if (run_)
    {
        loop_->get()->queueInLoop([run = run_] { run->stop(); });
    }
}

std::size_t ReadinessGate::left() const
{
    const std::lock_guard lock(door_);
    return run_ ? run_->left() : 0;
}
}  // namespace relayer::plugins
