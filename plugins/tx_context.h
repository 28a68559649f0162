// What the parts of the transaction engine share: the loop that owns all of their state, the node,
// the stores, and how patient they are.
#pragma once

#include "chain/gateway.h"
#include "chain/rpc/node.h"
#include "chain/signer.h"
#include "chain/uint256.h"
#include "models/gate.h"
#include "models/lane_store.h"
#include "models/request_store.h"
#include "models/sweep_store.h"
#include "plugins/milestones.h"
#include "plugins/resumed_on.h"

#include <drogon/utils/coroutine.h>
#include <trantor/net/EventLoop.h>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace relayer::plugins
{
using Clock = std::chrono::steady_clock;
using TimePoint = Clock::time_point;

struct TxOptions
{
    std::string lane = "main";
    std::uint64_t chainId = 0;
    chain::GatewayContracts contracts;
    std::size_t maxInFlight = 256;
    int maxAttempts = 100;
    std::chrono::milliseconds retryInterval{500};
    std::chrono::milliseconds receiptPollInterval{500};
    std::chrono::milliseconds rebroadcastAfter{15'000};
    std::chrono::milliseconds feeBumpAfter{30'000};
    std::uint64_t feeBumpPercent = 12;
    chain::Uint256 maxFeePerGas;
    std::uint64_t gasLimitPercent = 120;
    std::chrono::milliseconds resendWithoutEventAfter{30'000};
    // How often one transaction asks whether money for gas has come, while the lane is paused.
    std::chrono::milliseconds fundsProbe{5'000};
    std::chrono::milliseconds lease{15'000};
    // What turned out to belong to somebody else would be claimed again at once.
    std::chrono::milliseconds giveBackAfter{5'000};
    // A receipt may be of a block that the listener never saw, and that is gone.
    std::chrono::milliseconds lookForGapsEvery{10'000};
    // Of a transaction that is neither mined nor refused.
    std::chrono::milliseconds deadline{1'800'000};
    bool syncSend = true;
};

struct TxContext
{
    trantor::EventLoop *loop = nullptr;
    std::shared_ptr<chain::rpc::Node> node;
    std::shared_ptr<const chain::Signer> signer;
    std::shared_ptr<models::LaneStore> lanes;
    std::shared_ptr<models::SweepStore> sweeps;
    // Throws StoreError while the database has not been ready.
    std::function<models::RequestStore &()> requests;
    // Our epoch; nothing while we are not enrolled.
    std::function<std::optional<models::Claimer>()> claimer;
    TxOptions options;
    // None: nobody is told.
    std::shared_ptr<Milestones> milestones;
    // Everything that waits for an answer is inside.
    models::Gate gate;

    // Of calls for one request.
    [[nodiscard]] std::string traceparentOf(models::RequestId request) const
    {
        return milestones ? milestones->traceparentOf(request) : std::string();
    }
    [[nodiscard]] models::LaneHold hold() const { return {options.lane, claimer().value_or(0)}; }
};

// A request on its way to the chain.
struct Outgoing
{
    models::RequestId request = 0;
    core::Kind kind = core::Kind::InputProof;
    core::Address to{};
    core::Bytes calldata;
    std::uint64_t gasLimit = 0;
    int tries = 0;  // estimates so far
    // How long the next wait is, should it be mined without the request event again.
    std::chrono::milliseconds resendDelay{0};
};
}  // namespace relayer::plugins
