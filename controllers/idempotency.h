// Admission under the name that a client gives its request (the header Idempotency-Key), and
// without one.
#pragma once

#include "models/request_store.h"

#include <drogon/HttpRequest.h>
#include <drogon/HttpResponse.h>
#include <drogon/utils/coroutine.h>

namespace relayer::controllers
{
// 202, 429, or about the key 400 and 422. Throws StoreError.
drogon::Task<drogon::HttpResponsePtr> admitUnderItsKey(drogon::HttpRequestPtr http,
                                                       models::NewRequest request);
}  // namespace relayer::controllers
