#include "core/attempt_steps.h"

#include <gtest/gtest.h>

namespace relayer::core
{
namespace
{
UnminedAttempt allIsDue()
{
    UnminedAttempt attempt;
    attempt.looked = true;
    attempt.suspect = true;
    attempt.checkDue = true;
    attempt.overdue = true;
    attempt.sendDue = true;
    attempt.bumpDue = true;
    attempt.atTheFront = true;
    return attempt;
}
}  // namespace

TEST(AttemptSteps, NothingIsDoneTwiceAtATime)
{
    UnminedAttempt attempt = allIsDue();
    attempt.underWay = true;
    EXPECT_EQ(nextStep(attempt), AttemptStep::Wait);
}

TEST(AttemptSteps, ASuspectNonceIsCheckedFirstButOnlyByWhoHasLookedForTheReceipt)
{
    UnminedAttempt attempt = allIsDue();
    EXPECT_EQ(nextStep(attempt), AttemptStep::CheckNonce);
    attempt.looked = false;
    EXPECT_EQ(nextStep(attempt), AttemptStep::GiveUpOverdue);
    attempt.looked = true;
    attempt.checkDue = false;
    EXPECT_EQ(nextStep(attempt), AttemptStep::GiveUpOverdue);
}

TEST(AttemptSteps, AClosingOneIsNotGivenUpOnceMore)
{
    UnminedAttempt attempt = allIsDue();
    attempt.suspect = false;
    attempt.closing = true;
    EXPECT_EQ(nextStep(attempt), AttemptStep::Send);
    attempt.outOfSends = true;
    EXPECT_EQ(nextStep(attempt), AttemptStep::FailUnclosed);
}

TEST(AttemptSteps, WhatWasSentTooOftenIsGivenUp)
{
    UnminedAttempt attempt = allIsDue();
    attempt.suspect = false;
    attempt.overdue = false;
    attempt.outOfSends = true;
    EXPECT_EQ(nextStep(attempt), AttemptStep::GiveUpUnsent);
}

TEST(AttemptSteps, FeesAreRaisedOnlyWhereTheChainIs)
{
    UnminedAttempt attempt;
    attempt.bumpDue = true;
    EXPECT_EQ(nextStep(attempt), AttemptStep::Wait);
    attempt.atTheFront = true;
    EXPECT_EQ(nextStep(attempt), AttemptStep::RaiseFees);
}

TEST(AttemptSteps, AStoredAttemptIsResumedUnlessItsRequestIsElsewhere)
{
    for (const Status status : kAllStatuses)
    {
        for (const bool closing : {false, true})
        {
            EXPECT_EQ(adoptionOf(false, status, closing), Adoption::Resume) << "carries nothing";
        }
    }
    EXPECT_EQ(adoptionOf(true, Status::TxInFlight, false), Adoption::Resume);
    EXPECT_EQ(adoptionOf(true, Status::ReceiptReceived, false), Adoption::Resume);
    EXPECT_EQ(adoptionOf(true, Status::Completed, false), Adoption::Resume);
    EXPECT_EQ(adoptionOf(true, Status::Processing, false), Adoption::MarkFirst);
    EXPECT_EQ(adoptionOf(true, Status::Processing, true), Adoption::MarkFirst);
    EXPECT_EQ(adoptionOf(true, Status::Failure, false), Adoption::ResumeAndClose);
    EXPECT_EQ(adoptionOf(true, Status::TimedOut, false), Adoption::ResumeAndClose);
    EXPECT_EQ(adoptionOf(true, Status::Failure, true), Adoption::Resume) << "its no-op is there";
}

TEST(AttemptSteps, ThreeSightingsInARowAreProofAndOneDoubtBeginsAnew)
{
    NonceSightings sightings;
    EXPECT_FALSE(sightings.saw(true));
    EXPECT_FALSE(sightings.saw(true));
    EXPECT_FALSE(sightings.saw(false));
    EXPECT_FALSE(sightings.saw(true));
    EXPECT_FALSE(sightings.saw(true));
    EXPECT_TRUE(sightings.saw(true));
}

TEST(AttemptSteps, AReceiptMeansWhatItSaysOfTheRequest)
{
    EXPECT_EQ(meaningOf({Kind::PublicDecrypt, false, true, true}), MinedMeans::Receipt);
    EXPECT_EQ(meaningOf({Kind::PublicDecrypt, true, true, false}), MinedMeans::Closed);
    EXPECT_EQ(meaningOf({Kind::PublicDecrypt, false, false, false}), MinedMeans::Reverted);
    EXPECT_EQ(meaningOf({Kind::InputProof, false, true, false}), MinedMeans::WithoutEvent);
    EXPECT_EQ(meaningOf({Kind::PublicDecrypt, false, true, false}), MinedMeans::SendAnew);
    EXPECT_EQ(meaningOf({Kind::UserDecrypt, false, true, false}), MinedMeans::SendAnew);
}

TEST(AttemptSteps, AConsumedNonceSendsAnewOnlyWhoseRequestIsWantedYet)
{
    EXPECT_EQ(meaningOfConsumed(true, false, false), ConsumedMeans::SendAnew);
    EXPECT_EQ(meaningOfConsumed(true, true, false), ConsumedMeans::Fails);
    EXPECT_EQ(meaningOfConsumed(true, true, true), ConsumedMeans::Nothing);
    EXPECT_EQ(meaningOfConsumed(true, false, true), ConsumedMeans::Nothing);
    EXPECT_EQ(meaningOfConsumed(false, false, false), ConsumedMeans::Nothing);
}

TEST(AttemptSteps, AReceiptThatIsNotTakenNeverLeavesARequestToBeSentAgain)
{
    for (const Status status : kAllStatuses)
    {
        const bool wantsNone = isTerminal(status) || status == Status::ReceiptReceived;
        EXPECT_EQ(untakenReceipt(status) == UntakenReceipt::NotNeeded, wantsNone) << name(status);
    }
    EXPECT_EQ(untakenReceipt(Status::Processing), UntakenReceipt::MarkInFlightFirst);
    EXPECT_EQ(whyUntaken(Status::TxInFlight, false), TakenGatewayId::FailsInternally);
    EXPECT_EQ(whyUntaken(Status::TxInFlight, true), TakenGatewayId::SomebodyElseHasTheRequest);
    EXPECT_EQ(whyUntaken(Status::Processing, false), TakenGatewayId::SomebodyElseHasTheRequest);
}

TEST(AttemptSteps, ARequestEventIsLookedIntoWhileTheRequestHasNotEnded)
{
    EXPECT_EQ(meaningOfRequestEvent(Status::Processing), RequestEventMeans::LookForReceipt);
    EXPECT_EQ(meaningOfRequestEvent(Status::TxInFlight), RequestEventMeans::LookForReceipt);
    EXPECT_EQ(meaningOfRequestEvent(Status::ReceiptReceived), RequestEventMeans::CompareReceipts);
    EXPECT_EQ(meaningOfRequestEvent(Status::Completed), RequestEventMeans::Nothing);
    EXPECT_EQ(meaningOfRequestEvent(Status::Failure), RequestEventMeans::Nothing);
}
}  // namespace relayer::core
