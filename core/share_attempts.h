// What becomes of a share after an attempt that failed.
//
// The waits are those of the requirement's known limitations: 2, 4, 8, 16 and 32 seconds, one after
// each of the first five failures; the share fails when the attempt after the last wait does.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace relayer::core
{
using ShareWaits = std::vector<std::chrono::seconds>;

// How a single attempt ended.
enum class AttemptEnd
{
    OnTheChain,     // seen in a block, or known there already
    MayGoBetter,    // another attempt may succeed
    WillNotChange,  // bad input, an unknown round: the same would come out again
    ChainAway,      // the chain as a whole is not there; says nothing about the share
    HeldUp,         // something of ours is missing that can come back; says nothing about it either
    Interrupted,    // we stopped
};

// As it stands in logs and metrics.
[[nodiscard]] std::string_view name(AttemptEnd end);

struct AfterAttempt
{
    enum class Step
    {
        Submit,
        Retry,     // after `wait`; costs an attempt
        Fail,      // costs an attempt
        GiveBack,  // after `wait`; costs none
    };
    Step step = Step::GiveBack;
    std::chrono::seconds wait{0};
};

// `failures`: attempts of the share that failed before this one.
[[nodiscard]] AfterAttempt afterAttempt(AttemptEnd end, std::size_t failures,
                                        const ShareWaits &waits, std::chrono::seconds away);
}  // namespace relayer::core
