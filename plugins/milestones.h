// What happens to requests: one line in the log for each step, and the numbers for whoever watches.
//
//     step=tx_signed kind=input_proof job_id=... request=17 request_id=... trace_id=... span_id=...
//     duration_ms=12 age_ms=40
//
// `duration_ms` is how long the request was in what it has left, or is in what it stays in, and
// `age_ms` since it was taken in, by the database's clock; of `admitted` and `joined` how long the
// exchange took us so far, of `tx_sent` the call. The exchange that brought it in is named by the
// instance that it came to. Any thread; owned by Store, shared with whoever has something to tell.
#pragma once

#include "models/status_news.h"
#include "plugins/request_metrics.h"
#include "plugins/request_origins.h"

#include <chrono>
#include <string>
#include <string_view>

namespace relayer::plugins
{
class Milestones : public models::RequestWatch
{
  public:
    // `took`: since the exchange began.
    void admitted(const models::Admission &admission, core::Kind kind, std::string requestId,
                  const core::TraceContext &trace, std::chrono::milliseconds took);
    void moved(const models::Move &move) override;
    void claimed(const models::Claim &claim) override;
    // A step that changes no status. `more`: further fields.
    void passed(std::string_view step, models::RequestId request, core::Kind kind,
                const std::string &more) const;

    // For calls that are made for this request alone; empty: not known here.
    [[nodiscard]] std::string traceparentOf(models::RequestId request) const;

    [[nodiscard]] RequestMetrics &metrics() { return metrics_; }
    [[nodiscard]] const RequestMetrics &metrics() const { return metrics_; }

  private:
    static constexpr std::size_t kOrigins = 32'768;

    RequestMetrics metrics_;
    RequestOrigins origins_{kOrigins};
};
}  // namespace relayer::plugins
