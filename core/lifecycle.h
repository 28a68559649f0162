// The way of a request, as data: every legal change of status stands in one table, here.
//
// The SQL guards (models/request_sql.h), the diagrams in docs/lifecycle.md and the exhaustive tests
// are all made from kEdges. To change what may happen to a request, change this table and nothing
// else.
//
// Pure: no clock, no I/O. Everything is constexpr, so a wrong table does not compile (see the
// static_asserts at the end of lifecycle.cc).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

namespace relayer::core
{
enum class Kind : std::uint8_t
{
    InputProof,
    PublicDecrypt,
    UserDecrypt,
};

enum class Status : std::uint8_t
{
    Queued,
    Processing,
    TxInFlight,
    ReceiptReceived,
    Completed,
    TimedOut,
    Failure,
};

// What can happen to a request. A transition names the event, not the target: three of them end in
// `failure`, and who may cause them differs.
// Their numbers stand in the database (request.trail): new ones come last.
enum class Transition : std::uint8_t
{
    PassReadiness,   // the host ACL and the ciphertext are in order
    FailReadiness,   // they are not, and will not be
    MarkTxInFlight,  // nonce, signed bytes and this status commit together, then bytes are sent
    MarkReceiptReceived,  // mined, and the receipt carries our request event
    Complete,             // the answer is here: response, accepted proof, or enough shares
    Reject,               // the coprocessors say the proof is wrong
    TimeOut,              // readiness or the answer took too long
    FailTransaction,      // the transaction can not be sent, or reverted
    FailInternally,       // a fault of our own; from anywhere that is not an end
    Recover,              // a start finds a transaction in flight and looks at it afresh
};

inline constexpr std::size_t kKinds = 3;
inline constexpr std::size_t kStatuses = 7;
inline constexpr std::size_t kTransitions = 10;

inline constexpr std::array<Kind, kKinds> kAllKinds = {Kind::InputProof, Kind::PublicDecrypt,
                                                       Kind::UserDecrypt};
inline constexpr std::array<Status, kStatuses> kAllStatuses = {
    Status::Queued,    Status::Processing, Status::TxInFlight, Status::ReceiptReceived,
    Status::Completed, Status::TimedOut,   Status::Failure};
inline constexpr std::array<Transition, kTransitions> kAllTransitions = {
    Transition::PassReadiness,  Transition::FailReadiness,
    Transition::MarkTxInFlight, Transition::MarkReceiptReceived,
    Transition::Complete,       Transition::Reject,
    Transition::TimeOut,        Transition::FailTransaction,
    Transition::FailInternally, Transition::Recover};

// A set of statuses in one byte.
class StatusSet
{
  public:
    constexpr StatusSet() = default;
    constexpr StatusSet(std::initializer_list<Status> statuses)
    {
        for (const Status status : statuses)
        {
            bits_ = static_cast<std::uint8_t>(bits_ | bit(status));
        }
    }

    [[nodiscard]] constexpr bool contains(Status status) const
    {
        return (bits_ & bit(status)) != 0;
    }
    [[nodiscard]] constexpr bool empty() const { return bits_ == 0; }
    [[nodiscard]] constexpr bool containsAllOf(StatusSet other) const
    {
        return (bits_ & other.bits_) == other.bits_;
    }
    constexpr bool operator==(const StatusSet &) const = default;

  private:
    static constexpr std::uint8_t bit(Status status)
    {
        return static_cast<std::uint8_t>(1U << static_cast<unsigned>(status));
    }
    std::uint8_t bits_ = 0;
};

struct Edge
{
    Kind kind;
    Transition transition;
    StatusSet from;
    Status to;
    // The method of the reference's idempotency audit that this row stands for; empty for rows that
    // come from the status-transition document alone.
    std::string_view auditMethod;
};

inline constexpr auto kEdges = std::to_array<Edge>({
    // input proof: no readiness queue, so it starts at processing
    {Kind::InputProof,
     Transition::MarkTxInFlight,
     {Status::Processing},
     Status::TxInFlight,
     "update_status_to_tx_in_flight"},
    {Kind::InputProof,
     Transition::MarkReceiptReceived,
     {Status::TxInFlight},
     Status::ReceiptReceived,
     "update_input_proof_status_to_receipt_received"},
    {Kind::InputProof,
     Transition::Complete,
     {Status::ReceiptReceived},
     Status::Completed,
     "accept_and_complete_input_proof_req"},
    {Kind::InputProof,
     Transition::Reject,
     {Status::ReceiptReceived},
     Status::Failure,
     "reject_and_complete_input_proof_req"},
    {Kind::InputProof,
     Transition::FailTransaction,
     {Status::Processing, Status::TxInFlight, Status::ReceiptReceived},
     Status::Failure,
     "update_status_to_failure"},
    {Kind::InputProof, Transition::TimeOut, {Status::ReceiptReceived}, Status::TimedOut, ""},
    {Kind::InputProof,
     Transition::FailInternally,
     {Status::Processing, Status::TxInFlight, Status::ReceiptReceived},
     Status::Failure,
     ""},
    {Kind::InputProof, Transition::Recover, {Status::TxInFlight}, Status::Processing, ""},

    // public decrypt
    {Kind::PublicDecrypt,
     Transition::PassReadiness,
     {Status::Queued},
     Status::Processing,
     "update_status_to_processing"},
    {Kind::PublicDecrypt, Transition::FailReadiness, {Status::Queued}, Status::Failure, ""},
    {Kind::PublicDecrypt,
     Transition::MarkTxInFlight,
     {Status::Processing},
     Status::TxInFlight,
     "update_status_to_tx_in_flight"},
    {Kind::PublicDecrypt,
     Transition::MarkReceiptReceived,
     {Status::TxInFlight},
     Status::ReceiptReceived,
     "update_status_to_receipt_received_on_tx_success"},
    {Kind::PublicDecrypt,
     Transition::Complete,
     {Status::ReceiptReceived},
     Status::Completed,
     "complete_req_with_res"},
    {Kind::PublicDecrypt,
     Transition::TimeOut,
     {Status::Queued, Status::ReceiptReceived},
     Status::TimedOut,
     "update_status_to_timed_out"},
    {Kind::PublicDecrypt,
     Transition::FailTransaction,
     {Status::Processing, Status::TxInFlight},
     Status::Failure,
     "update_status_to_failure_on_tx_failed"},
    {Kind::PublicDecrypt,
     Transition::FailInternally,
     {Status::Queued, Status::Processing, Status::TxInFlight, Status::ReceiptReceived},
     Status::Failure,
     ""},
    {Kind::PublicDecrypt, Transition::Recover, {Status::TxInFlight}, Status::Processing, ""},

    // user decrypt: direct, delegated and unified alike
    {Kind::UserDecrypt,
     Transition::PassReadiness,
     {Status::Queued},
     Status::Processing,
     "update_status_to_processing"},
    {Kind::UserDecrypt, Transition::FailReadiness, {Status::Queued}, Status::Failure, ""},
    {Kind::UserDecrypt,
     Transition::MarkTxInFlight,
     {Status::Processing},
     Status::TxInFlight,
     "update_status_to_tx_in_flight"},
    {Kind::UserDecrypt,
     Transition::MarkReceiptReceived,
     {Status::TxInFlight},
     Status::ReceiptReceived,
     "update_status_to_receipt_received_on_tx_success"},
    {Kind::UserDecrypt,
     Transition::Complete,
     {Status::ReceiptReceived},
     Status::Completed,
     "insert_share_and_complete_if_threshold_reached"},
    {Kind::UserDecrypt,
     Transition::TimeOut,
     {Status::Queued, Status::ReceiptReceived},
     Status::TimedOut,
     "update_status_to_timed_out"},
    {Kind::UserDecrypt,
     Transition::FailTransaction,
     {Status::Processing, Status::TxInFlight},
     Status::Failure,
     "update_status_to_failure_on_tx_failed"},
    {Kind::UserDecrypt,
     Transition::FailInternally,
     {Status::Queued, Status::Processing, Status::TxInFlight, Status::ReceiptReceived},
     Status::Failure,
     ""},
    {Kind::UserDecrypt, Transition::Recover, {Status::TxInFlight}, Status::Processing, ""},
});

[[nodiscard]] constexpr bool isTerminal(Status status)
{
    return status == Status::Completed || status == Status::TimedOut || status == Status::Failure;
}

[[nodiscard]] constexpr Status initialStatus(Kind kind)
{
    return kind == Kind::InputProof ? Status::Processing : Status::Queued;
}

// Whether a request of this kind can ever be in this status.
[[nodiscard]] constexpr bool canBeIn(Kind kind, Status status)
{
    return status != Status::Queued || initialStatus(kind) == Status::Queued;
}

// The row of the table, or nothing when this kind knows no such transition.
[[nodiscard]] constexpr std::optional<Edge> findEdge(Kind kind, Transition transition)
{
    for (const Edge &edge : kEdges)
    {
        if (edge.kind == kind && edge.transition == transition)
        {
            return edge;
        }
    }
    return std::nullopt;
}

// The one question everything else asks: where does this lead, if it is allowed at all?
[[nodiscard]] constexpr std::optional<Status> next(Kind kind, Status status, Transition transition)
{
    const std::optional<Edge> edge = findEdge(kind, transition);
    if (!edge || !edge->from.contains(status))
    {
        return std::nullopt;
    }
    return edge->to;
}

// Whether a request that ended this way still stands for its content, so that the same content
// posted again joins it. A rejected proof does: proving it again can not change the answer.
[[nodiscard]] constexpr bool keepsStandingForItsContent(Transition transition, Status to)
{
    return !isTerminal(to) || to == Status::Completed || transition == Transition::Reject;
}

// Whether the claimer's work on the row is over, so that its claim ends with this transition.
// MarkTxInFlight and Recover keep it: the lane that sends is the one that waits for the receipt.
[[nodiscard]] constexpr bool releasesClaim(Transition transition)
{
    return transition != Transition::MarkTxInFlight && transition != Transition::Recover;
}

// Whether only the claimer of a claimed row may cause this. Answers, deadlines and internal faults
// are nobody's in particular: whoever learns of them says so, and the guard decides.
[[nodiscard]] constexpr bool belongsToTheClaimer(Transition transition)
{
    return transition == Transition::PassReadiness || transition == Transition::FailReadiness ||
           transition == Transition::MarkTxInFlight ||
           transition == Transition::MarkReceiptReceived ||
           transition == Transition::FailTransaction || transition == Transition::Recover;
}

// Where a transition leads; the same for every kind that knows it (asserted in lifecycle.cc).
[[nodiscard]] constexpr Status targetOf(Transition transition)
{
    for (const Edge &edge : kEdges)
    {
        if (edge.transition == transition)
        {
            return edge.to;
        }
    }
    return Status::Failure;
}

// Names as they stand in the database, in logs and in metrics.
[[nodiscard]] std::string_view name(Kind kind);
[[nodiscard]] std::string_view name(Status status);
[[nodiscard]] std::string_view name(Transition transition);
[[nodiscard]] std::optional<Kind> parseKind(std::string_view text);
[[nodiscard]] std::optional<Status> parseStatus(std::string_view text);

// docs/lifecycle.md, written from the table.
[[nodiscard]] std::string lifecycleDocument();
}  // namespace relayer::core
