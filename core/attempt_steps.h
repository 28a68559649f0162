// What is to be done about a transaction that was signed and committed: while no receipt of it is
// found, when a start finds it, and when it is over. The engine asks here (plugins/tx_attempts.h),
// and so does the simulator (tests/sim).
#pragma once

#include "core/lifecycle.h"

#include <cstdint>

namespace relayer::core
{
// An open attempt of which no receipt was found.
struct UnminedAttempt
{
    bool underWay = false;  // something is being asked or written for it
    bool looked = false;    // there was no receipt just now; else it is not known whether there is
    bool suspect = false;   // somebody else may have taken its nonce
    bool checkDue = false;  // of that suspicion
    bool closing = false;   // given up: its newest version is a no-op
    bool overdue = false;
    bool sendDue = false;
    bool outOfSends = false;
    bool bumpDue = false;
    bool atTheFront = false;  // outbidding it would help
};

enum class AttemptStep : std::uint8_t
{
    Wait,
    CheckNonce,
    GiveUpOverdue,
    Send,
    GiveUpUnsent,  // sent too often
    FailUnclosed,  // the no-op, too: the request ends, the nonce is tried on, slowly
    RaiseFees,
};
[[nodiscard]] AttemptStep nextStep(const UnminedAttempt &attempt);

// What a start, or whoever takes a lane over, does with an open attempt.
enum class Adoption : std::uint8_t
{
    Resume,          // looks for its receipt, then sends it again
    MarkFirst,       // recovery has set its request back, which is in flight all the same
    ResumeAndClose,  // its request has ended: it must not be mined any more
};
[[nodiscard]] Adoption adoptionOf(bool carriesRequest, Status ofRequest, bool closing);

// Nobody's word counts for a lost nonce: only that the chain is past it, several times over, while
// no version of ours has a receipt. Nodes behind one URL do not see the same block at the same
// time.
class NonceSightings
{
  public:
    // True: that is proof.
    [[nodiscard]] bool saw(bool chainIsPast);

  private:
    int inARow_ = 0;
};

// What a receipt means for the request.
struct MinedAttempt
{
    Kind kind = Kind::InputProof;
    bool noOp = false;
    bool succeeded = false;
    bool requestEvent = false;
};

enum class MinedMeans : std::uint8_t
{
    Receipt,
    Closed,        // it was given up: fails with the reason for that
    Reverted,      // fails
    WithoutEvent,  // fails
    SendAnew,      // a new transaction, after a while
};
[[nodiscard]] MinedMeans meaningOf(const MinedAttempt &mined);

// What it means that a nonce went to a transaction that is not ours.
enum class ConsumedMeans : std::uint8_t
{
    Nothing,  // no request, or one that has ended
    Fails,    // it was given up
    SendAnew,
};
[[nodiscard]] ConsumedMeans meaningOfConsumed(bool carriesRequest, bool closing, bool requestEnded);

// A receipt that the database took neither as the first of its request nor as another one. Who has
// ended needs none. But one that could still be claimed and sent must not be left so: it would be
// sent again.
enum class UntakenReceipt : std::uint8_t
{
    NotNeeded,
    MarkInFlightFirst,  // set back although its transaction was still there
    Again,
};
[[nodiscard]] UntakenReceipt untakenReceipt(Status ofRequest);

// What stands between the two, when it is not taken the second time either.
enum class TakenGatewayId : std::uint8_t
{
    SomebodyElseHasTheRequest,  // while the attempt is open nobody can send it; it is taken back
    FailsInternally,            // the id belongs for good to another
};
[[nodiscard]] TakenGatewayId whyUntaken(Status ofRequest, bool ofAnotherClaimer);

// What the event of a request that was made on the chain tells, by the status of the request.
enum class RequestEventMeans : std::uint8_t
{
    LookForReceipt,   // it is mined
    CompareReceipts,  // it may have been mined once more, with another id
    Nothing,
};
[[nodiscard]] RequestEventMeans meaningOfRequestEvent(Status ofRequest);
}  // namespace relayer::core
