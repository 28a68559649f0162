#include "integration/listener_harness.h"

#include "support/await.h"

#include <future>

namespace relayer::test
{
using plugins::ListenerSource;
using std::chrono::milliseconds;

namespace
{
void runOn(trantor::EventLoop *loop, const std::function<void()> &work)
{
    std::promise<void> done;
    loop->runInLoop([&] {
        work();
        done.set_value();
    });
    done.get_future().wait();
}
}  // namespace

void openAttempts(const TestDatabase &database)
{
    database.query(
        "INSERT INTO signer_lane (name, address) VALUES ('main', decode(repeat('aa', "
        "20), 'hex')) ON CONFLICT DO NOTHING");
    for (const core::Kind kind : core::kAllKinds)
    {
        const Placed placed = place(database, {.kind = kind, .status = core::Status::TxInFlight});
        database.query("INSERT INTO tx_attempt (lane, nonce, request_id) VALUES ('main', " +
                       std::to_string(placed.id) + ", " + std::to_string(placed.id) + ")");
    }
}

ListenerHarness::ListenerHarness(const TestDatabase &database)
    : database_(database),
      store_(database),
      inbox_(std::make_unique<models::InboxStore>(store_.writer(), store_.writer()))
{
    options.chainId = 654321;
    options.contracts = testContracts();
    options.pollInterval = milliseconds(20);
    options.coverInterval = milliseconds(100);
    options.backOffFirst = milliseconds(10);
    options.backOffMost = milliseconds(100);
    options.startBlock = 0;
}

ListenerHarness::~ListenerHarness()
{
    stopAll();
}

void ListenerHarness::stopAll()
{
    runOn(loop(), [this] {
        for (const auto &source : sources_)
        {
            source->stop();
        }
    });
    for (const auto &source : sources_)
    {
        if (!source->ended(std::chrono::seconds(30)))
        {
            std::abort();
        }
    }
    runOn(loop(), [this] { sources_.clear(); });
}

ListenerSource::Context ListenerHarness::contextFor(const std::string &name,
                                                    const std::vector<FakeNode *> &readers)
{
    ListenerSource::Context context;
    context.name = name;
    context.read = [this](bool toTheHead) { readToHead_ += toTheHead ? 1 : 0; };
    context.stored = [this] { ++wakes_; };
    context.reader.loop = loop();
    context.reader.inbox = [this]() -> models::InboxStore & {
        if (away_)
        {
            throw models::StoreError(models::StoreError::Code::Unavailable, "away");
        }
        return *inbox_;
    };
    context.reader.reorganised = [this](std::int64_t from) {
        const std::lock_guard lock(mutex_);
        reorgs_.push_back(from);
    };
    for (FakeNode *reader : readers)
    {
        chain::rpc::NodeOptions node;
        node.read.push_back({name, reader->url()});
        node.timeout = milliseconds(2000);
        context.reader.nodes.push_back(chain::rpc::connectNode(loop(), std::move(node)));
    }
    return context;
}

std::shared_ptr<ListenerSource> ListenerHarness::start(ListenerSource::Context context)
{
    auto source = std::make_shared<ListenerSource>(std::move(context), options);
    runOn(loop(), [&] {
        sources_.push_back(source);
        source->start();
    });
    return source;
}

std::shared_ptr<ListenerSource> ListenerHarness::poll(const std::string &name, FakeNode *node)
{
    return start(contextFor(name, {node}));
}

std::shared_ptr<ListenerSource> ListenerHarness::subscribe(const std::string &name, FakeNode *node,
                                                           const std::vector<FakeNode *> &readers)
{
    ListenerSource::Context context = contextFor(name, readers);
    chain::rpc::SubscriptionOptions subscription;
    subscription.endpoint = {name, node->socketUrl()};
    subscription.addresses = {options.contracts.decryption, options.contracts.inputVerification};
    subscription.anyTopic0 = chain::gatewayTopics();
    subscription.connectTimeout = milliseconds(1000);
    subscription.silence = options.silence;
    subscription.probeEvery = options.silence / 4;
    subscription.backOffFirst = milliseconds(10);
    subscription.backOffMost = milliseconds(100);
    context.subscribe = [this, subscription](chain::rpc::LogSubscription::Events events) {
        return chain::rpc::subscribeToLogs(loop(), subscription, std::move(events));
    };
    return start(std::move(context));
}

std::size_t ListenerHarness::events() const
{
    return std::stoull(database_.value("SELECT count(*) FROM gateway_event"));
}

std::int64_t ListenerHarness::cursor(const std::string &name) const
{
    const auto rows = database_.query(
        "SELECT block_number FROM chain_cursor WHERE listener = 'listener." + name + "'");
    return rows.empty() ? -2 : std::stoll(rows[0][0]);
}

std::vector<std::int64_t> ListenerHarness::reorgs() const
{
    const std::lock_guard lock(mutex_);
    return reorgs_;
}
}  // namespace relayer::test
