// Shares as wallets make them, for the tests of the share scheduler.
#pragma once

#include "core/vote_share.h"

#include <cstdint>
#include <map>
#include <string>

namespace relayer::test
{
// Alike for the same seed, different for others; of the round of 32 bytes 0x11.
[[nodiscard]] core::VoteShare voteShare(std::uint32_t seed);

// The members of a body and their JSON; `enc_share` holds three of its own.
using ShareMembers = std::map<std::string, std::string>;
[[nodiscard]] ShareMembers membersOf(const core::VoteShare &share, std::uint64_t submitAt);
[[nodiscard]] std::string shareBody(const ShareMembers &members);
[[nodiscard]] std::string shareBody(const core::VoteShare &share, std::uint64_t submitAt);
[[nodiscard]] std::string encShare(const std::string &c1, const std::string &c2,
                                   const std::string &index);
}  // namespace relayer::test
