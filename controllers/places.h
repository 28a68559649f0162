// The places that a new request needs in the queues in front of it: reserved before its row is
// written, so that whoever got 202 has them. Functions without state; any thread.
#pragma once

#include "plugins/readiness_gate.h"
#include "plugins/tx_throttler.h"

#include <optional>

namespace relayer::controllers
{
// Given back when dropped.
struct Places
{
    plugins::TxThrottler::Slot beforeTheChain;
    std::optional<plugins::ReadinessGate::Slot> beforeReadiness;  // decryptions only
};

// Nothing: one of the queues is full.
[[nodiscard]] std::optional<Places> reservePlaces(core::Kind kind);

// The row is committed.
void goOn(const plugins::RequestRef &request, Places places);
}  // namespace relayer::controllers
