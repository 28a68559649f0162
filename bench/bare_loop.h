// What TxEngine is measured against: a loop that asks the same node for the same things (estimate,
// fees once a second, sign, send and wait for the receipt), with as many requests at a time, and
// remembers nothing. It knows the next nonce because nobody else uses the key.
#pragma once

#include "bench/measure.h"
#include "chain/transaction.h"
#include "plugins/tx_fees.h"

#include <trantor/net/EventLoopThread.h>

#include <cstdint>
#include <future>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace relayer::bench
{
class BareLoop
{
  public:
    struct Call
    {
        core::Address to{};
        core::Bytes calldata;
    };

    BareLoop(chain::rpc::NodeOptions node, std::shared_ptr<const chain::Signer> signer,
             plugins::TxOptions options, std::size_t window)
        : thread_("bare"), window_(window)
    {
        thread_.run();
        context_ = std::make_shared<plugins::TxContext>();
        context_->loop = thread_.getLoop();
        context_->node = chain::rpc::connectNode(context_->loop, std::move(node));
        context_->signer = std::move(signer);
        context_->options = std::move(options);
        fees_ = std::make_unique<plugins::TxFees>(context_);
    }
    ~BareLoop()
    {
        fees_.reset();
        context_->node.reset();
        context_->loop->quit();
        thread_.wait();
    }
    BareLoop(const BareLoop &) = delete;
    BareLoop &operator=(const BareLoop &) = delete;

    // Seconds from the first estimate to the last receipt. Throws when a transaction failed.
    double run(std::vector<Call> calls)
    {
        calls_ = std::move(calls);
        next_ = 0;
        mined_ = 0;
        error_.clear();
        std::promise<void> done;
        done_ = &done;
        const auto start = Clock::now();
        context_->loop->queueInLoop([this] { begin(this); });
        done.get_future().wait();
        const double seconds = secondsSince(start);
        if (!error_.empty())
        {
            throw std::runtime_error("the bare loop: " + error_);
        }
        return seconds;
    }

  private:
    static drogon::AsyncTask begin(BareLoop *self)
    {
        const auto &context = self->context_;
        try
        {
            self->nonce_ =
                co_await context->node->transactionCount(context->signer->address(), "pending");
            self->current_ = co_await self->fees_->current();
        }
        catch (const chain::rpc::RpcError &error)
        {
            self->error_ = error.what();
            self->done_->set_value();
            co_return;
        }
        self->feesAt_ = Clock::now();
        self->working_ = self->window_;
        for (std::size_t i = 0; i < self->window_; ++i)
        {
            work(self);
        }
    }

    static drogon::AsyncTask work(BareLoop *self)
    {
        try
        {
            while (self->next_ < self->calls_.size() && self->error_.empty())
            {
                const Call &call = self->calls_[self->next_++];
                co_await sendOne(self, call);
            }
        }
        catch (const std::exception &error)
        {
            self->error_ = error.what();
        }
        if (--self->working_ == 0)
        {
            self->done_->set_value();
        }
    }

    static drogon::Task<> sendOne(BareLoop *self, Call content)
    {
        const auto context = self->context_;
        chain::rpc::Call call;
        call.from = context->signer->address();
        call.to = content.to;
        call.input = content.calldata;
        const std::uint64_t gas = co_await context->node->estimateGas(std::move(call));
        if (Clock::now() - self->feesAt_ >= std::chrono::seconds(1))
        {
            // Whoever sees it first asks for all.
            self->feesAt_ = Clock::now();
            self->current_ = co_await self->fees_->current();
        }
        chain::Transaction transaction;
        transaction.chainId = context->options.chainId;
        transaction.nonce = self->nonce_++;
        transaction.gasLimit = chain::gasLimitFor(gas, context->options.gasLimitPercent);
        transaction.to = content.to;
        transaction.data = std::move(content.calldata);
        transaction.maxFeePerGas = self->current_.maxFeePerGas;
        transaction.maxPriorityFeePerGas = self->current_.maxPriorityFeePerGas;
        core::Bytes raw = signedBytes(*context->signer, transaction);
        const auto receipt = co_await sendUntilMined(self, std::move(raw));
        if (!receipt || !receipt->succeeded)
        {
            throw std::runtime_error("a transaction was not mined, or reverted");
        }
        ++self->mined_;
    }

    // Anvil gives up now and then on one that came before its predecessor, and mines it when it is
    // sent once more.
    static drogon::Task<std::optional<chain::Receipt>> sendUntilMined(BareLoop *self,
                                                                      core::Bytes raw)
    {
        const auto node = self->context_->node;
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
    const std::size_t window_;
    std::shared_ptr<plugins::TxContext> context_;
    std::unique_ptr<plugins::TxFees> fees_;

    // of a run, on the loop
    std::vector<Call> calls_;
    std::size_t next_ = 0;
    std::size_t mined_ = 0;
    std::size_t working_ = 0;
    std::uint64_t nonce_ = 0;
    chain::Fees current_;
    Clock::time_point feesAt_;
    std::string error_;
    std::promise<void> *done_ = nullptr;
};
}  // namespace relayer::bench
