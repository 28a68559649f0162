#include "models/request_sql.h"

#include <gtest/gtest.h>

namespace relayer::models
{
using core::Transition;

TEST(RequestGuards, ASingleStatusIsComparedExactly)
{
    EXPECT_EQ(sql::guard(Transition::MarkTxInFlight), "r.status = 'processing'");
    EXPECT_EQ(sql::guard(Transition::MarkReceiptReceived), "r.status = 'tx_in_flight'");
    EXPECT_EQ(sql::guard(Transition::PassReadiness),
              "((r.kind = 'public_decrypt' AND r.status = 'queued') OR "
              "(r.kind = 'user_decrypt' AND r.status = 'queued'))");
}

TEST(RequestGuards, SeveralStatusesAreListedForTheKindsThatAllowThem)
{
    EXPECT_EQ(sql::guard(Transition::TimeOut),
              "((r.kind = 'input_proof' AND r.status = 'receipt_received') OR "
              "(r.kind = 'public_decrypt' AND r.status IN ('queued', 'receipt_received')) OR "
              "(r.kind = 'user_decrypt' AND r.status IN ('queued', 'receipt_received')))");
}

TEST(RequestGuards, NothingIsSaidAboutStatusesThatAreNotAllowed)
{
    for (const Transition transition : core::kAllTransitions)
    {
        EXPECT_EQ(sql::guard(transition).find("NOT"), std::string::npos);
        for (const core::Status status : core::kAllStatuses)
        {
            if (core::isTerminal(status))
            {
                EXPECT_EQ(sql::guard(transition).find(core::name(status)), std::string::npos);
            }
        }
    }
}

TEST(RequestGuards, OnlyTransitionsThatEndARequestTouchWhatIndexPredicatesName)
{
    for (const Transition transition : core::kAllTransitions)
    {
        if (transition == Transition::Complete || transition == Transition::Reject)
        {
            continue;
        }
        const bool ends = core::isTerminal(core::targetOf(transition));
        const std::string &text = sql::transition(transition).text();
        EXPECT_EQ(text.find("live = false") != std::string::npos, ends) << text;
        EXPECT_EQ(text.find("dedup = false") != std::string::npos, ends) << text;
    }
    EXPECT_EQ(sql::settleAnswers().text().find("dedup"), std::string::npos);
    EXPECT_EQ(sql::settleShares().text().find("dedup"), std::string::npos);
}

TEST(RequestGuards, CompletionAndRejectionHaveNoStatementForCallers)
{
    EXPECT_THROW(static_cast<void>(sql::transition(Transition::Complete)), std::logic_error);
    EXPECT_THROW(static_cast<void>(sql::transition(Transition::Reject)), std::logic_error);
}
}  // namespace relayer::models
