#include "plugins/tx_engine.h"

#include "chain/address.h"
#include "chain/private_key_signer.h"
#include "plugins/fail_point.h"
#include "plugins/part.h"
#include "plugins/queue_levels.h"
#include "plugins/settings.h"
#include "plugins/store.h"
#include "plugins/tx_throttler.h"

#include <trantor/utils/Logger.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace relayer::plugins
{
namespace
{
using chain::rpc::RpcError;

constexpr double kEachSecond = 1.0;
constexpr std::chrono::seconds kEachWallet{15};
constexpr double kEachLook = 0.02;  // while it drains
// One claim takes rows with their payloads into memory.
constexpr std::size_t kRowsPerClaim = 64;
constexpr std::uint64_t kWeiPerGwei = 1'000'000'000;

std::vector<chain::rpc::NamedUrl> urls(const std::vector<config::NamedUrl> &configured)
{
    std::vector<chain::rpc::NamedUrl> named;
    named.reserve(configured.size());
    for (const config::NamedUrl &url : configured)
    {
        named.push_back({url.name, url.url.reveal()});
    }
    return named;
}

chain::rpc::NodeOptions nodeOptions(const config::RpcSettings &settings,
                                    const config::TxEngineSettings &engine)
{
    chain::rpc::NodeOptions options;
    options.read = urls(settings.read);
    options.write = urls(settings.write);
    options.timeout = settings.timeout;
    options.syncTimeout = settings.syncTimeout;
    options.connections = settings.connections;
    options.syncSends = engine.syncSend ? engine.maxInFlight : 0;
    return options;
}

TxOptions txOptions(const config::Settings &settings)
{
    const config::TxEngineSettings &engine = settings.txEngine;
    TxOptions options;
    options.lane = settings.signer.lane;
    options.chainId = settings.gateway.chainId;
    options.contracts.decryption = settings.gateway.contracts.decryption.value();
    options.contracts.inputVerification = settings.gateway.contracts.inputVerification.value();
    options.maxInFlight = engine.maxInFlight;
    options.maxAttempts = static_cast<int>(engine.retry.maxAttempts);
    options.retryInterval = engine.retry.interval;
    options.receiptPollInterval = engine.receiptPollInterval;
    options.rebroadcastAfter = std::max(options.rebroadcastAfter, 3 * engine.retry.interval);
    options.feeBumpAfter = engine.feeBumpAfter;
    options.feeBumpPercent = engine.feeBumpPercent;
    options.maxFeePerGas = chain::Uint256(engine.maxFeeGwei) * kWeiPerGwei;
    options.gasLimitPercent = engine.gasLimitPercent;
    options.resendWithoutEventAfter = engine.resendWithoutEventAfter;
    options.lease = engine.laneLease;
    options.deadline = settings.sweeper.txInFlight;
    options.syncSend = engine.syncSend;
    return options;
}

bool usesKms(const config::SignerSettings &settings)
{
    return settings.type == "aws_kms";
}

chain::rpc::KmsOptions kmsOptions(const config::KmsSettings &settings)
{
    chain::rpc::KmsOptions options;
    options.keyId = settings.keyId;
    options.region = settings.region;
    options.endpoint = settings.endpoint;
    options.credentials.accessKeyId = settings.accessKeyId;
    options.credentials.secretAccessKey = settings.secretAccessKey.reveal();
    options.credentials.sessionToken = settings.sessionToken.reveal();
    return options;
}

std::shared_ptr<const chain::Signer> signerFrom(const config::SignerSettings &settings)
{
    const auto key = chain::parsePrivateKey(settings.privateKey.reveal());
    auto signer = key ? chain::signerWithKey(*key) : nullptr;
    if (!signer)
    {
        throw std::runtime_error("signer.private_key is no private key");
    }
    return signer;
}
}  // namespace

TxEngine::~TxEngine() = default;

void TxEngine::initAndStart(const Json::Value &)
{
    const config::Settings &settings = part<Settings>()->values();
    if (!settings.gateway.isOn())
    {
        LOG_WARN << "gateway.rpc.read is empty: requests are taken in and wait, nothing is sent";
        return;
    }
    laneName_ = settings.signer.lane;
    store_ = part<Store>();
    throttler_ = part<TxThrottler>();
    strictChainId_ = settings.gateway.strictChainId;

    loop_ = std::make_unique<OwnLoop>("TxEngine");
    context_ = std::make_shared<TxContext>();
    context_->loop = loop_->get();
    context_->node = chain::rpc::connectNode(context_->loop,
                                             nodeOptions(settings.gateway.rpc, settings.txEngine));
    if (usesKms(settings.signer))
    {
        kms_ = kmsOptions(settings.signer.kms);
    }
    else
    {
        context_->signer = signerFrom(settings.signer);
    }
    context_->lanes = store_->lanes();
    context_->sweeps = store_->sweeps();
    context_->requests = [store = store_]() -> models::RequestStore & { return store->requests(); };
    context_->claimer = [store = store_] { return store->epoch(); };
    context_->options = txOptions(settings);
    context_->milestones = store_->milestones();
    wallet_ = std::make_shared<WalletWatch>(WalletWatch::Contracts{
        settings.gateway.contracts.feeToken, settings.gateway.contracts.protocolPayment});
    TxPipeline::Events events;
    events.room = [this] { wakeAll(); };
    events.receiptStored = [this](core::Kind, const models::GatewayId &) {
        if (receiptStored_)
        {
            receiptStored_();
        }
    };
    pipeline_ = TxPipeline::create(context_, std::move(events));
    {
        const std::lock_guard lock(door_);
        open_ = true;
    }
    throttler_->onWork([this](core::Kind kind) { queue([this, kind] { wake(kind); }); });
    queue([this] { begin(); });
}

void TxEngine::queue(std::function<void()> work)
{
    const std::lock_guard lock(door_);
    if (open_)
    {
        context_->loop->queueInLoop(std::move(work));
    }
}

void TxEngine::begin()
{
    timer_ = context_->loop->runEvery(kEachSecond, [this] {
        publish();
        if (!greeted_)
        {
            greetChain();
            return;
        }
        measureQueues();
        lookAtWallet();
    });
    greetChain();
}

void TxEngine::publish()
{
    TxPipeline::Snapshot snapshot = pipeline_->snapshot();
    snapshot.pausedByAdmin = pausedByAdmin_;
    const std::lock_guard lock(door_);
    published_ = snapshot;
}

drogon::Task<bool> TxEngine::isOurChain(std::shared_ptr<TxContext> context)
{
    try
    {
        const std::uint64_t told = co_await context->node->chainId();
        if (told != context->options.chainId)
        {
            LOG_WARN << "step=chain_compared node_says=" << told;
        }
        co_return told == context->options.chainId;
    }
    catch (const RpcError &error)
    {
        // A node that does not say takes our transactions all the same.
        if (error.kind() != RpcError::Kind::Rpc)
        {
            throw;
        }
    }
    co_return false;
}

// What is asked of the chain once, before anything is sent to it.
drogon::AsyncTask TxEngine::greetChain()
{
    if (std::exchange(greeting_, true))
    {
        co_return;
    }
    const auto context = context_;
    try
    {
        const auto pass = context->gate.enter();
        if (!context->signer)
        {
            chain::rpc::KmsOptions options = *kms_;
            context->signer = co_await chain::rpc::connectKmsSigner(context->loop, options);
        }
        const bool rightChain = co_await isOurChain(context);
        if (!rightChain && !std::exchange(toldOfChain_, true))
        {
            LOG_ERROR << "step=wrong_chain alert=true gateway.chain_id=" << context->options.chainId
                      << (strictChainId_ ? ": nothing is sent" : "");
        }
        const core::Bytes decryption =
            co_await context->node->code(context->options.contracts.decryption);
        const core::Bytes verification =
            co_await context->node->code(context->options.contracts.inputVerification);
        const bool contracts = !decryption.empty() && !verification.empty();
        if (!contracts && !std::exchange(toldOfCode_, true))
        {
            LOG_ERROR << "step=no_contract alert=true: there is no code at "
                      << (decryption.empty() ? "gateway.contracts.decryption"
                                             : "gateway.contracts.input_verification")
                      << "; nothing is sent";
        }
        if (contracts && (rightChain || !strictChainId_))
        {
            greeted_ = true;
            LOG_INFO << "step=tx_engine_started lane=" << context->options.lane
                     << " address=" << chain::checksummed(context->signer->address());
            pipeline_->start();
        }
    }
    catch (const RpcError &error)
    {
        LOG_WARN << "step=chain_waits why=" << error.what();
    }
    catch (const chain::rpc::KmsError &error)
    {
        LOG_WARN << "step=signer_waits why=" << error.what();
    }
    catch (const models::StoreError &error)
    {
        LOG_DEBUG << "step=chain_waits why=" << error.what();
    }
    greeting_ = false;
}

void TxEngine::wakeAll()
{
    for (const core::Kind kind : core::kAllKinds)
    {
        wake(kind);
    }
}

void TxEngine::wake(core::Kind kind)
{
    Pull &state = pulls_.at(static_cast<std::size_t>(kind));
    if (state.running)
    {
        state.again = true;
        return;
    }
    pull(kind);
}

drogon::AsyncTask TxEngine::pull(core::Kind kind)
{
    Pull &state = pulls_.at(static_cast<std::size_t>(kind));
    const auto context = context_;
    state.running = true;
    do
    {
        state.again = false;
        const auto claimer = context->claimer();
        const std::size_t room = pausedByAdmin_ ? 0 : std::min(kRowsPerClaim, pipeline_->room());
        const std::size_t tokens = claimer && room > 0 ? throttler_->takeTokens(kind, room) : 0;
        if (tokens == 0)
        {
            break;
        }
        std::size_t used = 0;
        const ClaimFloor::Start start = state.floor.next(Clock::now());
        try
        {
            const auto pass = context->gate.enter();
            const std::vector<models::RequestRow> rows = co_await resumedOn(
                context->loop, context->requests().claim(kind, core::Status::Processing, *claimer,
                                                         tokens, start.after));
            used = rows.size();
            if (used > 0)
            {
                failPoint("claimed");
            }
            std::vector<std::int64_t> tickets;
            for (const models::RequestRow &row : rows)
            {
                tickets.push_back(row.getValueOfTicket());
                state.floor.claimed(tickets.back(), Clock::now());
            }
            throttler_->pulled(kind, tickets);
            pipeline_->take(rows);
            state.again = state.floor.mayBeMore(start, tokens, used) || state.again;
        }
        catch (const models::StoreError &error)
        {
            LOG_WARN << "step=claim_failed why=" << error.what();
            pipeline_->recountHeld();
            state.again = false;
        }
        throttler_->returnTokens(kind, tokens - used);
    }
    while (state.again);
    state.running = false;
}

// Rows of other instances are in the same queue, and so are those that were given back. Other lanes
// have their part of the rate.
drogon::AsyncTask TxEngine::measureQueues()
{
    if (std::exchange(measuring_, true))
    {
        co_return;
    }
    const auto context = context_;
    try
    {
        const auto pass = context->gate.enter();
        for (const core::Kind kind : core::kAllKinds)
        {
            const models::QueueHead head =
                co_await levelFromDatabase(context->loop, &context->requests(),
                                           throttler_->queues(), kind, core::Status::Processing);
            pulls_.at(static_cast<std::size_t>(kind)).floor.measured(head.ticket);
        }
        const std::size_t lanes = co_await resumedOn(context->loop, context->lanes->heldLanes());
        throttler_->setSharers(std::max<std::size_t>(lanes, 1));
    }
    catch (const models::StoreError &error)
    {
        LOG_DEBUG << "step=queues_not_measured why=" << error.what();
    }
    measuring_ = false;
}

void TxEngine::lookFor(const models::TxHash &hash)
{
    queue([this, hash] { pipeline_->lookFor(hash); });
}

void TxEngine::reorganised(std::int64_t fromBlock)
{
    queue([this, fromBlock] { pipeline_->reorganised(fromBlock); });
}

void TxEngine::onReceiptStored(ReceiptStored callback)
{
    queue([this, callback = std::move(callback)] { receiptStored_ = callback; });
}

TxPipeline::Snapshot TxEngine::snapshot() const
{
    const std::lock_guard lock(door_);
    return published_;
}

void TxEngine::drain()
{
    {
        const std::lock_guard lock(door_);
        if (!open_)
        {
            return;
        }
        left_.notSigned = 1;  // until it was looked at
    }
    queue([this] {
        pipeline_->drain();
        drainTimer_ = context_->loop->runEvery(kEachLook, [this] { publishLeft(); });
    });
}

WalletWatch::Snapshot TxEngine::wallet() const
{
    return wallet_ ? wallet_->snapshot() : WalletWatch::Snapshot{};
}

std::vector<chain::rpc::EndpointSnapshot> TxEngine::endpoints() const
{
    const std::lock_guard lock(door_);
    return open_ ? context_->node->snapshot() : std::vector<chain::rpc::EndpointSnapshot>{};
}

drogon::AsyncTask TxEngine::lookAtWallet()
{
    if (lookingAtWallet_ || Clock::now() < walletAt_)
    {
        co_return;
    }
    lookingAtWallet_ = true;
    const auto context = context_;
    try
    {
        const auto pass = context->gate.enter();
        co_await WalletWatch::look(wallet_, context->node, context->signer->address());
    }
    catch (const models::StoreError &)
    {
        LOG_DEBUG << "step=wallet_not_looked_at: stopping";
    }
    walletAt_ = Clock::now() + kEachWallet;
    lookingAtWallet_ = false;
}

void TxEngine::publishLeft()
{
    TxPipeline::Left left = pipeline_->left();
    left.notSigned += static_cast<std::size_t>(
        std::count_if(pulls_.begin(), pulls_.end(), [](const Pull &pull) { return pull.running; }));
    const std::lock_guard lock(door_);
    left_ = left;
}

TxPipeline::Left TxEngine::left() const
{
    const std::lock_guard lock(door_);
    return left_;
}

void TxEngine::rest()
{
    queue([this] {
        pipeline_->stop();
        context_->gate.close();
    });
}

void TxEngine::shutdown()
{
    if (!loop_)
    {
        return;
    }
    {
        const std::lock_guard lock(door_);
        open_ = false;
    }
    loop_->run([this] {
        context_->loop->invalidateTimer(timer_);
        context_->loop->invalidateTimer(drainTimer_);
        pipeline_->stop();
    });
    context_->gate.close();
    if (!context_->gate.waitUntilEmpty(OwnLoop::kLastAnswers))
    {
        // Somebody still waits for a node: what he would come back to stays until the process ends.
        LOG_WARN << "step=tx_engine_left_calls_behind";
        keepForGood(std::move(loop_), {pipeline_, context_});
        return;
    }
    loop_->run([this] { pipeline_.reset(); });
    context_->node.reset();
    loop_.reset();
    // With it go the stores, and with them the connections, which Store waits for.
    context_.reset();
}
}  // namespace relayer::plugins
