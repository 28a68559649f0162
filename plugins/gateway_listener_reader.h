// Reads the chain from the durable cursor to its head with eth_getLogs, and nothing else moves that
// cursor. A burst, a gap, a node that reorders what it pushes: whatever a subscription misses is
// found here. Also notices that the chain went another way, and goes back to where it did.
//
// On the loop of its source; one call of advance() at a time.
#pragma once

#include "chain/rpc/node.h"
#include "core/block_ranges.h"
#include "core/walk_back.h"
#include "models/inbox_store.h"
#include "plugins/gateway_listener_intake.h"
#include "plugins/gateway_listener_options.h"

#include <drogon/utils/coroutine.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace relayer::plugins
{
class BlockReader
{
  public:
    struct Context
    {
        trantor::EventLoop *loop = nullptr;
        EventIntake::Inbox inbox;
        // One URL each: what one node says of its head holds for that node only.
        std::vector<std::shared_ptr<chain::rpc::Node>> nodes;
        std::function<void(std::int64_t fromBlock)> reorganised;
    };

    BlockReader(Context context, const ListenerOptions &options, EventIntake *intake,
                SourceState *state);

    // At most one eth_getLogs further. True: there is more to read. Throws RpcError, StoreError.
    drogon::Task<bool> advance();

    // What the last advance() came to.
    enum class Progress : std::uint8_t
    {
        None,
        Further,
        ToTheHead,  // nothing that counts, and that the node shows, is left unread
    };
    [[nodiscard]] Progress progress() const { return progress_; }

    // The next call asks another node, if there is one.
    void changeNode();

  private:
    drogon::Task<> findCursor();
    // Whether the block where the cursor stands is still the one that was read, after what had to
    // be done about it.
    enum class Way : std::uint8_t
    {
        Same,     // as far as the node can tell
        Another,  // and the cursor stands elsewhere now
        Unclear,  // the chain is changing: nothing is to be read before the next look
        Untold,   // the node would not say
    };
    drogon::Task<Way> lookAtCursor();
    // Where a read block is known by its hash: the cursor, or behind it.
    [[nodiscard]] std::optional<core::KnownBlock> standing() const;
    drogon::Task<> walkBack();
    // Whether the stored cursor is of the chain that the node shows.
    drogon::Task<> checkChain(std::optional<core::Hash32> genesis);
    drogon::Task<> startOver(std::optional<core::Hash32> genesis);
    drogon::Task<> moveTo(std::int64_t block, core::Hash32 hash, core::Hash32 genesis);
    drogon::Task<> read(core::BlockRange range, std::optional<core::Hash32> hash);
    struct BlockLook
    {
        std::optional<core::Hash32> hash;
        bool none = false;  // the node answers, and has no block of this number
        bool refused = false;
    };
    drogon::Task<BlockLook> lookAt(std::int64_t block);
    struct RangeEnd
    {
        std::int64_t block = -1;
        BlockLook look;
    };
    // The end of what can be read: before the head that was told, where the node has no such block.
    drogon::Task<RangeEnd> lookAtTheEnd(std::int64_t block);
    // Whether the node refuses now what it usually tells. Not for ever: then we do without.
    bool isMoody(bool refused);
    // A block below the head that was just told, and that is not there: the chain became shorter,
    // or another node answered, which lags. Not so far back, where nodes forget.
    [[nodiscard]] bool isMissing(std::int64_t block, const BlockLook &seen) const;
    // Nothing: the node does not know the block, or can not be asked such a thing.
    drogon::Task<std::optional<core::Hash32>> hashOf(std::int64_t block);
    // The same twice, or nothing: some nodes make up hashes.
    drogon::Task<std::optional<core::Hash32>> steadyHashOf(std::int64_t block);
    drogon::Task<chain::rpc::Logs> logsOf(core::BlockRange range);
    [[nodiscard]] chain::rpc::Node &node() { return *context_.nodes[nodeIndex_]; }

    const Context context_;
    const ListenerOptions &options_;
    EventIntake *const intake_;
    SourceState *const state_;
    core::ChunkSize chunk_;
    std::size_t nodeIndex_ = 0;
    std::int64_t head_ = -1;
    std::optional<models::ChainCursor> cursor_;
    // Where the cursor has stood, newest last: what a reorg is measured by where no events are.
    std::deque<core::KnownBlock> trail_;
    bool lagLogged_ = false;
    bool showsBlocks_ = false;  // the node, and with hashes
    int refusals_ = 0;          // of looks, in advances one after the other
    Progress progress_ = Progress::None;
};
}  // namespace relayer::plugins
