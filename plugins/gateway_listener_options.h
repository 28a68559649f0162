// What the listener of the gateway chain is told, and what it tells of itself.
#pragma once

#include "chain/gateway.h"
#include "chain/rpc/node.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace relayer::plugins
{
struct ListenerOptions
{
    std::uint64_t chainId = 0;
    chain::GatewayContracts contracts;
    std::int64_t confirmations = 0;
    std::optional<std::int64_t> startBlock;
    std::int64_t maxBlockRange = 1000;
    std::chrono::milliseconds pollInterval{2000};
    // How often a subscription that works is checked against eth_getLogs.
    std::chrono::milliseconds coverInterval{10'000};
    std::chrono::milliseconds keepUnmatched{600'000};
    std::chrono::milliseconds silence{20'000};
    std::chrono::milliseconds recycle{1'800'000};
    std::chrono::milliseconds backOffFirst{250};
    std::chrono::milliseconds backOffMost{10'000};
    // Blocks before the cursor that are read once more: nodes behind one URL differ in how far they
    // are, and one of them may have been asked for logs that it did not have yet.
    std::int64_t overlap = 16;
    // How far back a reorg is followed.
    std::int64_t maxReorgDepth = 256;
    std::size_t eventsPerCommit = 256;
    std::size_t maxLive = 8192;
};

// One endpoint. A snapshot, for whoever looks; nothing decides by it.
struct SourceState
{
    std::string name;
    bool subscription = false;
    bool connected = false;  // subscribed, or the last poll went well
    std::optional<std::int64_t> cursor;
    std::optional<std::int64_t> head;
    std::optional<std::chrono::steady_clock::time_point> lastHeard;
    std::uint64_t stored = 0;
    std::uint64_t known = 0;      // from another source, or from an earlier reading
    std::uint64_t foreign = 0;    // of other relayers
    std::uint64_t unrelated = 0;  // not of our contracts, or no event that we care for
    std::uint64_t skipped = 0;    // without transaction hash, or no logs at all
    std::uint64_t malformed = 0;
    std::uint64_t dropped = 0;   // pushed while the queue was full; read by eth_getLogs instead
    std::uint64_t connects = 0;  // of a subscription
    std::uint64_t reorgs = 0;
    std::uint64_t failures = 0;  // in a row
    std::string lastError;       // what kind; empty while all is well

    [[nodiscard]] std::optional<std::int64_t> lag() const
    {
        return cursor && head ? std::optional(*head - *cursor) : std::nullopt;
    }
};
}  // namespace relayer::plugins
