// Which exchange brought a request in, for the log and for the calls that the request causes. Of
// those that this instance took in, up to a bound, and until they end; others are known by their
// job id. Any thread.
#pragma once

#include "core/job_id.h"
#include "core/trace_context.h"
#include "models/request_types.h"

#include <cstddef>
#include <map>
#include <mutex>
#include <optional>
#include <string>

namespace relayer::plugins
{
struct RequestOrigin
{
    core::JobId jobId;
    std::string requestId;  // of the exchange
    core::TraceContext trace;
};

class RequestOrigins
{
  public:
    explicit RequestOrigins(std::size_t most) : most_(most) {}

    // In place of the oldest when there are too many.
    void keep(models::RequestId request, RequestOrigin origin)
    {
        const std::lock_guard lock(mutex_);
        if (origins_.size() >= most_)
        {
            origins_.erase(origins_.begin());
        }
        origins_.insert_or_assign(request, std::move(origin));
    }
    [[nodiscard]] std::optional<RequestOrigin> find(models::RequestId request) const
    {
        const std::lock_guard lock(mutex_);
        const auto found = origins_.find(request);
        return found == origins_.end() ? std::nullopt : std::optional(found->second);
    }
    void forget(models::RequestId request)
    {
        const std::lock_guard lock(mutex_);
        origins_.erase(request);
    }

  private:
    const std::size_t most_;
    mutable std::mutex mutex_;
    std::map<models::RequestId, RequestOrigin> origins_;  // ids grow
};
}  // namespace relayer::plugins
