// Asks the chain where the keys of the day are. One question is a few calls, all of them about the
// finalized state; so a reorg can not take back what clients were told.
//
// On the loop of its node.
#pragma once

#include "chain/rpc/node.h"
#include "core/address.h"
#include "core/content_hash.h"
#include "wire/key_urls.h"

#include <drogon/utils/coroutine.h>

#include <memory>
#include <optional>
#include <stdexcept>

namespace relayer::plugins
{
// The chain answers, and yet there is nothing to tell. What it says is for the log.
class NoKeyUrl : public std::runtime_error
{
  public:
    using std::runtime_error::runtime_error;
};

class KeyUrlReader
{
  public:
    struct Contracts
    {
        core::Address kmsGeneration{};
        core::Address protocolConfig{};
    };
    // What is active; while it stays the same, so do the locations.
    struct Active
    {
        core::Hash32 key{};
        core::Hash32 crs{};
        core::Hash32 context{};
        core::Hash32 epoch{};

        bool operator==(const Active &) const = default;
    };
    struct Found
    {
        Active active;
        wire::KeyLocation publicKey;
        wire::KeyLocation crs;
    };

    KeyUrlReader(std::shared_ptr<chain::rpc::Node> node, const Contracts &contracts)
        : node_(std::move(node)), contracts_(contracts)
    {}

    // Nothing: what is active is what was `known` already. Throws RpcError and NoKeyUrl.
    drogon::Task<std::optional<Found>> read(std::optional<Active> known);

  private:
    drogon::Task<Active> readActive();
    drogon::Task<Found> locate(Active active);
    drogon::Task<core::Bytes> ask(core::Address contract, core::Bytes question);
    // An answer of one word.
    drogon::Task<core::Hash32> askWord(core::Bytes question);

    const std::shared_ptr<chain::rpc::Node> node_;
    const Contracts contracts_;
};
}  // namespace relayer::plugins
