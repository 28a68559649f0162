#include "support/lane_attempts.h"

#include "support/test_store.h"

#include <gtest/gtest.h>

#include <atomic>

namespace relayer::test
{
models::TxVersion newVersion()
{
    static std::atomic<std::uint64_t> next{1};
    models::TxVersion version;
    version.hash = hash32(next++, 0x7A);
    version.raw = core::Bytes(version.hash.begin(), version.hash.end());
    version.raw.push_back(0);
    // a number of 78 digits, the longest there is
    version.maxFeePerGas =
        "115792089237316195423570985008687907853269984665640564039457584007913129639935";
    version.maxPriorityFeePerGas = "0";
    version.gasLimit = UINT64_MAX;
    return version;
}

std::vector<models::NewAttempt> attemptsFor(const std::vector<models::RequestId> &requests)
{
    std::vector<models::NewAttempt> attempts;
    attempts.reserve(requests.size());
    for (const models::RequestId id : requests)
    {
        attempts.push_back({id, newVersion()});
    }
    return attempts;
}

void expectEqual(const models::TxVersion &actual, const models::TxVersion &expected)
{
    EXPECT_EQ(actual.hash, expected.hash);
    EXPECT_EQ(actual.raw, expected.raw);
    EXPECT_EQ(actual.maxFeePerGas, expected.maxFeePerGas);
    EXPECT_EQ(actual.maxPriorityFeePerGas, expected.maxPriorityFeePerGas);
    EXPECT_EQ(actual.gasLimit, expected.gasLimit);
    EXPECT_EQ(actual.noOp, expected.noOp);
}
}  // namespace relayer::test
