// The whole way of a claimed request to its receipt: prepared, signed, sent, mined. Joins the parts
// (tx_preparation, tx_lane, tx_attempts) on one loop and counts the places.
//
// What is in here can be dropped at any instruction; a start finds everything in the database.
#pragma once

#include "plugins/tx_attempts.h"
#include "plugins/tx_lane.h"
#include "plugins/tx_preparation.h"

#include <deque>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

namespace relayer::plugins
{
class TxPipeline : public std::enable_shared_from_this<TxPipeline>
{
  public:
    struct Events
    {
        // A place is free, or the lane is ours: there may be something to pull.
        std::function<void()> room;
        std::function<void(core::Kind, const models::GatewayId &)> receiptStored;
    };
    struct Snapshot
    {
        bool held = false;
        bool paused = false;  // the account can not pay
        bool pausedByAdmin = false;
        std::int64_t nextNonce = 0;
        std::size_t preparing = 0;
        std::size_t signing = 0;
        std::size_t inAir = 0;
        std::size_t open = 0;
        std::size_t waitingToResend = 0;
        bool lookingAtReorg = false;
    };

    static std::shared_ptr<TxPipeline> create(std::shared_ptr<TxContext> context, Events events);

    // All of these on the loop.
    void start();
    void stop();
    // While as many as may be in the air are, as many again are made ready; what has landed and is
    // not written yet is not counted, up to the same number. None before there is room for many,
    // since what is claimed together is written together, too.
    [[nodiscard]] std::size_t room() const;
    // Claimed by us, in `processing`.
    void take(const std::vector<models::RequestRow> &rows);
    // A claim may have happened unseen: what we hold is looked at again, as after a restart.
    void recountHeld() { recovered_ = false; }
    // Takes nothing more, and gives back what is not signed. What is signed goes its way.
    void drain();
    void lookFor(const models::TxHash &hash);
    // Blocks from here on are others now.
    void reorganised(std::int64_t fromBlock);
    [[nodiscard]] Snapshot snapshot() const;
    // What a drain waits for.
    struct Left
    {
        std::size_t notSigned = 0;  // being ended, or given back
        std::size_t open = 0;  // transactions that are not mined, or of which it is not written
    };
    [[nodiscard]] Left left() const;

  private:
    struct Resend
    {
        Outgoing outgoing;
        TimePoint at;
    };
    struct Release
    {
        models::RequestId request;
        TimePoint at;
    };

    TxPipeline(std::shared_ptr<TxContext> context, Events events);
    void build();
    void noticeWhoWeAre();
    void tick();
    void freePlace();
    void dropAttempts();
    void recoverWhenIdle();
    void giveBackLater(models::RequestId request);
    void adopt(const models::StoredAttempt &stored);
    drogon::AsyncTask adoptRecovered(models::StoredAttempt stored);
    drogon::AsyncTask recoverHeld();
    drogon::Task<> recoverStranded(models::Claimer claimer);
    [[nodiscard]] bool waitsToBeSentAgain(models::RequestId request) const;
    drogon::AsyncTask resend(Resend due);
    drogon::AsyncTask release(std::vector<models::RequestId> requests);
    void closed(const Attempt &attempt);
    drogon::AsyncTask lookAtMinedSince(std::int64_t fromBlock);
    drogon::Task<> lookAtMined(models::StoredAttempt stored);
    void lookForGap(std::int64_t next, const std::vector<models::StoredAttempt> &mined);
    void lookForForgotten(std::optional<std::int64_t> lowest);

    const std::shared_ptr<TxContext> context_;
    const Events events_;
    std::unique_ptr<TxPreparation> preparation_;
    std::unique_ptr<TxLane> lane_;
    std::unique_ptr<TxAttempts> attempts_;
    std::deque<Resend> resends_;
    std::size_t resending_ = 0;  // of these, taken out and not yet on their way
    std::deque<Release> releases_;
    std::size_t releasing_ = 0;
    std::size_t places_ = 0;                  // of those that have not landed
    std::optional<models::Claimer> claimer_;  // when the last tick came
    bool recovered_ = false;                  // nothing is ours but what is in here
    bool recovering_ = false;
    bool draining_ = false;

    static constexpr std::int64_t kNoBlock = std::numeric_limits<std::int64_t>::max();
    struct Reorg
    {
        std::int64_t fromBlock = kNoBlock;
        TimePoint at;
        TimePoint lookForGapAt;
        bool lookWanted = false;
        bool looking = false;
        std::optional<std::int64_t> notCarried;  // a nonce, at the last look
    };
    Reorg reorg_;
    trantor::TimerId timer_ = trantor::InvalidTimerId;
};
}  // namespace relayer::plugins
