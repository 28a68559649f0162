#include "core/failure.h"

#include <gtest/gtest.h>

#include <set>

namespace relayer::core
{
namespace
{
TEST(FailureCode, EveryNameLeadsBackToItsCodeAndNoTwoAreAlike)
{
    std::set<std::string_view> names;
    for (std::size_t i = 0; i < kFailureCodes; ++i)
    {
        const auto code = static_cast<FailureCode>(i);
        EXPECT_FALSE(name(code).empty());
        EXPECT_TRUE(names.insert(name(code)).second) << name(code);
        EXPECT_EQ(parseFailureCode(name(code)), code);
    }
    EXPECT_EQ(static_cast<std::size_t>(FailureCode::StoppedByOperator) + 1, kFailureCodes);
}

// What stands in databases must mean the same for ever.
TEST(FailureCode, TheNamesAreThoseThatAreStored)
{
    EXPECT_EQ(name(FailureCode::ReadinessTimedOut), "readiness_timed_out");
    EXPECT_EQ(name(FailureCode::ResponseTimedOut), "response_timed_out");
    EXPECT_EQ(name(FailureCode::NotAllowedOnHostAcl), "not_allowed_on_host_acl");
    EXPECT_EQ(name(FailureCode::HostAclFailed), "host_acl_failed");
    EXPECT_EQ(name(FailureCode::ReadinessFailed), "readiness_failed");
    EXPECT_EQ(name(FailureCode::ProtocolPaused), "protocol_paused");
    EXPECT_EQ(name(FailureCode::InsufficientBalance), "insufficient_balance");
    EXPECT_EQ(name(FailureCode::InsufficientAllowance), "insufficient_allowance");
    EXPECT_EQ(name(FailureCode::InvalidSignature), "invalid_signature");
    EXPECT_EQ(name(FailureCode::TransactionFailed), "transaction_failed");
    EXPECT_EQ(name(FailureCode::ProofRejected), "proof_rejected");
    EXPECT_EQ(name(FailureCode::Undecodable), "undecodable");
    EXPECT_EQ(name(FailureCode::Internal), "internal");
    EXPECT_EQ(name(FailureCode::StoppedByOperator), "stopped_by_operator");
}

TEST(FailureCode, AnUnknownNameIsNoCode)
{
    for (const std::string_view text : {"", "Internal", "internal ", "nothing"})
    {
        EXPECT_FALSE(parseFailureCode(text)) << text;
    }
}
}  // namespace
}  // namespace relayer::core
