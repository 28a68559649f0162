// From rows to what a poll shows of them. Functions without state; any thread.
#pragma once

#include "models/request_store.h"
#include "wire/job.h"

#include <drogon/utils/coroutine.h>

namespace relayer::controllers
{
// A view of what was read, which must outlive it.
[[nodiscard]] wire::Job jobOf(const models::Poll &poll);

// Of a user decryption. None before its end: they say nothing then, and may be megabytes.
drogon::Task<wire::Shares> sharesOf(models::RequestRow row, core::Status status);
}  // namespace relayer::controllers
