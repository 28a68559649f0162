// One attempt at one share that was taken: proved, sent, and looked for in a block. What it writes
// on its way is what was sent, so that a later attempt asks for that first.
#pragma once

#include "core/sealed_witness.h"
#include "models/share_store.h"
#include "plugins/share_parts.h"

#include <drogon/utils/coroutine.h>
#include <trantor/net/EventLoop.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <string>

namespace relayer::plugins
{
struct ShareAttemptOptions
{
    // How often, and for how long, a block is waited for.
    std::chrono::milliseconds blockInterval{1000};
    std::chrono::milliseconds blockPatience{60'000};
};

struct ShareAttemptContext
{
    trantor::EventLoop *loop = nullptr;
    std::shared_ptr<models::ShareStore> shares;
    std::shared_ptr<const core::WitnessKeys> keys;
    ShareParts parts;
    ShareAttemptOptions options;
    std::function<std::int64_t()> now;  // seconds since 1970
    // How long each proof took that was made; nothing: nobody wants to know.
    std::function<void(std::chrono::microseconds)> proofTook;
    std::atomic<bool> stopping{false};
};

struct ShareAttemptResult
{
    core::AttemptEnd end = core::AttemptEnd::Interrupted;
    std::string code;  // of what went wrong
    // The chain failed at this share, and had answered something else for it just before. It may
    // be the share; when it fails at another one, too, it is the chain.
    bool perhapsTheChain = false;
};

// On the loop. Never throws. `proved` is called once the prover is not needed any more, so that
// another share can have its place while this one waits for a block.
drogon::Task<ShareAttemptResult> attemptShare(std::shared_ptr<ShareAttemptContext> context,
                                              models::TakenShare share, models::Claimer claimer,
                                              std::function<void()> proved);
}  // namespace relayer::plugins
