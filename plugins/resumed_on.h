// As models/resumed_on.h, under the name that plugins know it by.
#pragma once

#include "models/resumed_on.h"

namespace relayer::plugins
{
using models::OnLoop;
using models::resumedOn;
}  // namespace relayer::plugins
