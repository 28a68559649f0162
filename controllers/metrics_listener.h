// /metrics and /health, on a listener of their own and nowhere else. Drogon's routes are those of
// all listeners alike, so these are none: who comes in at this port is answered before routing, and
// finds nothing else there. Part of our program.
#pragma once

#include <cstdint>

namespace relayer::controllers
{
// Before Drogon runs, and before the other advices: they would answer for the clients' listener.
void installMetricsListener(std::uint16_t port);
}  // namespace relayer::controllers
