// The metrics of the reference, which dashboards know by name (contract/runtime.md §7).
#pragma once

#include "support/exposition.h"

#include <set>
#include <string>
#include <vector>

namespace relayer::test
{
struct ReferenceMetric
{
    std::string name;
    std::string type;
    std::vector<MetricLabels> samples;  // each of them is there
    std::set<std::string> labels;       // all of them and no more
};

// Row for row.
[[nodiscard]] std::vector<ReferenceMetric> metricsOfTheReference();
}  // namespace relayer::test
