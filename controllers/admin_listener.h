// The listener that is only for those who administer, if one is configured (`admin.address`).
// Drogon's routes are those of all its listeners alike: so what comes in at this port is marked,
// for the filter, and gets no further unless it asks for one of the admin's paths. Part of our
// program.
#pragma once

#include <cstdint>

namespace relayer::controllers
{
// Before Drogon runs, and before the other advices: they would answer for the clients' listener.
void installAdminListener(std::uint16_t port);
}  // namespace relayer::controllers
