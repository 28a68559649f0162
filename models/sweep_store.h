// What must happen to requests when nobody does anything: deadlines, the rows of instances that do
// not come back, and what is old enough to be forgotten. All times are the database's.
//
// Each call is one statement of a bounded number of rows, safe to repeat and to run beside others;
// that only one instance sweeps is a matter of economy (`lead`), not of correctness.
//
// Callable from any thread as a coroutine; throws StoreError.
#pragma once

#include "core/failure.h"
#include "core/lifecycle.h"
#include "models/connections.h"
#include "models/request_types.h"
#include "models/status_news.h"

#include <drogon/utils/coroutine.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

namespace relayer::models
{
class SweepStore
{
  public:
    SweepStore(ConnectionsPtr writer, StatusNewsPtr news)
        : writer_(std::move(writer)), news_(std::move(news))
    {}

    // Takes the duty when it is free or its lease has run out, and renews it when it is ours.
    drogon::Task<bool> lead(Claimer claimer, std::chrono::milliseconds lease);
    drogon::Task<> resign(Claimer claimer);

    // Ends live requests that have been in this status for longer, the oldest tickets first.
    drogon::Task<std::vector<RequestId>> endOverdue(core::Kind kind, core::Status status,
                                                    std::chrono::milliseconds patience,
                                                    core::Failure failure, std::size_t limit);

    // Of a page of all that lives, what concerned the claimer; and where the next page begins, or
    // nothing after the last one.
    struct Page
    {
        std::size_t rows = 0;
        std::size_t startOver = 0;  // of those, how many went back to `processing`
        std::optional<LivePlace> next = std::nullopt;
    };
    // What a claimer holds in flight goes back to `processing`, and stays the claimer's.
    drogon::Task<Page> recoverHeld(Claimer claimer, LivePlace from, std::size_t limit);
    // Gives back what the claimer holds in this status, but what may be on its way.
    drogon::Task<Page> release(Claimer claimer, core::Status status, LivePlace from,
                               std::size_t limit);
    // What a claimer held that is not coming back becomes anybody's.
    drogon::Task<Page> freeAbandoned(Claimer claimer, LivePlace from, std::size_t limit);
    // The same for all of it, page by page; how many rows it was.
    drogon::Task<std::size_t> freeAllAbandoned(Claimer claimer, std::size_t rowsAtATime);
    // Forgets instances that have not been heard of for this long and hold nothing.
    drogon::Task<std::size_t> forgetInstances(std::chrono::milliseconds silent);

    // How long the ended requests of each kind are kept; nothing: for ever.
    using Keep = std::array<std::optional<std::chrono::milliseconds>, core::kKinds>;
    struct Purged
    {
        std::size_t looked = 0;    // 0: there are no more behind `after`
        std::size_t requests = 0;  // gone, with all that belonged to them
        RequestId last = 0;        // for the next page
        bool tooYoung = false;     // no request behind this page can be old enough
    };
    // Looks at the next `limit` requests behind `after`.
    drogon::Task<Purged> purge(Keep keep, RequestId after, std::size_t limit);
    // Answers and shares that no request has waited for, `limit` of each at the most.
    drogon::Task<std::size_t> purgeForeign(std::chrono::milliseconds keep, std::size_t limit);
    // What clients called their requests, when the day is over that it was promised for.
    drogon::Task<std::size_t> purgeKeys(std::size_t limit);

  private:
    const ConnectionsPtr writer_;
    const StatusNewsPtr news_;
};
}  // namespace relayer::models
