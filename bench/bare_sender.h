// The way to the chain without us: estimate, fees once a second, sign, send and wait for the
// receipt, and nothing is remembered. It knows the next nonce because nobody else uses the key.
#pragma once

#include "bench/measure.h"
#include "chain/transaction.h"
#include "plugins/tx_fees.h"

#include <trantor/net/EventLoopThread.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace relayer::bench
{
struct GatewayCall
{
    core::Address to{};
    core::Bytes calldata;
};

// On a thread of its own; begin() and send() are for its loop.
class BareSender
{
  public:
    BareSender(chain::rpc::NodeOptions node, std::shared_ptr<const chain::Signer> signer,
               plugins::TxOptions options)
        : thread_("bare")
    {
        thread_.run();
        context_ = std::make_shared<plugins::TxContext>();
        context_->loop = thread_.getLoop();
        context_->node = chain::rpc::connectNode(context_->loop, std::move(node));
        context_->signer = std::move(signer);
        context_->options = std::move(options);
        fees_ = std::make_unique<plugins::TxFees>(context_);
    }
    ~BareSender()
    {
        fees_.reset();
        context_->node.reset();
        context_->loop->quit();
        thread_.wait();
    }
    BareSender(const BareSender &) = delete;
    BareSender &operator=(const BareSender &) = delete;

    [[nodiscard]] trantor::EventLoop *loop() const { return context_->loop; }
    [[nodiscard]] chain::rpc::Node &node() const { return *context_->node; }

    drogon::Task<> begin()
    {
        nonce_ = co_await context_->node->transactionCount(context_->signer->address(), "pending");
        current_ = co_await fees_->current();
        feesAt_ = Clock::now();
    }

    // Throws when it was not mined, or reverted.
    drogon::Task<chain::Receipt> send(GatewayCall content)
    {
        chain::rpc::Call call;
        call.from = context_->signer->address();
        call.to = content.to;
        call.input = content.calldata;
        const std::uint64_t gas = co_await context_->node->estimateGas(std::move(call));
        if (Clock::now() - feesAt_ >= std::chrono::seconds(1))
        {
            // Whoever sees it first asks for all.
            feesAt_ = Clock::now();
            current_ = co_await fees_->current();
        }
        chain::Transaction transaction;
        transaction.chainId = context_->options.chainId;
        transaction.nonce = nonce_++;
        transaction.gasLimit = chain::gasLimitFor(gas, context_->options.gasLimitPercent);
        transaction.to = content.to;
        transaction.data = std::move(content.calldata);
        transaction.maxFeePerGas = current_.maxFeePerGas;
        transaction.maxPriorityFeePerGas = current_.maxPriorityFeePerGas;
        core::Bytes raw = signedBytes(*context_->signer, transaction);
        auto receipt = co_await sendUntilMined(std::move(raw));
        if (!receipt || !receipt->succeeded)
        {
            throw std::runtime_error("a transaction was not mined, or reverted");
        }
        co_return std::move(*receipt);
    }

  private:
    // Anvil gives up now and then on one that came before its predecessor, and mines it when it is
    // sent once more.
    drogon::Task<std::optional<chain::Receipt>> sendUntilMined(core::Bytes raw)
    {
        const auto node = context_->node;
        const core::Hash32 hash = chain::transactionHash(raw);
        for (int sends = 1;; ++sends)
        {
            try
            {
                co_return co_await node->sendRawTransactionSync(raw);
            }
            catch (const chain::rpc::RpcError &)
            {
                if (sends == kMostSends)
                {
                    throw;
                }
            }
            std::vector<core::Hash32> hashes{hash};
            const auto receipts = co_await node->receipts(std::move(hashes));
            if (receipts.front())
            {
                co_return receipts.front();
            }
        }
    }

    static core::Bytes signedBytes(const chain::Signer &signer,
                                   const chain::Transaction &transaction)
    {
        // A key in memory answers before sign() returns.
        std::optional<chain::Signature> signature;
        signer.sign(chain::signingDigest(transaction), [&signature](auto answer) {
            signature = std::get<chain::Signature>(std::move(answer));
        });
        return chain::encode(transaction, signature.value());
    }

    static constexpr int kMostSends = 3;

    trantor::EventLoopThread thread_;
    std::shared_ptr<plugins::TxContext> context_;
    std::unique_ptr<plugins::TxFees> fees_;

    // on the loop
    std::uint64_t nonce_ = 0;
    chain::Fees current_;
    Clock::time_point feesAt_;
};
}  // namespace relayer::bench
