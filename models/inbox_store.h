// The inbox of chain events: stored first, in the commit that moves the cursor, and handled later.
// Callable from any thread as a coroutine; throws StoreError.
#pragma once

#include "core/address.h"
#include "core/lifecycle.h"
#include "models/connections.h"
#include "models/request_types.h"

#include <drogon/utils/coroutine.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace relayer::models
{
using EventId = std::int64_t;

struct InboxEvent
{
    core::Kind kind = core::Kind::InputProof;
    GatewayId gatewayId{};
    bool request = false;  // a request event; else an answer
    std::int64_t blockNumber = 0;
    core::Hash32 blockHash{};
    std::int32_t logIndex = 0;
    TxHash txHash{};
    core::Address address{};
    std::vector<core::Hash32> topics;
    core::Bytes data;
};

// All logs up to and with this block are in the inbox (or were none of ours).
struct ChainCursor
{
    std::string listener;
    std::uint64_t chainId = 0;
    core::Hash32 genesisHash{};
    std::int64_t blockNumber = 0;
    core::Hash32 blockHash{};
};

struct Delivered
{
    std::size_t stored = 0;   // new, and ours or perhaps ours
    std::size_t known = 0;    // stored before
    std::size_t foreign = 0;  // of other relayers: no request of ours can be meant
};

struct PendingEvent
{
    EventId id = 0;
    InboxEvent event;
    RequestId requestId = 0;                              // whom it concerns
    core::Status status = core::Status::ReceiptReceived;  // of that request
    std::chrono::milliseconds inStatus{0};                // how long it has been
};

class InboxStore
{
  public:
    InboxStore(ConnectionsPtr writer, ConnectionsPtr reader);

    // One commit for events and cursor. An answer is kept when its gateway id is known to be ours
    // (gateway_reference), or when some request of its kind has an open attempt, whose id is not
    // known yet: then until `keepFor` has passed. A request event is kept when its transaction is
    // one of ours (tx_version). Ids follow the order of the chain within a call. A removed event
    // that is delivered again is back, as if it were new. The cursor never goes back here, nor does
    // it change to another chain.
    drogon::Task<Delivered> deliver(std::vector<InboxEvent> events,
                                    std::optional<ChainCursor> cursor,
                                    std::chrono::milliseconds keepFor);

    drogon::Task<std::optional<ChainCursor>> cursor(std::string listener);
    // Where the one stands that has read most, as if it were this one's: for a listener that is new
    // to this database, while the database is not new to the chain.
    drogon::Task<std::optional<ChainCursor>> furthestCursor(std::string listener);
    // A reorg, or another chain: the cursor goes where it is told.
    drogon::Task<> setCursor(ChainCursor cursor);

    // Not handled yet, and of a request of ours, oldest first, ids above `after`. `after` is for
    // the next page of one pass only: a lower id may become visible, or become ours, later, so each
    // pass begins at 0.
    drogon::Task<std::vector<PendingEvent>> pending(EventId after, std::size_t limit);
    drogon::Task<> markHandled(std::vector<EventId> events);

    // The chain took these blocks back; what was not handled of them never will be. Answers and
    // shares that were kept from them are gone, but for those of requests that have ended. How many
    // events.
    drogon::Task<std::size_t> removeBlocks(std::vector<core::Hash32> blockHashes);
    // The hashes of blocks from `block` on that events came from: what a reorg check compares.
    struct SeenBlock
    {
        std::int64_t number = 0;
        core::Hash32 hash{};
    };
    drogon::Task<std::vector<SeenBlock>> blocksSince(std::int64_t block, std::size_t limit);

    // Reads all of the table.
    struct Counts
    {
        std::uint64_t unhandled = 0;  // of requests that are not known yet, too
        std::uint64_t all = 0;
    };
    drogon::Task<Counts> counts();

    // Deletes what has expired without becoming ours, or was handled longer than `keepHandled` ago.
    // How many.
    drogon::Task<std::size_t> expire(std::chrono::milliseconds keepHandled, std::size_t limit);
    // Everything, for a chain that was reset: events, cursors, and the gateway ids of the past,
    // which the new chain gives out again; what was answered stays with its requests. With
    // `genesis` nothing happens when all cursors are of that chain: another instance was faster.
    drogon::Task<> forget(std::optional<core::Hash32> genesis = std::nullopt);

  private:
    const ConnectionsPtr writer_;
    const ConnectionsPtr reader_;
};
}  // namespace relayer::models
