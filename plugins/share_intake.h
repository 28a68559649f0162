// From a share that was posted to one that waits for its second: the checks behind those of the
// body, in the order that wallets know. Any thread.
#pragma once

#include "core/sealed_witness.h"
#include "models/share_store.h"
#include "plugins/share_library.h"
#include "plugins/share_parts.h"
#include "plugins/turn.h"
#include "wire/share_request.h"

#include <drogon/utils/coroutine.h>
#include <trantor/net/EventLoop.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <variant>

namespace relayer::plugins
{
class ShareIntake
{
  public:
    struct Refused
    {
        std::string text;
    };
    using Outcome = std::variant<models::Enqueued, Refused>;

    struct Surroundings
    {
        trantor::EventLoop *loop = nullptr;
        std::shared_ptr<models::ShareStore> shares;
        std::shared_ptr<const core::WitnessKeys> keys;
        std::shared_ptr<VotingRounds> rounds;
        std::shared_ptr<CommitmentTree> tree;
        // With the hash of commitments, or none: then they are not looked at.
        std::shared_ptr<const ShareLibrary> library;
        std::function<std::int64_t()> now;  // seconds since 1970
    };
    explicit ShareIntake(Surroundings surroundings) : around_(std::move(surroundings)) {}

    // Queued means that it is on disk. Throws what is nobody's fault: StoreError, ShareTrouble.
    drogon::Task<Outcome> take(core::VoteShare share, std::uint64_t submitAt);

  private:
    using Line = std::shared_ptr<Turn::Line>;

    // Nothing: it agrees with the tree, or can not be checked.
    drogon::Task<std::optional<Refused>> mismatch(core::VoteShare share);
    // Nothing: there is no such round.
    drogon::Task<std::optional<std::int64_t>> endOf(core::Hash32 round);
    drogon::Task<std::optional<std::int64_t>> lookUp(core::Hash32 round);
    [[nodiscard]] std::optional<std::optional<std::int64_t>> cached(const core::Hash32 &round);
    void keep(const core::Hash32 &round, std::optional<std::int64_t> end);
    [[nodiscard]] Line lineFor(const core::Hash32 &round);

    const Surroundings around_;
    std::mutex mutex_;
    struct Known
    {
        std::optional<std::int64_t> end;  // none: there is no such round
        std::int64_t until = 0;           // it is believed
    };
    std::map<core::Hash32, Known> known_;  // under mutex_
    // of the loop: who asks for a round that is not known waits for who asked first
    std::map<core::Hash32, std::weak_ptr<Turn::Line>> asking_;
};
}  // namespace relayer::plugins
