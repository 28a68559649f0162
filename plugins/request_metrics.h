// What becomes of requests, counted as it happens: by what this instance's own commits did. Over
// all instances the sums are right, since each change is one instance's. Any thread.
#pragma once

#include "models/status_news.h"
#include "plugins/metric_families.h"

#include <string_view>

namespace relayer::plugins
{
class RequestMetrics
{
  public:
    RequestMetrics();

    void admitted(core::Kind kind, bool fresh);
    void moved(const models::Move &move);
    void shareStored() { shares_.add({}); }
    // A node did not take a transaction. `transport`: it did not answer.
    enum class SendError : std::uint8_t
    {
        Nonce,
        Transport,
        Rpc,
    };
    void sendFailed(SendError error);

    void write(MetricsText &text) const;

  private:
    void ended(const models::Move &move);
    void transactionMoved(const models::Move &move);

    CounterFamily admitted_;
    CounterFamily joined_;
    HistogramFamily durations_;
    HistogramFamily statusDurations_;
    CounterFamily failures_;
    CounterFamily shares_;
    CounterFamily transactions_;
    HistogramFamily transactionDurations_;
    CounterFamily transactionErrors_;
};

// The label of the reference for a kind, as it stands in req_type.
[[nodiscard]] MetricLabel kindLabel(std::string_view name = "req_type");
// Its value in transaction_type.
[[nodiscard]] std::string_view transactionType(core::Kind kind);
[[nodiscard]] inline std::size_t placeOf(core::Kind kind)
{
    return static_cast<std::size_t>(kind);
}
}  // namespace relayer::plugins
