// What the kernel says of this process, under the names that Prometheus' own clients use.
#pragma once

#include "plugins/metrics_text.h"

namespace relayer::plugins
{
// Reads /proc: memory, not a disk. Any thread.
void writeProcessMetrics(MetricsText &text);
}  // namespace relayer::plugins
