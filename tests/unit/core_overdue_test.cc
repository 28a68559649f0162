#include "core/overdue.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

namespace relayer::core
{
TEST(Overdue, EveryStatusThatIsNoEndHasAnEndThatTheTableAllows)
{
    for (const Kind kind : kAllKinds)
    {
        for (const Status status : kAllStatuses)
        {
            if (canBeIn(kind, status) && !isTerminal(status))
            {
                EXPECT_TRUE(next(kind, status, endOfOverdue(status)).has_value())
                    << name(kind) << ' ' << name(status);
                EXPECT_TRUE(std::ranges::count(kOverdueStatuses, status) == 1);
            }
        }
    }
    EXPECT_THROW(static_cast<void>(endOfOverdue(Status::Completed)), std::logic_error);
}

TEST(Overdue, OnlyATransactionOnItsWayIsLeftToItsSender)
{
    EXPECT_TRUE(isLeftToItsSender(Status::TxInFlight, true));
    EXPECT_FALSE(isLeftToItsSender(Status::TxInFlight, false));
    // A start sets it back before anybody has asked the chain.
    EXPECT_TRUE(isLeftToItsSender(Status::Processing, true));
    EXPECT_FALSE(isLeftToItsSender(Status::Processing, false));
    EXPECT_FALSE(isLeftToItsSender(Status::ReceiptReceived, true));
}

TEST(Overdue, ReadinessAndAnswersTimeOutAndAllElseFails)
{
    EXPECT_EQ(failureOfOverdue(Status::Queued).code, FailureCode::ReadinessTimedOut);
    EXPECT_EQ(failureOfOverdue(Status::ReceiptReceived).code, FailureCode::ResponseTimedOut);
    EXPECT_EQ(failureOfOverdue(Status::Processing).code, FailureCode::TransactionFailed);
    EXPECT_EQ(failureOfOverdue(Status::TxInFlight).code, FailureCode::TransactionFailed);
}
}  // namespace relayer::core
