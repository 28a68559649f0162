// The tables, as far as statuses, claims, leases, attempts and events go. Each function is one
// statement of models/: all of it happens or nothing. Whether a status may change is asked of
// core/lifecycle.h, which the SQL guards are made from.
#pragma once

#include "core/block_ranges.h"
#include "core/decrypt_shares.h"
#include "sim/faults.h"
#include "sim/types.h"

#include <array>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace relayer::sim
{
struct Row
{
    RequestId id = 0;
    core::Kind kind = core::Kind::InputProof;
    core::Status status = core::Status::Queued;
    int content = 0;
    std::int64_t ticket = 0;
    std::optional<Epoch> owner;
    bool dedup = true;
    Hash txHash = 0;
    GatewayId gatewayId = 0;
    std::optional<int> threshold;
    Time statusAt{0};
    std::int64_t endedAtBlock = -1;
};

struct Version
{
    Signed bytes;
    bool noOp = false;
};

struct AttemptRow
{
    enum class State : std::uint8_t
    {
        Signed,
        Mined,
        Consumed
    };
    AttemptId id = 0;
    int lane = 0;
    std::int64_t nonce = 0;
    RequestId request = 0;
    State state = State::Signed;
    bool closing = false;
    int sends = 1;
    std::vector<Version> versions;
    Time createdAt{0};
    Hash minedHash = 0;
    std::int64_t minedBlock = 0;

    [[nodiscard]] bool open() const { return state == State::Signed; }
};

// As a start finds it.
struct StoredAttempt
{
    AttemptRow attempt;
    core::Kind kind = core::Kind::InputProof;
    core::Status status = core::Status::TxInFlight;
    Time age{0};
};

struct Event
{
    std::int64_t id = 0;
    Log log;
    bool handled = false;
    bool removed = false;
};

struct PendingEvent
{
    Event event;
    RequestId request = 0;
    core::Status status = core::Status::ReceiptReceived;
};

struct Cursor
{
    std::int64_t block = -1;
    Hash hash = 0;
};

struct LaneHeld
{
    bool held = false;
    std::int64_t nextNonce = 0;
};

struct Committed
{
    enum class Outcome : std::uint8_t
    {
        Committed,
        LaneLost,
        NonceMoved,
        RowsLost
    };
    Outcome outcome = Outcome::LaneLost;
    std::vector<AttemptId> attempts;
    std::vector<RequestId> lost;
};

struct Claimed
{
    RequestId id = 0;
    core::Kind kind = core::Kind::InputProof;
    std::int64_t ticket = 0;
};

struct Head
{
    std::optional<std::int64_t> ticket;
    std::size_t waiting = 0;
};

// A place among what lives, in the order of kind and ticket, and a page that begins behind one.
struct LivePlace
{
    core::Kind kind = core::Kind::InputProof;
    std::int64_t ticket = 0;
};

struct Page
{
    std::size_t rows = 0;
    std::optional<LivePlace> next;  // nothing: that was the last page
};

struct Enrolment
{
    Epoch epoch = 0;
    std::optional<Epoch> previous;
};

class FakeDatabase
{
  public:
    using Key = std::pair<core::Kind, GatewayId>;
    struct Surroundings
    {
        Coverage *coverage = nullptr;
        std::function<Time()> now;  // its own clock
        std::function<void(const Row &)> admitted;
        std::function<void(const Row &, core::Status from)> moved;
        std::function<void(const Row &, core::Transition)> ended;
        // Before a deadline ends it.
        std::function<void(const Row &, bool hasOpenAttempt)> overdue;
        std::function<void(const Cursor &)> cursorMoved;
        std::function<void(const Row &)> claimed;
        Mutation mutation = Mutation::None;
    };
    explicit FakeDatabase(Surroundings surroundings) : with_(std::move(surroundings)) {}

    // Requests (models/request_sql.cc, request_queries.cc).
    struct Admission
    {
        RequestId id = 0;
        std::int64_t ticket = 0;
        bool fresh = false;
    };
    Admission admit(core::Kind kind, int content);
    struct Moved
    {
        bool won = false;
        std::int64_t ticket = 0;
    };
    Moved apply(core::Transition transition, RequestId id, std::optional<Epoch> claimer,
                Hash txHash = 0, GatewayId gatewayId = 0);
    bool freeGatewayId(RequestId id, GatewayId gatewayId);
    bool replaceReceipt(RequestId id, Hash txHash, GatewayId gatewayId);
    std::optional<core::Status> settle(core::Kind kind, GatewayId gatewayId);
    void keepAnswer(const Log &log);
    void keepShare(const Log &log);
    void resolveThreshold(RequestId id, int threshold);
    std::vector<GatewayId> answered(core::Kind kind, std::size_t limit) const;
    std::vector<Claimed> claim(core::Kind kind, core::Status status, Epoch claimer,
                               std::size_t limit);
    Head head(core::Kind kind, core::Status status) const;
    void release(const std::vector<RequestId> &ids, Epoch claimer);
    std::vector<RequestId> heldIds(core::Status status, Epoch claimer) const;
    std::optional<Row> rowOf(Hash txHash) const;
    std::optional<Row> rowOf(core::Kind kind, GatewayId gatewayId) const;
    std::optional<std::vector<core::DecryptShare>> firstShares(GatewayId gatewayId) const;

    // Instances and sweeping (models/instance_registry.cc, sweep_store.cc).
    [[nodiscard]] std::optional<Epoch> lastEpochOf(int name) const;
    Enrolment enrol(int name);
    void leave(Epoch epoch);
    bool beat(Epoch epoch);
    bool isSilent(int name, Time lease) const;
    std::vector<Epoch> expired(Time lease) const;
    bool lead(Epoch claimer, Time lease);
    Page recoverHeld(Epoch claimer, LivePlace from, std::size_t limit);
    Page release(Epoch claimer, core::Status status, LivePlace from, std::size_t limit);
    Page freeAbandoned(Epoch claimer, LivePlace from, std::size_t limit);
    std::size_t endOverdue(core::Kind kind, core::Status status, Time patience, std::size_t limit);

    // Operators (models/operator_store.cc). False: it was in the wrong state.
    bool failByOperator(RequestId id);
    bool dispatchAgain(RequestId id);

    // Lanes (models/lane_store.cc, request_sql_chain.cc).
    LaneHeld hold(int name, Epoch claimer, Time lease, std::int64_t chainNonce);
    std::optional<std::int64_t> renew(int name, Epoch claimer, Time lease);
    Committed commit(int name, Epoch claimer, std::int64_t firstNonce,
                     const std::vector<Signed> &transactions);
    bool addVersion(int lane, Epoch claimer, AttemptId id, const Version &version, bool closing);
    bool countSend(int lane, Epoch claimer, AttemptId id);
    void markMined(int lane, Epoch claimer, AttemptId id, Hash hash, std::int64_t block);
    void markConsumed(int lane, Epoch claimer, AttemptId id);
    bool reopen(int lane, Epoch claimer, AttemptId id);
    std::vector<StoredAttempt> openAttempts(int lane) const;
    std::vector<StoredAttempt> minedSince(int lane, std::int64_t block, std::int64_t nonce) const;
    std::vector<RequestId> stranded(Epoch claimer) const;

    // The inbox (models/inbox_store.cc).
    std::size_t deliver(const std::vector<Log> &logs, std::optional<Cursor> cursor);
    Cursor cursor() const { return cursor_; }
    void setCursor(Cursor cursor);
    [[nodiscard]] bool hasEvent(const Log &log) const;
    std::vector<PendingEvent> pending() const;
    void markHandled(const std::vector<std::int64_t> &ids);
    void removeBlocks(const std::vector<Hash> &blocks);
    std::vector<std::pair<std::int64_t, Hash>> blocksSince(std::int64_t block) const;

    // For the invariants.
    [[nodiscard]] const std::vector<Row> &rows() const { return rows_; }
    [[nodiscard]] const std::vector<AttemptRow> &attempts() const { return attempts_; }
    [[nodiscard]] const std::set<RequestId> &live() const { return live_; }
    [[nodiscard]] const std::map<Epoch, std::int64_t> &claims() const { return claims_; }
    [[nodiscard]] std::int64_t lastTicket() const { return nextTicket_ - 1; }
    [[nodiscard]] std::uint64_t version() const { return version_; }
    [[nodiscard]] std::int64_t nextNonce(int lane) const { return lanes_[place(lane)].nextNonce; }
    [[nodiscard]] bool hasVersion(Hash hash) const { return attemptOf(hash) != nullptr; }
    [[nodiscard]] bool isEnrolled(Epoch epoch) const;
    [[nodiscard]] const Row &row(RequestId id) const { return rows_[place(id) - 1]; }
    [[nodiscard]] bool hasOpenAttempt(RequestId id) const;

  private:
    struct Lane
    {
        std::optional<Epoch> owner;
        Time leaseUntil{0};
        std::int64_t nextNonce = 0;
    };
    struct Instance
    {
        Epoch epoch = 0;
        Time heartbeat{0};
    };
    struct Answer
    {
        bool accepted = true;
        Hash txHash = 0;
        RequestId about = 0;
    };
    struct Share
    {
        int index = 0;
        std::int64_t arrival = 0;
        Hash txHash = 0;
    };

    template <typename Number>
    static std::size_t place(Number number)
    {
        return static_cast<std::size_t>(number);
    }
    Row &rowAt(RequestId id) { return rows_[place(id) - 1]; }
    AttemptRow *mine(int lane, Epoch claimer, AttemptId attempt);
    [[nodiscard]] const AttemptRow *attemptOf(Hash hash) const;
    [[nodiscard]] std::vector<RequestId> pageOfLive(LivePlace from, std::size_t limit,
                                                    std::optional<LivePlace> &next) const;
    template <typename Does>
    Page eachOfPage(Epoch claimer, LivePlace from, std::size_t limit, Does does);
    [[nodiscard]] StoredAttempt stored(const AttemptRow &attempt) const;
    [[nodiscard]] bool isOurs(const Log &log) const;
    [[nodiscard]] bool mayBecomeOurs(core::Kind kind) const;
    [[nodiscard]] bool isAnnounced(core::Kind kind) const;
    // The one place where a status changes.
    void move(Row &row, core::Transition transition);
    void own(Row &row, std::optional<Epoch> owner);
    void bindGatewayId(Row &row, GatewayId gatewayId);
    void checkWhoseAnswer(const Row &row, RequestId about);

    const Surroundings with_;
    std::vector<Row> rows_;
    std::vector<AttemptRow> attempts_;
    std::set<RequestId> live_;
    std::map<Epoch, std::int64_t> claims_;
    std::array<Lane, kMostLanes> lanes_;
    std::map<int, Instance> instances_;
    std::optional<Epoch> leader_;
    Time leaderUntil_{0};
    std::map<Key, RequestId> references_;
    std::map<Key, Answer> answers_;
    std::map<GatewayId, std::vector<Share>> shares_;
    std::vector<Event> events_;
    Cursor cursor_;
    Epoch nextEpoch_ = 1;
    std::int64_t nextTicket_ = 1;
    std::int64_t nextArrival_ = 1;
    std::uint64_t version_ = 0;
};
}  // namespace relayer::sim
