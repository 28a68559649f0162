// What Store tells of itself: its connections, its statements, its batches.
#include "plugins/metric_families.h"
#include "plugins/store.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace relayer::plugins
{
using models::GroupCommitStats;
using models::QueryTimes;
using models::Table;

namespace
{
constexpr double kMicrosPerSecond = 1e6;

std::string labelled(std::string_view name, std::string_view value)
{
    std::string text;
    MetricsText::appendLabel(text, name, value);
    return text;
}

void writeTimes(MetricsText &text, const QueryTimes &times)
{
    std::vector<double> bounds;
    bounds.reserve(QueryTimes::kBounds.size());
    for (const std::uint64_t bound : QueryTimes::kBounds)
    {
        bounds.push_back(static_cast<double>(bound) / kMicrosPerSecond);
    }
    text.family("relayer_db_query_duration_seconds", "histogram",
                "How long statements took; one for several kinds counts for each of their tables.");
    std::array<std::uint64_t, models::kTables> errors{};
    for (std::size_t i = 0; i < models::kTables; ++i)
    {
        const QueryTimes::Snapshot snapshot = times.snapshot(static_cast<Table>(i));
        errors.at(i) = snapshot.errors;
        if (std::ranges::any_of(snapshot.counts, [](std::uint64_t count) { return count != 0; }))
        {
            writeHistogram(text, "relayer_db_query_duration_seconds",
                           labelled("table", models::kTableNames.at(i)), bounds, snapshot.counts,
                           static_cast<double>(snapshot.micros) / kMicrosPerSecond);
        }
    }
    text.family("relayer_db_errors_total", "counter",
                "Statements that found no connection, were refused, or were not answered in time.");
    for (std::size_t i = 0; i < models::kTables; ++i)
    {
        text.sample("relayer_db_errors_total", {{"table", models::kTableNames.at(i)}},
                    errors.at(i));
    }
}

// The largest value that entry i of such a histogram counts.
double boundOf(std::size_t step)
{
    return static_cast<double>((std::uint64_t{1} << step) - 1);
}

struct Batches
{
    std::string_view name;
    const GroupCommitStats::Snapshot &stats;
};

void writeBatches(MetricsText &text, std::span<const Batches> all)
{
    constexpr std::size_t kRowSteps = 13;   // up to 4095 rows
    constexpr std::size_t kWaitSteps = 24;  // up to 8.4 s
    constexpr std::size_t kFirstWait = 6;   // 63 us
    text.family("relayer_batch_rows", "histogram", "Callers that shared a commit, or a read.");
    for (const auto &[name, stats] : all)
    {
        std::vector<double> bounds;
        std::vector<std::uint64_t> counts;
        std::uint64_t above = 0;
        // Nobody shares a commit with nobody, so the first entry is empty.
        for (std::size_t i = 1; i < GroupCommitStats::kSteps; ++i)
        {
            if (i < kRowSteps)
            {
                bounds.push_back(boundOf(i));
                counts.push_back(stats.batchRows.at(i));
                continue;
            }
            above += stats.batchRows.at(i);
        }
        counts.push_back(above);
        writeHistogram(text, "relayer_batch_rows", labelled("batch", name), bounds, counts,
                       static_cast<double>(stats.rows));
    }
    text.family("relayer_batch_wait_seconds", "histogram",
                "From asking for a commit to its answer.");
    for (const auto &[name, stats] : all)
    {
        std::vector<double> bounds;
        std::vector<std::uint64_t> counts;
        std::uint64_t open = 0;
        for (std::size_t i = 0; i < GroupCommitStats::kSteps; ++i)
        {
            open += stats.waitMicros.at(i);
            if (i >= kFirstWait && i < kWaitSteps)
            {
                bounds.push_back(boundOf(i) / kMicrosPerSecond);
                counts.push_back(std::exchange(open, 0));
            }
        }
        counts.push_back(open);
        writeHistogram(text, "relayer_batch_wait_seconds", labelled("batch", name), bounds, counts,
                       static_cast<double>(stats.waitMicrosTotal) / kMicrosPerSecond);
    }
}
}  // namespace

void Store::writeMetrics(MetricsText &text) const
{
    struct Pool
    {
        std::string_view name;
        const models::ConnectionsPtr &connections;
        std::uint64_t size;
    };
    const std::array<Pool, 2> pools = {{{"write", writer_, settings_.database.writeConnections},
                                        {"read", reader_, settings_.database.readConnections}}};
    const auto each = [&](std::string_view name, std::string_view type, std::string_view help,
                          auto value) {
        text.family(name, type, help);
        for (const Pool &pool : pools)
        {
            text.sample(name, {{"pool", pool.name}}, static_cast<std::uint64_t>(value(pool)));
        }
    };
    each("relayer_db_pool_connections", "gauge", "Connections that this instance may have.",
         [](const Pool &pool) { return pool.size; });
    each("relayer_db_pool_available", "gauge", "Whether there is a connection.",
         [](const Pool &pool) { return pool.connections->available() ? 1 : 0; });
    each("relayer_db_pool_statements", "gauge", "Statements that are awaited.",
         [](const Pool &pool) { return pool.connections->underWay(); });
    each("relayer_db_pool_replaced_total", "counter",
         "Times that all connections were replaced, since none of them answered any more.",
         [](const Pool &pool) { return pool.connections->replaced(); });
    if (settings_.metrics.count)
    {
        writeTimes(text, *times_);
    }
    const models::RequestStore::Stats stats = requests_->stats();
    const std::array<Batches, 3> batches = {{{"admissions", stats.admissions},
                                             {"transitions", stats.transitions},
                                             {"polls", stats.polls}}};
    writeBatches(text, batches);
    text.single("relayer_ended_answers_bytes", "gauge",
                "Memory that holds answers of jobs that have ended.",
                static_cast<std::uint64_t>(endedJobs_->bytes()));
    milestones_->metrics().write(text);
}
}  // namespace relayer::plugins
