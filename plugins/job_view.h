// All that the answer to a poll is made of, as it was read: shared by everybody whom it is shown
// to, and constant.
#pragma once

#include "core/status_waiters.h"
#include "models/request_store.h"
#include "plugins/store.h"
#include "wire/job.h"

#include <drogon/utils/coroutine.h>

#include <memory>

namespace relayer::plugins
{
struct JobView
{
    models::Poll poll;
    wire::Shares shares = {};  // of a user decryption that is completed
};
using JobViewPtr = std::shared_ptr<const JobView>;

// What else is to be shown is read, too. Throws StoreError.
drogon::Task<JobViewPtr> viewOf(std::shared_ptr<Store> store, models::Poll poll);
// Nothing when there is no such job. Throws StoreError.
drogon::Task<JobViewPtr> readView(std::shared_ptr<Store> store, core::JobId jobId);

[[nodiscard]] core::StatusWaiters::Job jobOf(const models::Poll &poll,
                                             core::StatusWaiters::Time now);
}  // namespace relayer::plugins
