// A request's way without us: its transaction (bare_sender.h), and then the chain is asked for the
// answer's events until there are enough. One call for all who wait, each 50 ms. It checks nothing,
// remembers nothing, and tells nobody.
#pragma once

#include "bench/bare_sender.h"
#include "bench/sustained.h"
#include "chain/gateway.h"

#include <future>
#include <unordered_map>

namespace relayer::bench
{
struct BareRequest
{
    core::Kind kind = core::Kind::InputProof;
    GatewayCall call;
};

class BareRelay
{
  public:
    BareRelay(chain::rpc::NodeOptions node, std::shared_ptr<const chain::Signer> signer,
              const plugins::TxOptions &options, std::size_t shares)
        : contracts_(options.contracts),
          shares_(shares),
          sender_(std::move(node), std::move(signer), options)
    {}

    Sustained run(const std::vector<BareRequest> &requests, std::size_t atATime)
    {
        requests_ = &requests;
        next_ = 0;
        error_.clear();
        known_.clear();
        std::promise<void> done;
        done_ = &done;
        Meter meter;
        meter_ = &meter;
        sender_.loop()->queueInLoop([this, atATime] { begin(this, atATime); });
        done.get_future().wait();
        if (!error_.empty())
        {
            throw std::runtime_error("without us: " + error_);
        }
        return meter.outcome();
    }

  private:
    // An answer may be seen before the receipt.
    struct Known
    {
        bool sent = false;
        Clock::time_point since;
        std::size_t answers = 0;
        std::size_t needed = 1;
    };
    // The end of a gateway id is its counter; its first bytes tell kinds apart.
    struct HashOfId
    {
        std::size_t operator()(const core::Hash32 &id) const
        {
            std::size_t hash = id[0];
            for (std::size_t i = 24; i < id.size(); ++i)
            {
                hash = hash * 257 + id.at(i);
            }
            return hash;
        }
    };

    static constexpr double kBetweenLooks = 0.05;

    static drogon::AsyncTask begin(BareRelay *self, std::size_t atATime)
    {
        try
        {
            co_await self->sender_.begin();
            self->seen_ = co_await self->sender_.node().blockNumber();
        }
        catch (const std::exception &error)
        {
            self->error_ = error.what();
            self->done_->set_value();
            co_return;
        }
        self->underWay_ = atATime;
        for (std::size_t i = 0; i < atATime; ++i)
        {
            sendNext(self);
        }
        self->looks_ = self->sender_.loop()->runEvery(kBetweenLooks, [self] {
            if (!self->looking_)
            {
                look(self);
            }
        });
    }

    static drogon::AsyncTask sendNext(BareRelay *self)
    {
        if (self->next_ == self->requests_->size() || !self->error_.empty())
        {
            --self->underWay_;
            co_return;
        }
        const BareRequest &request = (*self->requests_)[self->next_++];
        const core::Kind kind = request.kind;
        const auto since = Clock::now();
        ++self->sending_;
        try
        {
            GatewayCall call = request.call;
            const chain::Receipt receipt = co_await self->sender_.send(std::move(call));
            const auto id = chain::requestIdIn(receipt.logs, kind, self->contracts_);
            Known &known = self->known_[id.value()];
            known.sent = true;
            known.since = since;
            known.needed = kind == core::Kind::UserDecrypt ? self->shares_ : 1;
            self->endIfAnswered(*id);
        }
        catch (const std::exception &error)
        {
            self->fail(error.what());
        }
        --self->sending_;
    }

    static drogon::AsyncTask look(BareRelay *self)
    {
        self->looking_ = true;
        try
        {
            const std::uint64_t head = co_await self->sender_.node().blockNumber();
            if (head > self->seen_)
            {
                chain::rpc::LogFilter filter;
                filter.fromBlock = self->seen_ + 1;
                filter.toBlock = head;
                filter.addresses = {self->contracts_.decryption,
                                    self->contracts_.inputVerification};
                filter.anyTopic0 = chain::gatewayTopics();
                const auto logs = co_await self->sender_.node().logs(std::move(filter));
                self->seen_ = head;
                for (const chain::Log &log : logs.logs)
                {
                    self->take(log);
                }
            }
        }
        catch (const std::exception &error)
        {
            self->error_ = error.what();
        }
        self->looking_ = false;
        self->finishIfNoneIsLeft();
    }

    void take(const chain::Log &log)
    {
        const auto event = chain::decodeEvent(log, contracts_);
        const auto identity = chain::identify(log, contracts_);
        const bool answers = event && identity && !identity->request &&
                             !std::holds_alternative<chain::ThresholdReached>(*event);
        if (answers)
        {
            ++known_[identity->gatewayId].answers;
            endIfAnswered(identity->gatewayId);
        }
    }

    void endIfAnswered(const core::Hash32 &id)
    {
        const Known &known = known_[id];
        if (known.sent && known.answers >= known.needed)
        {
            const auto since = known.since;
            known_[id].sent = false;
            meter_->ended(since);
            sendNext(this);
        }
    }

    void fail(const std::string &why)
    {
        error_ = why;
        --underWay_;
    }

    // When something failed, answers are not waited for.
    void finishIfNoneIsLeft()
    {
        if (underWay_ == 0 || (!error_.empty() && sending_ == 0))
        {
            sender_.loop()->invalidateTimer(looks_);
            done_->set_value();
        }
    }

    const chain::GatewayContracts contracts_;
    const std::size_t shares_;

    // of a run, on the loop
    const std::vector<BareRequest> *requests_ = nullptr;
    std::size_t next_ = 0;
    std::size_t underWay_ = 0;  // sent or waiting for an answer
    std::size_t sending_ = 0;
    std::uint64_t seen_ = 0;
    bool looking_ = false;
    trantor::TimerId looks_ = 0;
    std::unordered_map<core::Hash32, Known, HashOfId> known_;
    Meter *meter_ = nullptr;
    std::string error_;
    std::promise<void> *done_ = nullptr;

    BareSender sender_;  // last: its loop uses all of the above
};
}  // namespace relayer::bench
