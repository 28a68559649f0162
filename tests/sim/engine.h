// The transaction engine of an instance (plugins/tx_pipeline.h, tx_lane.h, tx_attempts.h): the
// decisions are core/attempt_steps.h, core/lane_lease.h and chain/send_answer.h; here is what they
// are about, and the order in which things are asked and written.
#pragma once

#include "chain/send_answer.h"
#include "core/attempt_steps.h"
#include "core/lane_lease.h"
#include "sim/fake_database.h"
#include "sim/types.h"

#include <array>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace relayer::sim
{
class Process;

struct Outgoing
{
    RequestId request = 0;
    core::Kind kind = core::Kind::InputProof;
    int tries = 0;
    Time resendDelay{0};
};

struct Attempt
{
    AttemptId id = 0;
    std::int64_t nonce = 0;
    std::optional<Outgoing> outgoing;
    std::vector<Version> versions;
    bool closing = false;
    bool requestEnded = false;
    int sends = 0;
    int sendsBeforeClosing = 0;
    bool sending = false;
    bool mayBeInPool = false;
    bool suspect = false;
    core::NonceSightings sightings;
    std::optional<Receipt> receipt;
    bool consumed = false;
    bool ending = false;
    Time overAt{0};
    Time signedAt{0};
    Time lookAt{0};
    Time sendAt{0};
    Time bumpAt{0};
    Time sightingAt{0};

    [[nodiscard]] bool over() const { return receipt.has_value() || consumed; }
};
using AttemptPtr = std::shared_ptr<Attempt>;

class Engine
{
  public:
    explicit Engine(Process &process);

    void tick();
    void measure();
    void lookFor(Hash hash);
    // Our epoch is over.
    void belongToNobody();
    void reorganised(std::int64_t fromBlock);
    // It takes nothing more, and gives back what it has not signed.
    void drain();
    [[nodiscard]] std::size_t left() const;
    // What it asks of the database from now on comes to nothing.
    void rest() { resting_ = true; }

  private:
    template <typename Work, typename Then>
    void statement(Work work, Then then);
    template <typename Work, typename Then>
    void call(Work work, Then then);

    // engine.cc: what is claimed, prepared, given back and sent anew.
    void pull(core::Kind kind);
    [[nodiscard]] std::size_t room() const;
    void take(const std::vector<Claimed> &rows);
    void estimate(Outgoing outgoing);
    void retry(Outgoing outgoing);
    void fail(RequestId request, core::Transition transition);
    void recoverWhenIdle();
    void recoverStranded(std::vector<RequestId> stranded);
    void releaseHeld(LivePlace from);
    void releaseLater(RequestId request);
    void resend(Outgoing outgoing);
    [[nodiscard]] bool carries(RequestId request) const;
    void adopt(const StoredAttempt &stored);
    void adoptRecovered(const StoredAttempt &stored);

    // engine_reorg.cc
    void lookAtMinedSince();
    void lookAtMinedFrom(std::int64_t nonce);
    void lookForGap(std::int64_t next, const std::vector<StoredAttempt> &mined);
    void lookForForgotten();
    void lookAtMined(const StoredAttempt &stored);
    void reopen(const StoredAttempt &stored);

    // engine_lane.cc
    void tickLane();
    void lose();
    void acquire();
    void readLane(std::int64_t chainNonce, Time asked);
    void renew();
    void signAndCommit();
    void settle(const Committed &outcome, std::vector<Outgoing> batch,
                const std::vector<Signed> &transactions);
    void putBack(const std::vector<Outgoing> &batch);
    void giveBackWhatIsReady();

    // engine_attempts.cc
    void launch(const AttemptPtr &attempt);
    void resume(const StoredAttempt &stored);
    void catchUp(const StoredAttempt &stored);
    void tickAttempts();
    void look(const AttemptPtr &attempt);
    void act(const AttemptPtr &attempt, bool looked);
    void send(const AttemptPtr &attempt);
    void ask(const AttemptPtr &attempt);
    void react(const AttemptPtr &attempt, chain::SendAnswer answer);
    void bump(const AttemptPtr &attempt);
    void checkNonce(const AttemptPtr &attempt);
    void refuse(const AttemptPtr &attempt);
    void giveUp(const AttemptPtr &attempt);
    void givenUp(const AttemptPtr &attempt);
    void failRequest(const AttemptPtr &attempt);
    void notOurs(const AttemptPtr &attempt);
    [[nodiscard]] bool isOpen(const AttemptPtr &attempt) const;

    // engine_ending.cc
    void found(const AttemptPtr &attempt, const Receipt &receipt);
    void end(const AttemptPtr &attempt);
    void writeConsumed(const AttemptPtr &attempt);
    void writeMined(const AttemptPtr &attempt);
    void storeReceipt(const AttemptPtr &attempt);
    void receiptNotFirst(const AttemptPtr &attempt);
    void storeReceiptAfterAll(const AttemptPtr &attempt);
    void storeMarked(const AttemptPtr &attempt, const Row &row);
    void receiptStored(const AttemptPtr &attempt);
    void failMined(const AttemptPtr &attempt);
    void closeMined(const AttemptPtr &attempt, bool again);
    void notWritten(const AttemptPtr &attempt);
    void close(const AttemptPtr &attempt);
    // The guarded change that a receipt stands for; `then` is told whether it was this one.
    template <typename Then>
    void markReceipt(RequestId request, core::Kind kind, const Receipt &receipt, Then then);

    Process &process_;
    core::LaneLease lease_;
    bool paused_ = false;
    bool acquiring_ = false;
    bool renewing_ = false;
    bool signing_ = false;
    std::int64_t nextNonce_ = 0;
    std::deque<Outgoing> ready_;
    std::size_t preparing_ = 0;
    std::size_t underWay_ = 0;
    std::map<std::int64_t, AttemptPtr> open_;  // by nonce
    std::vector<std::pair<Outgoing, Time>> resends_;
    bool recovered_ = false;
    bool recovering_ = false;
    bool measuring_ = false;
    bool draining_ = false;
    bool resting_ = false;
    std::size_t releasing_ = 0;
    std::array<bool, core::kKinds> pulling_{};
    std::int64_t reorgFrom_ = INT64_MAX;
    Time reorgAt_{-std::chrono::hours(1)};
    Time gapLookAt_{0};
    bool reorgLookWanted_ = false;
    bool reorgLooking_ = false;
    std::optional<std::int64_t> notCarried_;
};
}  // namespace relayer::sim
