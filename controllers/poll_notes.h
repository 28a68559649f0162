// What polls were answered, for the calibration of Retry-After. Functions without state; any
// thread.
#pragma once

#include "plugins/job_view.h"
#include "wire/envelope.h"

namespace relayer::controllers
{
// A poll was answered so, and not held.
void note(const plugins::JobViewPtr &view, const wire::Answer &answer);
}  // namespace relayer::controllers
