// The estimators of Retry-After on the committed workload: how far off what clients are told is,
// how often they ask, and how late they have what is ready. Simulated time; one seed, one result.
#include "bench/measure.h"
#include "support/polling_world.h"

#include <cstdio>
#include <string>

namespace
{
using relayer::bench::record;
using relayer::test::Figures;

constexpr double kError = 0.2;  // what was told first, as a part of what it took
constexpr double kPolls = 0.7;  // of the reference's
constexpr double kLateness = 1;
const char *const kSection = "What Retry-After says (simulated)";
const char *const kReference = "the reference's estimator";

void recordError(const char *name, const Figures &figures, const Figures &reference,
                 const std::string &target)
{
    record({kSection, std::string("median error, ") + name, figures.medianError * 100, "%",
            kReference, reference.medianError * 100, figures.medianError / reference.medianError,
            target});
}

int run()
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
    const auto nominal = show("nominal", Estimator::Nominal);
    const auto measured = show("measured", Estimator::Measured);
    const double polls = measured.polls / reference.polls;
    const double lateness = measured.meanLateness / reference.meanLateness;
    recordError("measured", measured, reference,
                relayer::bench::inWords("error below", kError * 100) + " %");
    recordError("nominal", nominal, reference, "");
    record({kSection, "polls of a request", measured.polls, "polls", kReference, reference.polls,
            polls, relayer::bench::atMost(kPolls)});
    record({kSection, "polls of a request, nominal", nominal.polls, "polls", kReference,
            reference.polls, nominal.polls / reference.polls});
    record({kSection, "from the result to its client", measured.meanLateness, "s", kReference,
            reference.meanLateness, lateness, relayer::bench::atMost(kLateness)});
    record({kSection, "from the result to its client, nominal", nominal.meanLateness, "s",
            kReference, reference.meanLateness, nominal.meanLateness / reference.meanLateness});
    const bool good = measured.medianError < kError && polls <= kPolls && lateness <= kLateness;
    std::printf(
        "measured: median error %.1f %% (below %.0f %%), polls %.2f of the reference's"
        " (at most %.2f), lateness %.2f (at most %.2f): %s\n",
        measured.medianError * 100, kError * 100, polls, kPolls, lateness, kLateness,
        good ? "met" : "MISSED");
    return good ? 0 : 1;
}
}  // namespace

int main()
{
    return relayer::bench::exitCodeOf(run);
}
