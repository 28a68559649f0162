// What clients call their requests (the header Idempotency-Key): for a day a key stands for one
// content, and for the job that was made of it, whatever became of that.
//
// Claimed first, bound to the job when there is one: who dies in between leaves a key that its
// content finds again. What is returned has been committed; StoreError means that nothing is known.
#pragma once

#include "core/content_hash.h"
#include "core/job_id.h"
#include "models/connections.h"

#include <drogon/utils/coroutine.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace relayer::models
{
// Of a row k: its day is over, and it is anybody's again, or nobody's.
inline constexpr std::string_view kKeyIsOver = "k.created_at < now() - interval '24 hours'";

class IdempotencyStore
{
  public:
    // A client's name and its key; a key means something only for the client that chose it.
    struct Key
    {
        std::string client;
        std::string key;
    };
    struct Claim
    {
        bool otherContent = false;       // the key stands for something else
        std::optional<core::JobId> job;  // what it stands for; nothing: not bound yet
    };

    explicit IdempotencyStore(ConnectionsPtr writer) : writer_(std::move(writer)) {}

    drogon::Task<Claim> claim(Key key, core::ContentHash content);
    drogon::Task<> bind(Key key, core::ContentHash content, core::JobId job);
    // Nothing came of it: the key is free again, unless it was bound meanwhile.
    drogon::Task<> release(Key key, core::ContentHash content);

  private:
    const ConnectionsPtr writer_;
};
}  // namespace relayer::models
