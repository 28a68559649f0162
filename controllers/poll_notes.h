// What polls were answered, for the calibration of Retry-After. Functions without state; any
// thread.
#pragma once

#include "plugins/waiting_room.h"
#include "wire/envelope.h"

namespace relayer::controllers
{
// A poll was answered so, and not held.
void note(const plugins::WaitingRoom::Job &job, const wire::Answer &answer);
}  // namespace relayer::controllers
