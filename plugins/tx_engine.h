// Turns requests in `processing` into mined transactions on the gateway chain: one for each.
//
//     { "name": "relayer::plugins::TxEngine",
//       "dependencies": ["relayer::plugins::Store", "relayer::plugins::TxThrottler"] }
//
// The queue is the database; the throttler says when and how many. This plugin claims that many
// rows in ticket order and hands them to the pipeline, which lives on a loop of its own.
#pragma once

#include "chain/rpc/kms_signer.h"
#include "plugins/claim_floor.h"
#include "plugins/own_loop.h"
#include "plugins/tx_pipeline.h"
#include "plugins/wallet_watch.h"

#include <drogon/plugins/Plugin.h>

#include <array>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace relayer::plugins
{
class Store;
class TxThrottler;

class TxEngine : public drogon::Plugin<TxEngine>
{
  public:
    ~TxEngine() override;
    void initAndStart(const Json::Value &config) override;
    void shutdown() override;

    // From any thread: this transaction was seen mined; these blocks were replaced.
    void lookFor(const models::TxHash &hash);
    void reorganised(std::int64_t fromBlock);
    // Called on the engine's loop whenever a receipt with our request event was stored.
    using ReceiptStored = std::function<void()>;
    void onReceiptStored(ReceiptStored callback);
    // As of the last second. From any thread.
    [[nodiscard]] TxPipeline::Snapshot snapshot() const;
    // As of a quarter of a minute ago.
    [[nodiscard]] WalletWatch::Snapshot wallet() const;
    [[nodiscard]] std::vector<chain::rpc::EndpointSnapshot> endpoints() const;

    // By an operator: the lane claims nothing while it is paused; what it has claimed goes its way.
    // From any thread.
    void pauseLane(bool paused);
    [[nodiscard]] const std::string &laneName() const { return laneName_; }
    // In wei, decimal; asks the node. Nothing: there is none, or it does not say.
    [[nodiscard]] drogon::Task<std::optional<std::string>> balanceOf(core::Address account);

    // Claims nothing more; what is signed is still sent and looked for (plugins/drain.h).
    void drain();
    // Of a drain, as of a moment ago.
    [[nodiscard]] TxPipeline::Left left() const;
    // Ends that, too: whoever holds the lane next finds the rest in the database.
    void rest();

  private:
    struct Pull
    {
        bool running = false;
        bool again = false;
        ClaimFloor floor;
    };

    void queue(std::function<void()> work);
    void begin();
    void publish();
    drogon::AsyncTask greetChain();
    static drogon::Task<bool> isOurChain(std::shared_ptr<TxContext> context);
    void wake(core::Kind kind);
    void wakeAll();
    drogon::AsyncTask pull(core::Kind kind);
    drogon::AsyncTask measureQueues();
    drogon::AsyncTask lookAtWallet();
    void publishLeft();

    std::unique_ptr<OwnLoop> loop_;
    // Open while others may call in.
    mutable std::mutex door_;
    bool open_ = false;
    TxPipeline::Snapshot published_;
    TxPipeline::Left left_;
    std::shared_ptr<TxContext> context_;
    std::shared_ptr<TxPipeline> pipeline_;
    std::shared_ptr<WalletWatch> wallet_;  // none: there is no chain
    Store *store_ = nullptr;
    TxThrottler *throttler_ = nullptr;
    bool strictChainId_ = false;
    std::string laneName_;
    std::optional<chain::rpc::KmsOptions> kms_;  // the key is with a service

    // of the loop
    ReceiptStored receiptStored_;
    bool greeted_ = false;
    bool greeting_ = false;
    bool toldOfChain_ = false;  // it is looked at each second; operators are told once
    bool toldOfCode_ = false;
    bool measuring_ = false;
    bool pausedByAdmin_ = false;
    bool lookingAtWallet_ = false;
    TimePoint walletAt_;
    std::array<Pull, core::kKinds> pulls_;
    trantor::TimerId timer_ = trantor::InvalidTimerId;
    trantor::TimerId drainTimer_ = trantor::InvalidTimerId;
};
}  // namespace relayer::plugins
