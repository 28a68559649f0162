// The estimators of Retry-After on the committed workload: how far off what clients are told is,
// how often they ask, and how late they have what is ready. Simulated time; one seed, one result.
#include "bench/measure.h"
#include "support/polling_world.h"

#include <cstdio>

int main()
{
    using relayer::test::Estimator;
    const relayer::test::Workload workload = relayer::test::committedWorkload();
    const auto show = [&](const char *name, Estimator estimator) {
        const auto figures = relayer::test::simulate(workload, estimator);
        std::printf(
            "%-10s %zu requests  median error %5.1f %%  polls %6.2f  lateness mean %.2f s"
            "  median %.2f s\n",
            name, figures.requests, figures.medianError * 100, figures.polls, figures.meanLateness,
            figures.medianLateness);
        return figures;
    };
    const auto reference = show("reference", Estimator::Reference);
    static_cast<void>(show("nominal", Estimator::Nominal));
    const auto measured = show("measured", Estimator::Measured);
    using relayer::bench::record;
    const std::string section = "What Retry-After says (simulated)";
    record({section, "polls of a request", measured.polls, "polls", "the reference's estimator",
            reference.polls, measured.polls / reference.polls});
    record({section, "from the result to its client", measured.meanLateness, "s",
            "the reference's estimator", reference.meanLateness,
            measured.meanLateness / reference.meanLateness});
    std::printf("measured/reference: polls %.2f, lateness %.2f\n", measured.polls / reference.polls,
                measured.meanLateness / reference.meanLateness);
}
