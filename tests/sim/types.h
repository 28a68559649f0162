// What the simulated chain, the simulated database and the simulated instances tell each other.
#pragma once

#include "core/lifecycle.h"
#include "sim/random.h"

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace relayer::sim
{
using RequestId = std::int64_t;
using AttemptId = std::int64_t;
using Epoch = std::int64_t;
using Hash = std::uint64_t;       // of transactions and blocks; 0 is none
using GatewayId = std::uint64_t;  // 0 is none

// What a simulated run has shown to be wrong.
struct Violation : std::runtime_error
{
    using std::runtime_error::runtime_error;
};

inline void require(bool holds, const char *what)
{
    if (!holds)
    {
        throw Violation(what);
    }
}

// What the world has in store for a request, known to nobody inside it.
struct Fortune
{
    enum class Acl : std::uint8_t
    {
        Allows,
        Refuses,
        Fails
    };
    enum class Ciphertext : std::uint8_t
    {
        There,
        Never,
        Fails
    };
    Acl acl = Acl::Allows;
    Ciphertext ciphertext = Ciphertext::There;
    int checksUntilReady = 0;
    bool payloadBroken = false;
    bool estimateReverts = false;
    bool refusedByNodes = false;
    bool revertsOnChain = false;
    int minedWithoutEvent = 0;  // so many of its transactions
    bool answered = true;
    bool rejected = false;
    int answerAfterBlocks = 1;
};

// Signed bytes.
struct Signed
{
    Hash hash = 0;
    int lane = 0;  // the account
    std::int64_t nonce = 0;
    RequestId request = 0;  // 0: a no-op, or not ours
    std::uint64_t fee = 0;
    bool foreign = false;

    [[nodiscard]] bool noOp() const { return request == 0; }
};

struct Receipt
{
    Hash hash = 0;
    std::int64_t block = 0;
    bool succeeded = false;
    GatewayId gatewayId = 0;
};

// A log of the gateway's contracts.
struct Log
{
    bool request = false;  // a request was made; else it is an answer or a share
    core::Kind kind = core::Kind::InputProof;
    GatewayId gatewayId = 0;
    Hash txHash = 0;
    std::int64_t blockNumber = 0;
    Hash blockHash = 0;
    int index = 0;
    bool accepted = true;
    int share = 0;
    RequestId about = 0;  // for the invariants only

    [[nodiscard]] bool isSameAs(const Log &other) const
    {
        return blockHash == other.blockHash && index == other.index && txHash == other.txHash;
    }
};

inline constexpr int kShares = 4;
inline constexpr int kThreshold = 3;
inline constexpr int kMostLanes = 2;
}  // namespace relayer::sim
