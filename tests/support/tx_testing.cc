#include "support/tx_testing.h"

#include "chain/private_key_signer.h"
#include "core/decrypt.h"
#include "core/input_proof.h"
#include "support/await.h"
#include "support/eventually.h"

#include <future>
#include <stdexcept>

namespace relayer::test
{
namespace
{
constexpr std::uint64_t kHostChain = 8009;

// As handles look: 21 random bytes, an index, the chain, a type, a version.
core::Hash32 handle(std::uint64_t number)
{
    core::Hash32 handle = hash32(number, 7);
    for (std::size_t i = 0; i < 8; ++i)
    {
        handle[12 - i] = static_cast<std::uint8_t>(number >> (8 * i));
        handle[29 - i] = static_cast<std::uint8_t>(kHostChain >> (8 * i));
    }
    handle[21] = 0;
    handle[30] = 5;  // uint64
    handle[31] = 0;
    return handle;
}

core::Address address(std::uint64_t number)
{
    core::Address address{};
    address[0] = 0x51;
    for (std::size_t i = 0; i < 8; ++i)
    {
        address[19 - i] = static_cast<std::uint8_t>(number >> (8 * i));
    }
    return address;
}

core::InputProof proofOf(std::uint64_t number)
{
    core::InputProof proof;
    proof.contractChainId = kHostChain;
    proof.contractAddress = address(number);
    proof.userAddress = address(number + 1);
    proof.ciphertextWithProof = core::Bytes(64, static_cast<std::uint8_t>(number));
    proof.ciphertextWithProof[0] = 1;
    proof.extraData = {0};
    return proof;
}

core::UserDecrypt userDecryptOf(std::uint64_t number)
{
    core::UnifiedUserDecrypt request;
    request.handles.push_back({handle(number), address(1), address(2)});
    request.user = address(2);
    request.publicKey = core::Bytes(64, 9);
    request.allowedContracts = {address(1)};
    // A minute ago by any clock that a chain of this test has.
    request.startTimestamp = static_cast<std::uint64_t>(std::chrono::system_clock::to_time_t(
                                 std::chrono::system_clock::now())) -
                             600;
    request.durationSeconds = 86'400;
    request.signature = core::Bytes(65, 3);
    request.extraData = {0};
    return request;
}

template <typename Value>
Value onLoop(trantor::EventLoop *loop, const std::function<Value()> &ask)
{
    std::promise<Value> promise;
    auto answer = promise.get_future();
    loop->queueInLoop([&] { promise.set_value(ask()); });
    return answer.get();
}
}  // namespace

plugins::TxOptions impatientOptions()
{
    using std::chrono::milliseconds;
    plugins::TxOptions options;
    options.chainId = 654321;
    options.maxAttempts = 20;
    options.retryInterval = milliseconds(30);
    options.receiptPollInterval = milliseconds(30);
    options.rebroadcastAfter = milliseconds(300);
    options.feeBumpAfter = milliseconds(2'000);
    options.maxFeePerGas = chain::Uint256(500) * 1'000'000'000;
    options.resendWithoutEventAfter = milliseconds(200);
    options.fundsProbe = milliseconds(300);
    options.lease = milliseconds(15'000);
    return options;
}

RunningPipeline::RunningPipeline(const TestDatabase &database, PipelineOptions options)
    : store_(database), loop_(std::make_unique<plugins::OwnLoop>("pipeline"))
{
    context_ = std::make_shared<plugins::TxContext>();
    context_->loop = loop_->get();
    chain::rpc::NodeOptions node;
    node.read = {{"test", options.nodeUrl}};
    node.timeout = options.timeout;
    node.syncTimeout = options.syncTimeout;
    node.syncSends = options.tx.maxInFlight;
    context_->node = chain::rpc::connectNode(context_->loop, std::move(node));
    const auto key = chain::parsePrivateKey(options.key);
    if (!key)
    {
        throw std::runtime_error("no private key");
    }
    context_->signer = chain::signerWithKey(*key);
    context_->lanes = std::make_shared<models::LaneStore>(store_.writer());
    context_->sweeps = std::make_shared<models::SweepStore>(store_.writer(), nullptr);
    context_->requests = [this]() -> models::RequestStore & { return *store_; };
    context_->claimer = [claimer = options.claimer] { return claimer; };
    context_->options = options.tx;
    pipeline_ = plugins::TxPipeline::create(context_, std::move(options.events));
    context_->loop->queueInLoop([this] { pipeline_->start(); });
}

RunningPipeline::~RunningPipeline()
{
    onLoop<bool>(context_->loop, [this] {
        pipeline_->stop();
        return true;
    });
    context_->gate.close();
    if (!context_->gate.waitUntilEmpty(std::chrono::seconds(20)))
    {
        std::abort();
    }
    onLoop<bool>(context_->loop, [this] {
        pipeline_.reset();
        return true;
    });
    context_->node.reset();
    loop_.reset();
}

std::optional<std::size_t> RunningPipeline::pullOnce(core::Kind kind)
{
    const std::size_t room =
        onLoop<std::size_t>(context_->loop, [this] { return pipeline_->room(); });
    if (room == 0)
    {
        return std::nullopt;
    }
    const auto rows =
        await(store_->claim(kind, core::Status::Processing, *context_->claimer(), room));
    return onLoop<std::size_t>(context_->loop, [&] {
        pipeline_->take(rows);
        return rows.size();
    });
}

void RunningPipeline::pullAll()
{
    if (!becomes([](const auto &snapshot) { return snapshot.held; }))
    {
        throw std::runtime_error("the lane is not held");
    }
    for (const core::Kind kind : core::kAllKinds)
    {
        const auto nothingLeft = [&] { return pullOnce(kind) == std::size_t{0}; };
        if (!eventually(nothingLeft))
        {
            throw std::runtime_error("the pipeline has no room");
        }
    }
}

void RunningPipeline::reorganised(std::int64_t fromBlock)
{
    context_->loop->queueInLoop([this, fromBlock] { pipeline_->reorganised(fromBlock); });
}

plugins::TxPipeline::Snapshot RunningPipeline::snapshot()
{
    return onLoop<plugins::TxPipeline::Snapshot>(context_->loop,
                                                 [this] { return pipeline_->snapshot(); });
}

bool RunningPipeline::becomes(const std::function<bool(const plugins::TxPipeline::Snapshot &)> &is,
                              std::chrono::milliseconds atMost)
{
    return eventually([&] { return is(snapshot()); }, atMost);
}

models::NewRequest requestOf(core::Kind kind, std::uint64_t number)
{
    models::NewRequest request;
    request.kind = kind;
    request.jobId = jobId(number);
    switch (kind)
    {
        case core::Kind::InputProof:
        {
            const core::InputProof proof = proofOf(number);
            request.contentHash = core::contentHash(proof);
            request.payload = core::encodePayload(proof);
            break;
        }
        case core::Kind::PublicDecrypt:
        {
            const core::PublicDecrypt decrypt{{handle(number)}, {0}};
            request.contentHash = core::contentHash(decrypt);
            request.payload = core::encodePayload(decrypt);
            break;
        }
        case core::Kind::UserDecrypt:
        {
            const core::UserDecrypt decrypt = userDecryptOf(number);
            request.variant = models::Variant::Unified;
            request.contentHash = core::contentHash(decrypt);
            request.payload = core::encodePayload(decrypt);
            break;
        }
    }
    return request;
}

std::vector<models::RequestId> admitReady(TestStore &store, core::Kind kind, std::size_t count,
                                          std::uint64_t seed)
{
    // Started together they share their commits.
    std::vector<std::future<models::Admission>> admissions;
    for (std::size_t i = 0; i < count; ++i)
    {
        admissions.push_back(start(store->admit(requestOf(kind, seed + i))));
    }
    std::vector<models::RequestId> ids;
    std::vector<std::future<models::StepOutcome>> steps;
    for (auto &each : admissions)
    {
        const models::Admission admission = each.get();
        if (admission.status == core::Status::Queued)
        {
            models::Step step;
            step.transition = core::Transition::PassReadiness;
            step.id = admission.id;
            steps.push_back(start(store->apply(step)));
        }
        ids.push_back(admission.id);
    }
    for (auto &step : steps)
    {
        step.get();
    }
    return ids;
}
}  // namespace relayer::test
