// Attempts for a lane to commit, with bytes and hashes that no other has.
#pragma once

#include "models/lane_store.h"

#include <vector>

namespace relayer::test
{
inline constexpr core::Address kAddress = {0xA1, 0x1C, 0xE0};

[[nodiscard]] models::TxVersion newVersion();
[[nodiscard]] std::vector<models::NewAttempt> attemptsFor(
    const std::vector<models::RequestId> &requests);
void expectEqual(const models::TxVersion &actual, const models::TxVersion &expected);
}  // namespace relayer::test
