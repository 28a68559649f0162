// How patient the simulated deployment is: in the proportions of the real defaults, but shorter.
#pragma once

#include "sim/random.h"

#include <cstddef>

namespace relayer::sim::timing
{
using std::chrono::milliseconds;
using std::chrono::seconds;

inline constexpr Time kEngineTick = milliseconds(300);
inline constexpr Time kLaneLease = seconds(4);
inline constexpr Time kInstanceLease = seconds(5);
inline constexpr Time kBeat = seconds(1);
inline constexpr Time kBlock = seconds(1);
inline constexpr Time kRetry = milliseconds(500);
inline constexpr Time kReceiptPoll = milliseconds(500);
inline constexpr Time kRebroadcast = seconds(3);
inline constexpr Time kBump = seconds(4);
inline constexpr Time kResendWithoutEvent = seconds(2);
inline constexpr Time kGiveBackAfter = seconds(1);
inline constexpr Time kReleaseWhileDraining = milliseconds(20);
inline constexpr Time kFundsProbe = seconds(1);
inline constexpr Time kReceiptMayBeStale = seconds(2);
inline constexpr Time kLookForGaps = seconds(3);
inline constexpr Time kTryAgain = milliseconds(500);
inline constexpr Time kSlow = seconds(4);
inline constexpr Time kSweep = seconds(1);
inline constexpr int kRoundsPerSearch = 3;
inline constexpr Time kQueuedDeadline = seconds(25);
inline constexpr Time kProcessingDeadline = seconds(25);
inline constexpr Time kTxDeadline = seconds(20);
inline constexpr Time kAnswerDeadline = seconds(30);
inline constexpr Time kDeafAfter = seconds(3);
inline constexpr Time kHearingSettles = seconds(3);
inline constexpr Time kDeafnessIsWaitedFor = seconds(20);
inline constexpr Time kAbsence = seconds(6);
// An answer that has stood on the chain for so long must have been heard of.
inline constexpr std::int64_t kAnswerIsHeardOfAfterBlocks = 20;
// All of a request's deadlines, one after the other, and some more.
inline constexpr Time kEverythingEnds = seconds(180);
inline constexpr int kMostSends = 6;
inline constexpr std::size_t kRoom = 12;
}  // namespace relayer::sim::timing
