#include "core/attempt_steps.h"

namespace relayer::core
{
namespace
{
constexpr int kSightingsForProof = 3;
}

AttemptStep nextStep(const UnminedAttempt &attempt)
{
    if (attempt.underWay)
    {
        return AttemptStep::Wait;
    }
    // A nonce is given up only by who could have seen the receipt: a node that can not say whether
    // there is one has mined ours, perhaps.
    if (attempt.suspect && attempt.looked && attempt.checkDue)
    {
        return AttemptStep::CheckNonce;
    }
    if (attempt.overdue && !attempt.closing)
    {
        return AttemptStep::GiveUpOverdue;
    }
    if (attempt.sendDue)
    {
        if (!attempt.outOfSends)
        {
            return AttemptStep::Send;
        }
        return attempt.closing ? AttemptStep::FailUnclosed : AttemptStep::GiveUpUnsent;
    }
    return attempt.bumpDue && attempt.atTheFront ? AttemptStep::RaiseFees : AttemptStep::Wait;
}

Adoption adoptionOf(bool carriesRequest, Status ofRequest, bool closing)
{
    if (carriesRequest && ofRequest == Status::Processing)
    {
        return Adoption::MarkFirst;
    }
    const bool unwanted = isTerminal(ofRequest) && ofRequest != Status::Completed;
    return carriesRequest && unwanted && !closing ? Adoption::ResumeAndClose : Adoption::Resume;
}

bool NonceSightings::saw(bool chainIsPast)
{
    inARow_ = chainIsPast ? inARow_ + 1 : 0;
    return inARow_ >= kSightingsForProof;
}

MinedMeans meaningOf(const MinedAttempt &mined)
{
    if (mined.noOp)
    {
        return MinedMeans::Closed;
    }
    if (!mined.succeeded)
    {
        return MinedMeans::Reverted;
    }
    if (mined.requestEvent)
    {
        return MinedMeans::Receipt;
    }
    return mined.kind == Kind::InputProof ? MinedMeans::WithoutEvent : MinedMeans::SendAnew;
}

ConsumedMeans meaningOfConsumed(bool carriesRequest, bool closing, bool requestEnded)
{
    if (!carriesRequest || requestEnded)
    {
        return ConsumedMeans::Nothing;
    }
    return closing ? ConsumedMeans::Fails : ConsumedMeans::SendAnew;
}

UntakenReceipt untakenReceipt(Status ofRequest)
{
    if (isTerminal(ofRequest) || ofRequest == Status::ReceiptReceived)
    {
        return UntakenReceipt::NotNeeded;
    }
    return ofRequest == Status::Processing ? UntakenReceipt::MarkInFlightFirst
                                           : UntakenReceipt::Again;
}

TakenGatewayId whyUntaken(Status ofRequest, bool ofAnotherClaimer)
{
    return ofRequest != Status::TxInFlight || ofAnotherClaimer
               ? TakenGatewayId::SomebodyElseHasTheRequest
               : TakenGatewayId::FailsInternally;
}

RequestEventMeans meaningOfRequestEvent(Status ofRequest)
{
    switch (ofRequest)
    {
        case Status::Processing:
        case Status::TxInFlight: return RequestEventMeans::LookForReceipt;
        case Status::ReceiptReceived: return RequestEventMeans::CompareReceipts;
        default: return RequestEventMeans::Nothing;
    }
}
}  // namespace relayer::core
