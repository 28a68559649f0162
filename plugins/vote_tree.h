// The commitment trees of the rounds, as far as the vote chain has told their leaves over REST: it
// tells leaves, and no paths. Each round's leaves are mirrored here, in memory, when they are
// wanted; a restart asks for them again.
//
// The chain is asked by heights, a thousand at a time, from the newest back to what is known
// already: so that nobody has to know when a round began. On one loop.
#pragma once

#include "chain/rpc/http_endpoint.h"
#include "plugins/share_parts.h"
#include "plugins/turn.h"

#include <trantor/net/EventLoop.h>

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace relayer::plugins
{
struct VoteTreeOptions
{
    chain::rpc::Url rest;
    std::chrono::milliseconds timeout{10'000};
    // How old an anchor may be before the chain is asked for a newer one.
    std::chrono::milliseconds fresh{1000};
    std::size_t mostLeaves = 1UL << 24U;  // of a tree of that depth
    std::size_t mostRounds = 16;
};

class VoteTree : public CommitmentTree
{
  public:
    VoteTree(trantor::EventLoop *loop, VoteTreeOptions options, std::shared_ptr<MerklePaths> paths);

    drogon::Task<Status> status(core::Hash32 round) override;
    drogon::Task<Path> path(core::Hash32 round, std::uint32_t position) override;
    drogon::Task<std::optional<core::Hash32>> leaf(core::Hash32 round,
                                                   std::uint32_t position) override;
    // Of the round that was touched last; nothing: of none yet.
    [[nodiscard]] std::optional<Status> latest() const { return latest_; }

  private:
    struct Mirror
    {
        core::Bytes leaves;
        std::uint64_t height = 0;  // as of which they are all
        std::optional<core::Hash32> root;
        std::chrono::steady_clock::time_point asOf;
        // One at a time brings it up to date, the others wait for that.
        std::shared_ptr<Turn::Line> line = std::make_shared<Turn::Line>();

        [[nodiscard]] std::size_t count() const { return leaves.size() / 32; }
    };
    using MirrorPtr = std::shared_ptr<Mirror>;
    struct Latest
    {
        std::uint64_t count = 0;
        std::uint64_t height = 0;
        std::optional<core::Hash32> root;
    };

    [[nodiscard]] MirrorPtr mirrorOf(const core::Hash32 &round);
    // Nothing: the chain knows no such round.
    drogon::Task<std::optional<Latest>> ask(core::Hash32 round);
    // The leaves at least up to this position, if there are that many.
    drogon::Task<MirrorPtr> upToDate(core::Hash32 round, std::uint32_t position);
    drogon::Task<> bringUpToDate(core::Hash32 round, MirrorPtr mirror);
    drogon::Task<core::Bytes> leavesBehind(core::Hash32 round, std::uint64_t known, Latest latest);
    drogon::Task<Json::Value> blocks(core::Hash32 round, std::uint64_t from, std::uint64_t to);
    drogon::Task<chain::rpc::HttpAnswer> get(std::string target);

    trantor::EventLoop *const loop_;
    const VoteTreeOptions options_;
    const std::shared_ptr<MerklePaths> paths_;
    const std::shared_ptr<chain::rpc::HttpEndpoint> rest_;
    std::map<core::Hash32, MirrorPtr> mirrors_;
    std::optional<Status> latest_;
};
}  // namespace relayer::plugins
